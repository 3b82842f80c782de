// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A copy on one lane and an independent kernel on another: the kernel's data are already on the device.

#include "patterns/overlap/schedule.hpp"

namespace tilestride::overlap {

template <class Way, class Problem>
Trial beside_other_data(std::shared_ptr<Problem> const& p) {
  using T = typename Problem::Element;
  auto const other = p->memory.template input<typename Problem::OnDevice>(p->exec, "other", p->n, CountFrom<T>{2});
  auto const& lanes = Way::lanes(*p, 2);
  auto const run = [p, other, &lanes] {
    Way::copy_in(*p, lanes[0], p->all());
    Way::compute(*p, lanes[1], other, p->all());
    Way::wait(lanes[0]);
    Way::wait(lanes[1]);
  };
  Trial trial = waiting_trial(p, run, &Problem::verify_device);
  trial.verify = [p] {
    Check const copied = check_all(p->exec, p->n, IsCounted<T>{p->in.data(), {1}, 0}, "every element copied exactly");
    if (!copied.passed) return copied;
    return check_all(p->exec, p->n, IsCounted<T>{p->out.data(), {2}, p->step.steps}, "every element exactly");
  };
  return trial;
}

}  // namespace tilestride::overlap
