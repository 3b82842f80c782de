// SPDX-License-Identifier: BSD-3-Clause
#include "model/spaces.hpp"

namespace tilestride {

std::vector<std::string> const& known_spaces() {
  static std::vector<std::string> const names{"serial", "openmp", "threads", "cuda", "hip", "sycl"};
  return names;
}

bool is_host_space(std::string const& space) { return space == "serial" || space == "openmp" || space == "threads"; }

}  // namespace tilestride
