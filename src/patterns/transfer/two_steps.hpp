// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "patterns/transfer/problem.hpp"

namespace tilestride::transfer {

/// 16 bytes per thread.
struct alignas(16) Words {
  Word w[4];
};

KOKKOS_INLINE_FUNCTION Word step_of(Word x) { return static_cast<Word>(3u * static_cast<std::uint32_t>(x) + 1u); }

struct Step {
  Words const* in;
  Words* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Words x = in[i];
    for (Word& word : x.w) word = step_of(word);
    out[i] = x;
  }
};

struct IsTwoSteps {
  Word const* data;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return data[i] == 9 * value_at<Word>(going_down, i) + 4;  // 3 (3 x + 1) + 1
  }
};

/// Two kernels, of which the second needs what the first has made. Without a detour it stays where it is; with one it
/// goes to the host and back in between, to where the second kernel then works in place.
template <bool with_detour>
struct TwoSteps {
  template <class Exec>
  static Trial trial(Bench& bench, Case const& c) {
    if (c.choice("direction") != "both")
      return skipped(SkipReason::not_applicable, "it moves both ways: measured where direction is both");
    return over_transfer<Exec>(bench, c, [](auto const& p) {
      return p->kind == "pageable" ? by_way_of<Kokkos::HostSpace>(p) : by_way_of<PinnedSpace<Exec>>(p);
    });
  }

 private:
  template <class HostMemory, class Exec>
  static Trial by_way_of(std::shared_ptr<Transfer<Exec>> const& p) {
    using OnDevice = Window<typename Exec::memory_space, Word>;
    Exec const instance = instance_beside(p->exec);
    auto const n = static_cast<std::size_t>(p->n);
    auto const middle = p->memory.template work<DeviceArray<Exec, Word>>(p->exec, "middle", p->n + guard);
    Word* const result = p->up_to.data();
    OnDevice const leaves(middle.data(), n), returns(result, n);
    Window<HostMemory, Word> const on_host(p->down_to.data, n);
    std::int64_t const packs = (p->n + 3) / 4;  // the last one may reach into the guard of its array
    auto const apply = [=](Word const* in, Word* out) {
      Kokkos::parallel_for("tilestride::transfer::step",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(instance, 0, packs),
                           Step{reinterpret_cast<Words const*>(in), reinterpret_cast<Words*>(out)});
    };
    HostSteps steps;
    steps.calls = [=] {
      apply(p->down_from.data(), middle.data());
      if (with_detour) {
        Kokkos::deep_copy(instance, on_host, leaves);
        Kokkos::deep_copy(instance, returns, on_host);
      }
      apply(with_detour ? result : middle.data(), result);
    };
    steps.wait = [instance] { instance.fence("tilestride::transfer::two_steps"); };
    double const model = with_detour ? p->latency + 2 * static_cast<double>(p->bytes()) / p->in_turn : 0;
    Trial trial = transfer_trial(p, model, steps);
    trial.verify = [p, result] { return check_all(p->exec, p->n, IsTwoSteps{result}, "every element exactly"); };
    return trial;
  }
};

}  // namespace tilestride::transfer
