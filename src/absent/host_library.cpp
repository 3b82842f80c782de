// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/openblas/ in a build without OpenBLAS.
#include "harness/native.hpp"

namespace tilestride {

AnyFunction find_host_library(std::string_view) { return nullptr; }

}  // namespace tilestride
