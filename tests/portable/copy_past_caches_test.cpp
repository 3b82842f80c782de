// SPDX-License-Identifier: BSD-3-Clause
#include "portable/copy_past_caches.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace tilestride {
namespace {

/// At every place in a line and with every length around one and two lines: nothing beside the rows is touched.
TEST(CopyPastCaches, CopiesRowsAtAnyPlace) {
  constexpr int rows = 3, to_pitch = 331, from_pitch = 257;
  std::vector<unsigned char> from(rows * from_pitch + 64);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
  for (std::size_t place = 0; place < 64; place += 4) {
    for (std::size_t bytes : {0, 1, 4, 60, 63, 64, 65, 127, 128, 132, 200, 256}) {
      std::vector<unsigned char> to(rows * to_pitch + 128, 0), wanted = to;
      std::size_t const shift = 4;
      for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < bytes; ++i) wanted[place + row * to_pitch + i] = from[shift + row * from_pitch + i];
      }
      copy_past_caches(to.data() + place, to_pitch, from.data() + shift, from_pitch, rows, bytes);
      ASSERT_EQ(to, wanted) << bytes << " bytes at " << place;
    }
  }
}

}  // namespace
}  // namespace tilestride
