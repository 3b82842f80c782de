// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/catalogue.hpp"

namespace tilestride {

// clang-format off
// One function a pattern, in its table.cpp.
namespace stream { Pattern pattern(); }
namespace staged_copy { Pattern pattern(); }
namespace offset_copy { Pattern pattern(); }
namespace stride_copy { Pattern pattern(); }
namespace transpose { Pattern pattern(); }
namespace matmul { Pattern pattern(); }
namespace aat { Pattern pattern(); }
namespace tile_access { Pattern pattern(); }
namespace bank_stride { Pattern pattern(); }
namespace reduce { Pattern pattern(); }
namespace shuffle { Pattern pattern(); }
namespace stencil { Pattern pattern(); }
namespace latency { Pattern pattern(); }
namespace bandwidth { Pattern pattern(); }
namespace occupancy { Pattern pattern(); }
namespace launch { Pattern pattern(); }
namespace steps { Pattern pattern(); }
namespace tiles { Pattern pattern(); }
namespace transfer { Pattern pattern(); }
namespace batch { Pattern pattern(); }
namespace overlap { Pattern pattern(); }
namespace zero_copy { Pattern pattern(); }
namespace pointer_attributes { Pattern pattern(); }
namespace peer { Pattern pattern(); }
namespace exchange { Pattern pattern(); }
namespace global_transpose { Pattern pattern(); }
namespace summa { Pattern pattern(); }
namespace halo { Pattern pattern(); }
namespace l2_window { Pattern pattern(); }
namespace carveout { Pattern pattern(); }
namespace fences { Pattern pattern(); }
namespace litmus { Pattern pattern(); }
// clang-format on

Catalogue const& catalogue() {
  static Catalogue const patterns{
      // how threads lie over memory
      stream::pattern(),
      staged_copy::pattern(),
      offset_copy::pattern(),
      stride_copy::pattern(),
      transpose::pattern(),
      // products
      matmul::pattern(),
      aat::pattern(),
      // team scratch and its banks
      tile_access::pattern(),
      bank_stride::pattern(),
      // threads that work together
      reduce::pattern(),
      shuffle::pattern(),
      stencil::pattern(),
      // what one thread waits for, and how many of them there are
      latency::pattern(),
      bandwidth::pattern(),
      occupancy::pattern(),
      launch::pattern(),
      steps::pattern(),
      tiles::pattern(),
      // between the host and the devices
      transfer::pattern(),
      batch::pattern(),
      overlap::pattern(),
      zero_copy::pattern(),
      pointer_attributes::pattern(),
      peer::pattern(),
      // between ranks
      exchange::pattern(),
      global_transpose::pattern(),
      summa::pattern(),
      halo::pattern(),
      // what raw CUDA configures under Kokkos' kernels
      l2_window::pattern(),
      carveout::pattern(),
      // the order in which others see what was written
      fences::pattern(),
      litmus::pattern(),
  };
  return patterns;
}

}  // namespace tilestride
