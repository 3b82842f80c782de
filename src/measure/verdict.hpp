// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "model/trial.hpp"

namespace tilestride {

/// One call, with what the trial changes on its device held around it: seconds by its own clock, or by the shared one.
double timed_call(Trial const& trial, Clock const& shared);

/// Overwrites the outputs and the work space of a trial, so that what a call does not write is seen.
void poison(Trial const& trial);

/// The first buffer that is not as it must be: an input with other values, or a guard that was written. Passes without
/// one.
Check surroundings(Trial const& trial);

/// Gives every buffer its values again, guards too.
void restore(Trial const& trial);

/// One call on poisoned outputs, and the verdict on what it left: every element, the inputs, and what lies around the
/// buffers. `call` makes the call. What a trial altered is restored, so that no other trial is blamed for it.
Check verdict_on_one_call(Trial const& trial, std::function<void()> const& call);

}  // namespace tilestride
