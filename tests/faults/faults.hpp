// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/pattern.hpp"

namespace tilestride::faults {

/// A transpose whose variants write nothing, one wrong element, a stale result, or take the worker down.
Pattern pattern();

}  // namespace tilestride::faults
