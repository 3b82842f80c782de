// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// sum = in[0] + in[1] + ... + in[n - 1]
//
// Each input is read once whatever is done with it, so the sum costs what reading costs, if nothing else is in the way:
// partial sums that travel through global memory, threads that wait for one another, too few loads in flight.
//
// The inputs are multiples of 1/8 (values.hpp): their sum is exact in any order, and verified exactly.

#include "patterns/common/pack.hpp"
#include "patterns/reduce/levels.hpp"
#include "patterns/reduce/native.hpp"
#include "portable/memory.hpp"
#include "portable/prepare.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::reduce {

template <class Exec>
constexpr int team_threads_on = is_host<Exec> ? 1 : team_threads;

template <class Space, class T>
struct Reduce {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  std::int64_t n;
  std::int64_t teams;  ///< that run side by side where each has a long share
  Memory memory{"tilestride::reduce"};
  Array in;
  Array work;      ///< for the tree that lives in global memory: whole teams
  Array partials;  ///< of all levels
  Kokkos::View<T, Exec> sum;

  Reduce(Exec const& instance, Case const& planned)
      : exec(instance),
        n(planned.integer("bytes") / std::int64_t(sizeof(T))),
        teams(is_host<Exec> ? exec.concurrency() : std::max(1, resident_teams(exec.concurrency()))),
        in(memory.input<Array>(exec, "in", n, CoarseValues<T>{1})),
        work(memory.work<Array>(exec, "work", (n + team_threads - 1) / team_threads * team_threads)),
        partials(memory.work<Array>(exec, "partials", partials_of(n))),
        sum(memory.output<Array>(exec, "sum", 1).data()) {}

  Check verify() const {
    T found{};
    Kokkos::deep_copy(exec, found, sum);
    exec.fence("tilestride::reduce::verify");
    std::int64_t eighths = 0;
    Kokkos::parallel_reduce("tilestride::reduce::verify",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n), Eighths{}, eighths);
    double const expected = static_cast<double>(eighths) / (std::is_integral_v<T> ? 1 : 8);
    Check check{static_cast<double>(found) == expected, static_cast<double>(n), 0, "the sum of all elements exactly"};
    if (!check.passed) {
      check.wrong = 1;
      check.detail += fmt::format("; got {}, expected {}", found, expected);
    }
    return check;
  }

  /// It reads 16 bytes at a time: fewer have no rate.
  std::vector<Yardstick> yardsticks() const {
    std::int64_t const bytes = n * std::int64_t(sizeof(T));
    if (bytes < 16) return {};
    return {read_yardstick(exec, in.data(), bytes)};
  }

  Arguments native_arguments(Case const&) const {
    return {in.data(), work.data(), partials.data(), sum.data(), n, teams};
  }

  /// The same sum by other means: from the index alone, counted in whole eighths (for integers: ones).
  struct Eighths {
    KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& partial) const {
      partial += coarse_value_at<std::int32_t>(1, i);
    }
  };
};

/// The wanted number of resident teams per multiprocessor: the maximum where a thread needs few registers, fewer where
/// it needs many.
template <class Exec>
constexpr int all_resident = Traits<Exec>::threads / team_threads;
template <class Exec>
constexpr int most_resident = resident_teams(Traits<Exec>::threads);

/// Teams whose number is given, of a size that the compiler knows. `Resident` of them are to fit a multiprocessor.
template <int Resident, class Exec>
auto team_policy(Exec const& exec, std::int64_t teams, TeamShape const& shape) {
  using Bounds = typename Traits<Exec>::template Bounds<team_threads, Resident>;
  return Kokkos::TeamPolicy<Exec, Bounds>(exec, static_cast<int>(teams), shape.threads, shape.lanes)
      .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(shape.scratch)));
}

}  // namespace tilestride::reduce
