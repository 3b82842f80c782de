// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride::cuda {

/// Threads of a block of the native twin of a RangePolicy: as many as Kokkos 4.7 gives one whose kernel leaves room for
/// all threads of a multiprocessor, so that the twins differ by who launches them.
constexpr int range_threads = 128;

}  // namespace tilestride::cuda
