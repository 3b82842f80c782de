// SPDX-License-Identifier: BSD-3-Clause
#include "catalogue.hpp"

#include "patterns/patterns.hpp"

namespace tilestride {

Catalogue const& catalogue() {
  static Catalogue const patterns{
      stream_pattern(),
      transpose_pattern(),
      matmul_pattern(),
      aat_pattern(),
  };
  return patterns;
}

}  // namespace tilestride
