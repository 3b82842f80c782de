// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Squares of a matrix, as wide as a vector register of the host, turned in registers.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "portable/lanes.hpp"

namespace tilestride::transpose {

template <class T>
struct Square {
  using Row = typename Lanes<T>::Vector;
  static constexpr int edge = Lanes<T>::count;

  static void turn(T const* from, std::int64_t from_pitch, T* to, std::int64_t to_pitch) {
    Row x[edge];
    for (int i = 0; i < edge; ++i) x[i] = Lanes<T>::load(from + i * from_pitch);
    exchange_from<edge / 2>(x);
    for (int i = 0; i < edge; ++i) Lanes<T>::store(to + i * to_pitch, x[i]);
  }

 private:
  /// A square is turned when of its four quarters the two beside the diagonal have changed places, and then the same
  /// was done in each quarter.
  template <int half>
  static void exchange_from(Row (&x)[edge]) {
    exchange<half>(x, std::make_integer_sequence<int, edge>{});
    if constexpr (half > 1) exchange_from<half / 2>(x);
  }

  template <int half, int... I>
  static void exchange(Row (&x)[edge], std::integer_sequence<int, I...>) {
    for (int i = 0; i < edge; ++i) {
      if (i & half) continue;
      // Copies, which are in registers: GCC makes one shuffle of each line below, or a few.
      Row const above = x[i], below = x[i + half];
      x[i] = Row{(I & half ? below : above)[I & half ? I - half : I]...};
      x[i + half] = Row{(I & half ? below : above)[I & half ? I : I + half]...};
    }
  }
};

/// to[c][r] = from[r][c] for rows x columns, with pitches in elements. The last squares reach back over those before
/// them; a piece that is narrower than a square is turned element by element. What lies so many rows below a square is
/// prefetched: `ahead` in `from`, to be read, and `ahead_of_stores` where their columns go in `to`, to be written.
template <int ahead, int ahead_of_stores = 0, class T>
void turn_squares(T const* from, std::int64_t from_pitch, T* to, std::int64_t to_pitch, int rows, int columns) {
  constexpr int edge = Square<T>::edge, line = host_line / int(sizeof(T));
  if (rows < edge || columns < edge) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) to[c * to_pitch + r] = from[r * from_pitch + c];
    }
    return;
  }
  for (int r = 0; r < rows; r += edge) {
    int const row = std::min(r, rows - edge);
    for (int c = 0; c < columns; c += edge) {
      int const column = std::min(c, columns - edge);
      T const* const square = from + row * from_pitch + column;
      for (int i = 0; ahead > 0 && c % line == 0 && i < edge; ++i)
        __builtin_prefetch(square + (ahead + i) * from_pitch);
      for (int i = 0; ahead_of_stores > 0 && i < edge; ++i)
        __builtin_prefetch(to + (column + i) * to_pitch + row + ahead_of_stores, 1);
      Square<T>::turn(square, from_pitch, to + column * to_pitch + row, to_pitch);
    }
  }
}

/// An extent cut into parts of whole squares, each at most `most` elements or one square; the last has what is left
/// over beside them, too.
class Parts {
 public:
  Parts(std::int64_t extent, int edge, int most)
      : extent_(extent),
        edge_(edge),
        squares_(std::max<std::int64_t>(1, extent / edge)),
        count_((squares_ * edge + most - 1) / most) {}

  std::int64_t count() const { return count_; }
  std::int64_t begin(std::int64_t i) const { return squares_ * i / count_ * edge_; }
  std::int64_t size(std::int64_t i) const { return (i + 1 == count_ ? extent_ : begin(i + 1)) - begin(i); }

 private:
  std::int64_t extent_, edge_, squares_, count_;
};

}  // namespace tilestride::transpose
