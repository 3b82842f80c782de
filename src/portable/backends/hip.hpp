// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// HIP, per compute unit (AMD CDNA 2 and RDNA 2 instruction set architecture guides). CDNA (gfx90a, gfx942): four SIMDs,
// each with 512 vector registers per lane of a wavefront of 64 and eight resident wavefronts. RDNA (gfx1030, gfx1100):
// two SIMDs, each with 1024 registers per lane of a wavefront of 32 and sixteen resident wavefronts. Both: 64 KiB of
// LDS.

#include "portable/traits.hpp"

namespace tilestride {

template <>
struct Traits<Kokkos::HIP> {
  static constexpr int warp = Kokkos::Impl::HIPTraits::WarpSize;  // of the architecture that Kokkos was built for
  static constexpr int schedulers = warp == 64 ? 4 : 2;           ///< SIMDs
  static constexpr int registers = schedulers * (warp == 64 ? 512 : 1024) * warp;
  static constexpr int threads = schedulers * (warp == 64 ? 8 : 16) * warp;
  static constexpr int teams = warp == 64 ? 16 : 32;  ///< of more than one wavefront: as many as there are barriers
  static constexpr int scratch = 64 * 1024;
  static constexpr int sector = 64;

  /// The second argument of __launch_bounds__ is resident wavefronts of a SIMD, not teams of a compute unit.
  template <int Threads, int Teams>
  static constexpr int wavefronts = (Teams * ((Threads + warp - 1) / warp) + schedulers - 1) / schedulers;
  template <int Threads, int Teams>
  using Bounds = Kokkos::LaunchBounds<Threads, (wavefronts<Threads, Teams> < 1 ? 1 : wavefronts<Threads, Teams>)>;
};

}  // namespace tilestride
