// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One warp exchanges values between its lanes, again and again, each exchange waiting for the last (exchange.hpp): how
// long does one take?

#include <array>

#include "patterns/shuffle/exchange.hpp"
#include "patterns/shuffle/native.hpp"
#include "patterns/shuffle/own_value.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"
#include "portable/traits.hpp"

namespace tilestride::shuffle {

template <class Space, class T>
struct Shuffle {
  using Exec = Space;
  using Element = T;
  static constexpr int lanes = Traits<Exec>::warp;

  Exec exec;
  std::string op;
  int width;
  Memory memory{"tilestride::shuffle"};
  Kokkos::View<T*, Exec> out;  ///< an element per lane

  Shuffle(Exec const& instance, Case const& c)
      : exec(instance),
        op(c.choice("op")),
        width(static_cast<int>(c.integer("width"))),
        out(memory.output<Kokkos::View<T*, Exec>>(exec, "out", lanes)) {}

  /// Every lane, exactly, against the exchanges done one by one on the host.
  Check verify() const {
    std::array<T, lanes> found{};
    Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const here(found.data(), lanes);
    Kokkos::deep_copy(exec, here, out);
    exec.fence("tilestride::shuffle::verify");
    auto const expected = exchanged(op, lanes, width, steps);
    Check check{true, lanes, 0, "every lane exactly"};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      T const right = static_cast<T>(expected[lane]) * (std::is_integral_v<T> ? T(1) : T(0.125));
      if (found[lane] == right) continue;
      if (check.passed) check.detail += fmt::format("; lane {} got {}, expected {}", lane, found[lane], right);
      check.passed = false;
      ++check.wrong;
    }
    return check;
  }

  std::vector<Yardstick> yardsticks() const { return {}; }

  Arguments native_arguments(Case const&) const { return {op, width, steps, out.data()}; }
};

}  // namespace tilestride::shuffle
