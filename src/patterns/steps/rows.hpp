// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Rows of sums to which multiples of other rows are added, as in the products of matrices that tutorials begin with:
//
//   for k, i in edge:  sum[i] += x b[k],  x = a[i][k]
//
// Both operands are the square of the thread. A compiler makes vectors of a row, with a tail where it does not know how
// long a row is, and gathers elements that lie apart. Where all lengths are known, as of tiles in scratch, tutorials
// take a pack of a at once, and a row of sums stays in registers for as many steps.

#include "patterns/common/pack.hpp"
#include "patterns/steps/problem.hpp"

namespace tilestride::steps {

/// How a row of b is laid out, and whether the compiler knows its length.
struct KnownRows {
  static constexpr char const* label = "tilestride::steps::update";
  static constexpr bool known = true, turned = false;
};
struct Rows {
  static constexpr char const* label = "tilestride::steps::update_some";
  static constexpr bool known = false, turned = false;
};
struct StridedRows {
  static constexpr char const* label = "tilestride::steps::update_strided";
  static constexpr bool known = false, turned = true;
};

template <class Kind>
struct Update {
  /// Of a row of a.
  template <class T>
  static constexpr int at_once = Kind::known ? Pack<T>::size : 1;

  template <class T>
  static T const& b_of(T const* in, int k, int j, std::int64_t pitch) {
    return Kind::turned ? in[j * pitch + k] : in[k * pitch + j];
  }

  template <class Exec, class T>
  static void run(Steps<Exec, T> const& p) {
    p.on_each_thread(Kind::label, [passes = p.passes](T const* in, T* out, int const* zero) {
      int const rows = Kind::known ? edge : edge + *zero, columns = rows;
      std::int64_t const pitch = rows;
      T sum[edge][edge] = {};
      for (std::int64_t pass = 0; pass < passes; ++pass) {
        T const sign = sign_of<T>(pass);
        for (int first = 0; first < edge; first += at_once<T>) {
          for (int i = 0; i < rows; ++i) {
            for (int k = first; k < first + at_once<T>; ++k) {
              T const x = sign * in[i * pitch + k];
              for (int j = 0; j < columns; ++j) sum[i][j] += x * b_of(in, k, j, pitch);
            }
          }
        }
      }
      for (int i = 0; i < edge; ++i) {
        for (int j = 0; j < edge; ++j) out[i * edge + j] = sum[i][j];
      }
    });
  }

  template <class Exec, class T>
  static Check verify(Steps<Exec, T> const& p) {
    return p.compare([](T const* in, int place) {
      T sum = 0;
      for (int k = 0; k < edge; ++k) sum += in[place / edge * edge + k] * b_of(in, k, place % edge, edge);
      return sum;
    });
  }
};

}  // namespace tilestride::steps
