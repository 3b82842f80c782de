// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/pattern.hpp"

namespace tilestride {

/// A transpose whose variants write nothing, one wrong element, a stale result, or take the worker down.
Pattern faults_pattern();

}  // namespace tilestride
