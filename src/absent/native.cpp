// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/cuda/device.cu in a program without CUDA.
#include "portable/native.hpp"

namespace tilestride {

DeviceInterface device_interface(std::string_view) { return {}; }

}  // namespace tilestride
