// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/pattern.hpp"

namespace tilestride {

/// Every pattern that this program measures.
Catalogue const& catalogue();

}  // namespace tilestride
