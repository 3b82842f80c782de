// SPDX-License-Identifier: BSD-3-Clause
// The program's own patterns and three more, whose variants go wrong in every way that a kernel or a message can. Only
// the test program `tilestride-faults` has it.
#include "patterns/catalogue.hpp"

#include "faults.hpp"

namespace tilestride {

// clang-format off
namespace stream { Pattern pattern(); }
namespace transpose { Pattern pattern(); }
namespace matmul { Pattern pattern(); }
// clang-format on

Catalogue const& catalogue() {
  static Catalogue const patterns{stream::pattern(), transpose::pattern(),       matmul::pattern(),
                                  faults::pattern(), faults::exchange_pattern(), faults::halo_pattern()};
  return patterns;
}

}  // namespace tilestride
