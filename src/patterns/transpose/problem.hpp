// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// out = in transposed, out of place, both row-major:
//
//   for r in rows, c in cols:  out[c][r] = in[r][c]
//
// In a naive kernel one of the two accesses always strides by a whole row; a tile in fast memory avoids that.

#include "patterns/common/mark.hpp"
#include "patterns/common/tiles.hpp"
#include "patterns/transpose/native.hpp"
#include "portable/memory.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::transpose {

/// The edge of the tile of a case that goes through scratch.
inline int staged_tile(Case const& c) {
  return c.find("tile") == nullptr ? literal_tile : static_cast<int>(c.integer("tile"));
}

template <class Space, class T>
struct Transpose {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  std::int64_t rows, cols;
  bool marked = false;  ///< a kernel that goes through scratch is to mark it (common/mark.hpp)
  Memory memory{"tilestride::transpose"};
  Matrix<Exec, T> in;   ///< rows x cols
  Matrix<Exec, T> out;  ///< cols x rows

  Transpose(Exec const& instance, Case const& c)
      : exec(instance),
        rows(c.shape()[0]),
        cols(c.shape()[1]),
        in(memory.input<Array>(exec, "in", rows * cols, Values<T>{1}, matrix_alignment).data(), rows, cols),
        out(memory.output<Array>(exec, "out", rows * cols, matrix_alignment).data(), cols, rows) {}

  /// Every element, exactly.
  Check verify() const {
    return check_all(exec, rows * cols, IsTransposed{out.data(), rows, cols}, "every element exactly");
  }

  /// Every element with the mark of its place in the tile: it went through there.
  template <class Call>
  Check probe_scratch(Call const& call, Case const& c) const {
    Transpose marking = *this;
    marking.marked = true;
    memory.poison();
    call(marking);
    return check_all(exec, rows * cols, IsMarked{out.data(), rows, cols, staged_tile(c)},
                     "probe: every element with the mark of its place in the tile");
  }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), rows * cols * std::int64_t(sizeof(T)))};
  }

  Arguments native_arguments(Case const& c) const {
    int const per_thread = c.find("per_thread") == nullptr ? 0 : static_cast<int>(c.integer("per_thread"));
    return {in.data(), out.data(), rows, cols, tile_of(c), marked, per_thread};
  }

  struct IsTransposed {
    T const* out;
    std::int64_t rows, cols;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      return out[i] == value_at<T>(1, i % rows * cols + i / rows);
    }
  };

  struct IsMarked {
    T const* out;
    std::int64_t rows, cols;
    int tile;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      std::int64_t const row = i % rows, col = i / rows;
      auto const place = static_cast<int>(row % tile * tile + col % tile);
      return out[i] == value_at<T>(1, row * cols + col) * mark_of<T>(place);
    }
  };
};

}  // namespace tilestride::transpose
