// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace tilestride {

/// The column of a case in which the messages of each pair of ranks go alone: what those from one to another reach.
inline std::string pair_column(std::size_t from, std::size_t to) { return fmt::format("{}->{} GB/s", from, to); }

}  // namespace tilestride
