// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// How a device is built, as far as models and launch shapes need it. All are 0 on hosts, and wherever a fact is not
/// known: a model that needs it then says nothing.
struct Hardware {
  int multiprocessors = 0;   ///< compute units
  int warp = 0;              ///< threads that run in step: 32 in a warp, 64 in a wavefront
  int sector = 0;            ///< bytes of global memory that one request moves at the least
  int banks = 0;             ///< of team scratch, each 4 bytes wide; 0: their rules are not known
  int schedulers = 0;        ///< of a multiprocessor
  int registers = 0;         ///< of 32 bits, of a multiprocessor
  int resident_threads = 0;  ///< the most that a multiprocessor holds
  int resident_teams = 0;    ///< likewise
  double scratch = 0;        ///< bytes of team scratch (shared memory, LDS) of a multiprocessor
};

}  // namespace tilestride
