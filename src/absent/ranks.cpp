// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/mpi/ranks.cpp in a program without MPI.
#include <stdexcept>

#include "ranks/join.hpp"

namespace tilestride {

std::unique_ptr<Ranks> join_ranks() {
  throw std::runtime_error("this program was built without MPI: configure with -DTILESTRIDE_MPI=ON");
}

bool has_ranks() { return false; }

}  // namespace tilestride
