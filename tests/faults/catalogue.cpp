// SPDX-License-Identifier: BSD-3-Clause
// The program's own patterns and one more, whose variants go wrong in every way that a kernel can. Only the test
// program `tilestride-faults` has it.
#include "catalogue.hpp"

#include "faults.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {

Catalogue const& catalogue() {
  static Catalogue const patterns{stream_pattern(), transpose_pattern(), matmul_pattern(), faults_pattern()};
  return patterns;
}

}  // namespace tilestride
