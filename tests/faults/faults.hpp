// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/pattern.hpp"

namespace tilestride::faults {

/// A transpose whose variants write nothing, one wrong element, a stale result, or take the worker down.
Pattern pattern();

/// Messages between ranks, of which one rank sends what is wrong.
Pattern exchange_pattern();

/// A stencil over ranks that get wrong rows from their neighbours, or none.
Pattern halo_pattern();

/// Of a run with ranks, the one that goes wrong: TILESTRIDE_FAULTS_RANK. Without it, every process does.
bool goes_wrong_here();

}  // namespace tilestride::faults
