// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cub/version.cuh>
#include <string>

namespace tilestride::cuda {

/// What the note `library` of its kernels says.
inline std::string name_of_cub() {
  return fmt::format("CUB {}.{}.{}", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
}

}  // namespace tilestride::cuda
