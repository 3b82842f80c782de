// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace tilestride {

/// `tilestride check-result`: says what in a result document does not follow from its samples, or was edited. Returns
/// the exit code: exit_expectation when something differs, exit_usage when the file is no result document.
int check_result(std::string const& path);

}  // namespace tilestride
