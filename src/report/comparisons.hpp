// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Comparisons over the whole run: the price of portability, and the tutorials' figures.

#include <string>
#include <vector>

#include "model/result.hpp"

namespace tilestride {

/// Native time / portable time for each idea with both variants, over all its cases; empty if there is none.
std::string price_table(std::vector<Result> const& results);

/// The figures quoted by the tutorials beside ours on devices; empty if no case matches.
std::string published_table(std::vector<Result> const& results);

}  // namespace tilestride
