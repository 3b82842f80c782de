// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a worker says, one JSON object a line. Apart from json.hpp, so that sources that are compiled for a device need
// not see the JSON library.

#include <map>
#include <string>

#include "harness/result.hpp"
#include "harness/spent.hpp"

namespace tilestride {

/// {"kind": "case", …}: the line of cases.jsonl.
std::string case_line(Result const& result);

/// {"kind": "machine", "spaces": {…}, "environment": {…}}: the environment is the one this process runs in.
std::string machine_line(std::map<std::string, std::string> const& spaces);

/// {"kind": "unavailable", "reason": …}.
std::string unavailable_line(std::string const& reason);

/// {"kind": "spent", …}: of the cases of one problem.
std::string spent_line(Spent const& spent);

}  // namespace tilestride
