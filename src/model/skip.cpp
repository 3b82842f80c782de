// SPDX-License-Identifier: BSD-3-Clause
#include "model/skip.hpp"

namespace tilestride {

std::string_view name_of(SkipReason reason) {
  switch (reason) {
    case SkipReason::not_built: return "not_built";
    case SkipReason::no_device: return "no_device";
    case SkipReason::one_device: return "one_device";
    case SkipReason::hardware: return "hardware";
    case SkipReason::limit: return "limit";
    case SkipReason::not_in_kokkos: return "not_in_kokkos";
    case SkipReason::not_in_library: return "not_in_library";
    case SkipReason::no_meaning: return "no_meaning";
    case SkipReason::not_applicable: return "not_applicable";
  }
  return {};
}

}  // namespace tilestride
