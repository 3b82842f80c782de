// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// out = in transposed, out of place, both row-major:
//
//   for r in rows, c in cols:  out[c][r] = in[r][c]
//
// In a naive kernel one of the two accesses always strides by a whole row; a tile in fast memory avoids that.

#include "patterns/common/tiles.hpp"
#include "patterns/transpose/native.hpp"
#include "portable/values.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::transpose {

template <class Space, class T>
struct Transpose {
  using Exec = Space;
  using Element = T;

  Exec exec;
  std::int64_t rows, cols;
  AlignedMatrix<Exec, T> in_memory, out_memory;
  Matrix<Exec, T> in;   ///< rows x cols
  Matrix<Exec, T> out;  ///< cols x rows

  Transpose(Exec const& instance, Case const& c)
      : exec(instance),
        rows(c.shape()[0]),
        cols(c.shape()[1]),
        in_memory(exec, "tilestride::transpose::in", rows, cols),
        out_memory(exec, "tilestride::transpose::out", cols, rows),
        in(in_memory.data(), rows, cols),
        out(out_memory.data(), cols, rows) {
    fill(exec, in.data(), rows * cols, Values<T>{1});
    poison();
  }

  void poison() const { tilestride::poison(exec, out.data(), rows * cols); }

  /// Every element, exactly.
  Check verify() const {
    return check_all(exec, rows * cols, IsTransposed{out.data(), rows, cols}, "every element exactly");
  }

  std::vector<Yardstick> yardsticks() const {
    return {copy_yardstick(exec, out.data(), in.data(), rows * cols * std::int64_t(sizeof(T)))};
  }

  Arguments native_arguments(Case const& c) const { return {in.data(), out.data(), rows, cols, tile_of(c)}; }

  struct IsTransposed {
    T const* out;
    std::int64_t rows, cols;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      return out[i] == value_at<T>(1, i % rows * cols + i / rows);
    }
  };
};

}  // namespace tilestride::transpose
