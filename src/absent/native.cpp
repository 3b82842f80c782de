// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/cuda/ in a build without CUDA.
#include "harness/native.hpp"

namespace tilestride {

AnyFunction find_native(std::string_view, std::string_view) { return nullptr; }

}  // namespace tilestride
