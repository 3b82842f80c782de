// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Resolves the values of a [[case]] or an [[expect]] for a pattern: names of the catalogue, single values, lists,
// ranges.

#include <optional>
#include <string>
#include <vector>

#include "model/pattern.hpp"
#include "plan/section.hpp"

namespace tilestride {

/// The pattern that a section names; null when it names none, which is reported.
Pattern const* read_pattern(Section const& section, Catalogue const& catalogue);

Names type_names(Pattern const& pattern);

/// The meaning of one value; when it has none, `reason` says what was expected.
std::optional<Value> parse_value(Key const& key, Scalar const& scalar, std::string& reason);

/// All values that a section gives a key: one, a list, a range such as { from = 1, to = 64, times = 2 }, or the
/// default.
std::vector<Value> read_values(Section const& section, Key const& key);

}  // namespace tilestride
