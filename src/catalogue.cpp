// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue.hpp"

#include "patterns/patterns.hpp"

namespace tilestride {

Catalogue const& catalogue() {
  static Catalogue const patterns{
      // how threads lie over memory
      stream_pattern(),
      staged_copy_pattern(),
      offset_copy_pattern(),
      stride_copy_pattern(),
      transpose_pattern(),
      // products
      matmul_pattern(),
      aat_pattern(),
      // team scratch and its banks
      tile_access_pattern(),
      bank_stride_pattern(),
      // threads that work together
      reduce_pattern(),
      shuffle_pattern(),
      stencil_pattern(),
      // what one thread waits for, and how many of them there are
      latency_pattern(),
      occupancy_pattern(),
      // between the host and the devices
      transfer_pattern(),
      batch_pattern(),
      overlap_pattern(),
      zero_copy_pattern(),
      pointer_attributes_pattern(),
      peer_pattern(),
      // what raw CUDA configures under Kokkos' kernels
      l2_window_pattern(),
      carveout_pattern(),
      // the order in which others see what was written
      fences_pattern(),
      litmus_pattern(),
  };
  return patterns;
}

}  // namespace tilestride
