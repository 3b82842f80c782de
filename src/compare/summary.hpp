// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "compare/comparison.hpp"

namespace tilestride {

/// What a comparison found, in the order in which a reader needs it: the runs, what differs between them, the cases
/// worth a look, the mean of each pattern. `all`: every case, the equal ones too, and lists without an end.
std::string summary(RunComparison const& comparison, Tolerance const& tolerance, bool all);

/// "faster=3 slower=0 same=870 unclear=20 not_comparable=0 missing=0 new=2".
std::string counts(RunComparison const& comparison);

}  // namespace tilestride
