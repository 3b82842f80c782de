// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "patterns/common/blocks.hpp"
#include "patterns/tiles/problem.hpp"

namespace tilestride::tiles {

/// out = in, along the rows of a tile. A row ends where the tile does or the matrix, whichever comes first: compilers
/// make no vectors of such a loop.
struct Rows {
  template <class Exec, class T>
  static void run(Tiles<Exec, T> const& p) {
    T const* const in = p.in.data();
    T* const out = p.out.data();
    std::int64_t const pitch = p.pitch;
    p.for_each_tile("tilestride::tiles::rows", [=](std::int64_t first, std::int64_t height, std::int64_t width) {
      T const* from = in + first;
      T* to = out + first;
      for (int r = 0; r < edge && r < height; ++r, from += pitch, to += pitch) {
        for (int c = 0; c < edge && c < width; ++c) to[c] = from[c];
      }
    });
  }

  template <class T>
  struct IsCopied {
    T const* out;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return out[i] == coarse_value_at<T>(1, i); }
  };

  template <class Exec, class T>
  static Check verify(Tiles<Exec, T> const& p) {
    return check_all(p.exec, p.rows * p.pitch, IsCopied<T>{p.out.data()}, "every element exactly");
  }
};

/// The sum of a tile, down its columns, in its first element of `out`.
struct ColumnsRead {
  template <class Exec, class T>
  static void run(Tiles<Exec, T> const& p) {
    T const* const in = p.in.data();
    T* const out = p.out.data();
    std::int64_t const pitch = p.pitch;
    p.for_each_tile("tilestride::tiles::columns_read", [=](std::int64_t first, std::int64_t height,
                                                           std::int64_t width) {
      out[first] = sum_of(in + first, pitch, std::min<std::int64_t>(edge, height), std::min<std::int64_t>(edge, width));
    });
  }

  template <class T>
  static T sum_of(T const* from, std::int64_t pitch, std::int64_t height, std::int64_t width) {
    T sum = 0;
    for (std::int64_t c = 0; c < width; ++c) {
      for (std::int64_t r = 0; r < height; ++r) sum += from[r * pitch + c];
    }
    return sum;
  }

  /// Summed along the rows; no other element is written.
  template <class T>
  struct IsSum {
    T const* out;
    std::int64_t rows, pitch;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      std::int64_t const row = i / pitch, column = i % pitch;
      if (row % edge != 0 || column % edge != 0) return is_untouched(out[i]);
      T sum = 0;
      for (std::int64_t r = row; r < row + edge && r < rows; ++r) {
        for (std::int64_t c = column; c < column + edge && c < pitch; ++c) sum += coarse_value_at<T>(1, r * pitch + c);
      }
      return out[i] == sum;
    }
  };

  template <class Exec, class T>
  static Check verify(Tiles<Exec, T> const& p) {
    return check_all(p.exec, p.rows * p.pitch, IsSum<T>{p.out.data(), p.rows, p.pitch},
                     "every tile's sum exactly, all others untouched");
  }
};

/// Each element becomes its number in the tile, column by column.
struct ColumnsStored {
  template <class Exec, class T>
  static void run(Tiles<Exec, T> const& p) {
    T* const out = p.out.data();
    std::int64_t const pitch = p.pitch;
    p.for_each_tile("tilestride::tiles::columns_stored",
                    [=](std::int64_t first, std::int64_t height, std::int64_t width) {
                      T* const to = out + first;
                      int const rows = static_cast<int>(std::min<std::int64_t>(edge, height));
                      int const columns = static_cast<int>(std::min<std::int64_t>(edge, width));
                      for (int c = 0; c < columns; ++c) {
                        for (int r = 0; r < rows; ++r) to[r * pitch + c] = static_cast<T>(c * edge + r);
                      }
                    });
  }

  template <class T>
  struct IsNumbered {
    T const* out;
    std::int64_t pitch;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      return out[i] == static_cast<T>(i % pitch % edge * edge + i / pitch % edge);
    }
  };

  template <class Exec, class T>
  static Check verify(Tiles<Exec, T> const& p) {
    return check_all(p.exec, p.rows * p.pitch, IsNumbered<T>{p.out.data(), p.pitch}, "every element exactly");
  }
};

}  // namespace tilestride::tiles
