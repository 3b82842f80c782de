// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/pattern.hpp"
#include "process/messages.hpp"

namespace tilestride {

/// All that a deck may say, as JSON: its tables with their settings, and the catalogue. The schema for editors and the
/// reference pages are made of it. It does not depend on the machine.
Json reference(Catalogue const& catalogue);

}  // namespace tilestride
