// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace tilestride {

/// How many elements of a block a thread can have: constants, so that it keeps them in registers.
using PerThreadCounts = std::integer_sequence<int, 1, 2, 4, 8>;

}  // namespace tilestride
