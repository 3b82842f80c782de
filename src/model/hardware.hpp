// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// Hardware properties that models and launch shapes need. A value is 0 where it is not known, and but for `threads` on
/// hosts; a model that needs it then gives no prediction.
struct Hardware {
  int multiprocessors = 0;    ///< compute units
  int warp = 0;               ///< threads that execute together: 32 (warp) or 64 (AMD wavefront)
  int sector = 0;             ///< minimum bytes of global memory per request
  int banks = 0;              ///< of team scratch, each 4 bytes wide; 0: not known
  int schedulers = 0;         ///< per multiprocessor
  int registers = 0;          ///< of 32 bits, per multiprocessor
  int resident_threads = 0;   ///< maximum per multiprocessor
  int resident_teams = 0;     ///< likewise
  double scratch = 0;         ///< bytes of team scratch (shared memory, LDS) per multiprocessor
  int threads = 0;            ///< of a host's space; 0 on devices
  double most_set_aside = 0;  ///< bytes of the last cache that can be set aside for what is to stay
  double set_aside_step = 0;  ///< bytes: what is set aside is a multiple of it, rounded up
  double widest_window = 0;   ///< bytes of addresses that can be said to stay
  int ranks = 0;              ///< that measure together; 0 in a run without ranks
};

}  // namespace tilestride
