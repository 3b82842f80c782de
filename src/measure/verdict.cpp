// SPDX-License-Identifier: BSD-3-Clause
#include "measure/verdict.hpp"

#include "measure/sampler.hpp"

namespace tilestride {

double timed_call(Trial const& trial, Clock const& shared) {
  return hold(trial.before, trial.after, [&] { return own_or(trial.clock, shared).time(trial.run, 1); });
}

void poison(Trial const& trial) {
  for (Buffer const& buffer : *trial.buffers) {
    if (buffer.role != Buffer::Role::input) buffer.reset();
  }
}

Check surroundings(Trial const& trial) {
  for (Buffer const& buffer : *trial.buffers) {
    if (!buffer.intact) continue;
    if (Check check = buffer.intact(); !check.passed) return check;
  }
  return {true};
}

void restore(Trial const& trial) {
  for (Buffer const& buffer : *trial.buffers) buffer.reset();
}

Check verdict_on_one_call(Trial const& trial, std::function<void()> const& call) {
  poison(trial);
  call();
  Check const around = surroundings(trial);
  if (around.passed) return trial.verify();  // which may compute what is expected from the inputs
  restore(trial);
  return around;
}

}  // namespace tilestride
