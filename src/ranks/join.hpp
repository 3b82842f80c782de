// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "model/ranks.hpp"

namespace tilestride {

/// Joins the ranks that one launcher has started. Throws std::runtime_error in a program without MPI.
std::unique_ptr<Ranks> join_ranks();

/// Whether this program can join them.
bool has_ranks();

}  // namespace tilestride
