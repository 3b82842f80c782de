// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Comparisons over the whole run: the price of portability, and the tutorials' figures.

#include <string>
#include <vector>

#include "model/result.hpp"

namespace tilestride {

/// Native time / portable time for each idea with both variants, over all its cases; empty if there is none.
std::string price_table(std::vector<Result> const& results);

/// A figure that a tutorial quotes, beside that of the same kernel in this run. What lies between the two and what can
/// be reached today is told apart: what the GPU does, and what another kernel does.
struct Quote {
  Published const* figure;
  Result const* literal;         ///< the tutorial's kernel, here
  double here;                   ///< in the unit of the figure
  double hardware = 0;           ///< how many times as fast it is here; 0 for a ratio or a peak
  Result const* best = nullptr;  ///< the fastest portable variant of its problem; null where none was run
  double rewriting = 0;          ///< how many times as fast as `literal` that is; 0 without one
};

/// Of what was measured on devices.
std::vector<Quote> quotes(std::vector<Result> const& results);

/// The quotes in words; empty if there are none.
std::string published_table(std::vector<Result> const& results);

}  // namespace tilestride
