// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The rows of the neighbours first, and then the stencil; or the rows that need none of them while these are under way.

#include "patterns/common/ways.hpp"
#include "patterns/halo/sweep.hpp"

namespace tilestride::halo {

/// One after the other, each timed.
template <class Exec, class T>
Trial in_phases(std::shared_ptr<Halo<Exec, T>> const& p, Transport const& way) {
  auto const account = std::make_shared<HostAccount>();
  Trial trial = trial_of(p, [p, way, account] {
    double const begin = monotonic_now();
    way.exchange(p->sends(), p->receives());
    double const arrived = monotonic_now();
    sweep(p->exec, *p, 0, p->m);
    p->exec.fence("tilestride::halo::step");
    account->add({0, arrived - begin, monotonic_now() - begin});
    p->ranks.in_step();
  });
  trial.before = [account] { account->begin_sample(); };
  trial.measure = [account]() -> Quantities {
    HostTimes const times = account->median();
    return {{"exchange us", 1e6 * times.calls}, {"compute us", 1e6 * (times.whole - times.calls)}};
  };
  return trial;
}

/// A device makes the rows between the first and the last while messages are under way; a host makes them before, since
/// a launch there returns when its work is done.
template <class Exec, class T>
Trial overlapped(std::shared_ptr<Halo<Exec, T>> const& p, Transport const& way) {
  Exec inner = p->exec;
  if constexpr (!is_host<Exec>) inner = instance_beside(p->exec);
  return trial_of(p, [p, way, inner] {
    sweep(inner, *p, 1, p->m - 1);
    way.exchange(p->sends(), p->receives());
    sweep(p->exec, *p, 0, 1);
    sweep(p->exec, *p, std::max<std::int64_t>(1, p->m - 1), p->m);
    p->exec.fence("tilestride::halo::edges");
    inner.fence("tilestride::halo::inner");
    p->ranks.in_step();
  });
}

/// A portable variant.
template <class Way, bool is_overlapped = false>
Trial by(Bench& bench, Case const& c) {
  if (auto const skip = why_not_shared(bench, c)) return skipped(skip->reason, skip->words);
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    Transport const way = Way::open(*std::static_pointer_cast<Exec>(bench.exec), *bench.ranks);
    if (auto const skip = of_any_rank(*bench.ranks, way.skip)) return skipped(skip->reason, skip->words);
    return with_type<float, double>(c.type, [&](auto type) {
      auto const p = problem_on<Halo<Exec, typename decltype(type)::type>>(bench, c);
      Trial trial = is_overlapped ? overlapped(p, way) : in_phases(p, way);
      trial.clock = wall_clock(p->exec);
      trial.notes = way.notes;
      return trial;
    });
  });
}

}  // namespace tilestride::halo
