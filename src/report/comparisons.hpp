// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the whole run says that no single table does: what portability costs, and what the tutorials had measured.

#include <string>
#include <vector>

#include "model/result.hpp"

namespace tilestride {

/// Native time / portable time for each idea that is written both ways, over all of its cases; empty where nothing is.
std::string price_table(std::vector<Result> const& results);

/// The figures that the tutorials quote beside ours on devices; empty where no case is one of theirs.
std::string published_table(std::vector<Result> const& results);

}  // namespace tilestride
