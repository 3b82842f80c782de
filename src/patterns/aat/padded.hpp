// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The turned tile of coalesced.hpp, one column wider than it needs to be: the lanes that write down a column then hit
// as many banks as they are (with a tile of 32; smaller ones keep a little of the conflict).

#include "patterns/aat/coalesced.hpp"

namespace tilestride::aat {

using Padded = ThroughScratch<1>;

}  // namespace tilestride::aat
