// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a deck says once and for all its cases: `schema`, [run] and [sampling].

#include "plan/plan.hpp"
#include "plan/section.hpp"

namespace tilestride {

void check_schema(Section const& deck);
RunSettings read_run(Section const& deck);
/// [sampling]: what a [[case]] does not say.
Sampling read_default_sampling(Section const& deck);

/// The keys of sampling that this section has; the others stay. Names are not checked: a [[case]] has more of them.
void read_sampling(Section const& section, Sampling& to);
Names const& sampling_keys();

}  // namespace tilestride
