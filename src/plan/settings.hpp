// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The settings of a deck for all its cases: `schema`, [run] and [sampling].

#include "plan/plan.hpp"
#include "plan/section.hpp"

namespace tilestride {

void check_schema(Section const& deck);
RunSettings read_run(Section const& deck);
/// [sampling]: the defaults for each [[case]].
Sampling read_default_sampling(Section const& deck);

/// Reads the sampling keys of this section; the others are unchanged. Names are not checked, since a [[case]] also has
/// other keys.
void read_sampling(Section const& section, Sampling& to);
Names const& sampling_keys();

}  // namespace tilestride
