// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "process/messages.hpp"

namespace tilestride {

/// The lines before the tables on what may change figures: the conditions of the host, the variables that change them
/// unseen, and the tools that are loaded. `header`: of cases.jsonl. `clean_environment`: workers do not get the
/// variables.
std::string condition_lines(Json const& header, bool clean_environment);

}  // namespace tilestride
