// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <utility>

namespace tilestride {

using StencilRadii = std::integer_sequence<int, 1, 2, 4, 8, 16>;
constexpr int stencil_rows = 32;      ///< of coefficients, at most
constexpr int stencil_threads = 256;  ///< of a team on a device
constexpr int stencil_points = 4;     ///< that a thread of it makes, one team's width apart
constexpr int stencil_teams = 6;      ///< that are to fit a multiprocessor: a thread may have 40 registers
constexpr int stencil_chunk = stencil_threads * stencil_points;

/// What a native stencil works on.
struct StencilArguments {
  void const* in;            ///< n + 2 radius elements
  void const* coefficients;  ///< distinct x (2 radius + 1)
  void* out;                 ///< n elements
  std::int64_t n;
  int radius, distinct;
};

}  // namespace tilestride
