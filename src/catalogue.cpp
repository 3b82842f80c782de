// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue.hpp"

#include "patterns/patterns.hpp"

namespace tilestride {

Catalogue const& catalogue() {
  static Catalogue const patterns{
      stream_pattern(),
      staged_copy_pattern(),
      offset_copy_pattern(),
      stride_copy_pattern(),
      transpose_pattern(),
      matmul_pattern(),
      aat_pattern(),
      tile_access_pattern(),
      bank_stride_pattern(),
      reduce_pattern(),
      shuffle_pattern(),
      stencil_pattern(),
      latency_pattern(),
      occupancy_pattern(),
      transfer_pattern(),
      batch_pattern(),
      overlap_pattern(),
      zero_copy_pattern(),
      pointer_attributes_pattern(),
      peer_pattern(),
      l2_window_pattern(),
      carveout_pattern(),
      fences_pattern(),
      litmus_pattern(),
  };
  return patterns;
}

}  // namespace tilestride
