// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One warp exchanges values between its lanes, again and again, each exchange waiting for the last (exchange.hpp): how
// long does one take?

#include "harness/prepare.hpp"
#include "harness/values.hpp"
#include "patterns/shuffle/exchange.hpp"
#include "patterns/shuffle/native.hpp"
#include "patterns/shuffle/own_value.hpp"

namespace tilestride {

template <class Space, class T>
struct Shuffle {
  using Exec = Space;
  using Element = T;
  using NativeArguments = ShuffleArguments;

  Exec exec;
  std::string op;
  int width;
  Kokkos::View<T*, Exec> out;  ///< warp_lanes
  Kokkos::View<std::int64_t, Exec> cycles;

  Shuffle(Exec const& instance, Case const& c)
      : exec(instance),
        op(c.choice("op")),
        width(static_cast<int>(c.integer("width"))),
        out(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::shuffle::out"), warp_lanes),
        cycles(Kokkos::view_alloc(exec, "tilestride::shuffle::cycles")) {
    poison();
  }

  void poison() const { tilestride::poison(exec, out.data(), warp_lanes); }

  /// Every lane, exactly, against the exchanges done one by one on the host.
  Check verify() const {
    std::array<T, warp_lanes> found{};
    Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const here(found.data(), warp_lanes);
    Kokkos::deep_copy(exec, here, out);
    exec.fence("tilestride::shuffle::verify");
    auto const expected = exchanged(op, width, shuffle_steps);
    Check check{true, warp_lanes, 0, "every lane exactly"};
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
      T const right = static_cast<T>(expected[lane]) * (std::is_integral_v<T> ? T(1) : T(0.125));
      if (found[lane] == right) continue;
      if (check.passed) check.detail += fmt::format("; lane {} got {}, expected {}", lane, found[lane], right);
      check.passed = false;
      ++check.wrong;
    }
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  NativeArguments native_arguments() const { return {op, width, shuffle_steps, out.data(), cycles.data()}; }
};

}  // namespace tilestride
