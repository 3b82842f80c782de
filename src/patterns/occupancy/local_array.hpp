// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The same values in an array whose indices are known at run time only. Registers have no addresses: a GPU keeps
// such an array in local memory, which is global memory behind the caches, and each multiply-add becomes a load and a
// store.

#include "patterns/occupancy/unrolled.hpp"

namespace tilestride::occupancy {

template <int Live, class Exec, class T>
struct InLocalArray {
  Kokkos::View<T const*, Exec> in;
  Kokkos::View<T*, Exec> out;
  int steps;
  T scale, add;
  int hop;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const item = team.league_rank() * team.team_size() + team.team_rank();
    T x[Live];
    for (int i = 0; i < Live; ++i) x[i] = in(item) + static_cast<T>(i);
    int index = 0;
    for (int s = 0; s < steps; ++s) {
      for (int i = 0; i < Live; ++i) {
        x[index] = Kokkos::fma(x[index], scale, add);
        index = (index + hop) % Live;
      }
    }
    T sum = 0;
    for (int i = 0; i < Live; ++i) sum += x[i];
    out(item) = sum;
  }
};

struct LocalArray : Unrolled {
  static constexpr char const* label = "tilestride::occupancy::local_array";

  template <int Live, class Exec, class T>
  using Body = InLocalArray<Live, Exec, T>;
};

}  // namespace tilestride::occupancy
