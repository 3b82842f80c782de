// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tile of tiled.hpp, one column wider than it needs to be: element (r, c) then lies in bank (r·(Tile + 1) + c) mod
// 32, and the lanes that read a column hit as many banks as they are.

#include "patterns/transpose/tiled.hpp"

namespace tilestride::transpose {

using Padded = ThroughScratch<1>;

}  // namespace tilestride::transpose
