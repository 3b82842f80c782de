// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The five operations of STREAM as BabelStream has them, each on its own inputs:
//
//   copy   c = a          scale  c = s·a        add  c = a + b
//   triad  c = a + s·b    dot    sum = Σ a·b
//
// s is 1/2 (3 for integers): s·b is then exact, so that c is the same whether or not the compiler fuses the addition,
// and can be verified exactly. The inputs of dot are multiples of 1/8 (values.hpp): their sum is exact in any order,
// and verified exactly.

#include "patterns/stream/native.hpp"
#include "patterns/stream/operations.hpp"
#include "portable/prepare.hpp"
#include "portable/values.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::stream {

/// The operations stand in the order of the key's choices.
inline Op op_of(Case const& c) { return static_cast<Op>(c.integer("op")); }

inline bool reads_two_arrays(Op op) { return op == Op::add || op == Op::triad || op == Op::dot; }

template <class Space, class T>
struct Stream {
  using Exec = Space;
  using Element = T;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  Op op;
  std::int64_t n;
  Array a, b, c;  ///< n elements; b and c only where the operation has them
  Kokkos::View<T, Exec> sum;

  Stream(Exec const& instance, Case const& planned)
      : exec(instance),
        op(op_of(planned)),
        n(planned.integer("bytes") / std::int64_t(sizeof(T))),
        a(allocate("a", true)),
        b(allocate("b", reads_two_arrays(op))),
        c(allocate("c", op != Op::dot)),
        sum(Kokkos::view_alloc(exec, "tilestride::stream::sum")) {
    for (auto const& [array, salt] : {std::pair(a, 1), std::pair(b, 2)}) {
      auto const extent = static_cast<std::int64_t>(array.extent(0));
      if (op == Op::dot)
        fill(exec, array.data(), extent, CoarseValues<T>{std::uint64_t(salt)});
      else
        fill(exec, array.data(), extent, Values<T>{std::uint64_t(salt)});
    }
    poison();
  }

  void poison() const {
    tilestride::poison(exec, c.data(), static_cast<std::int64_t>(c.extent(0)));
    tilestride::poison(exec, sum.data(), 1);
  }

  Check verify() const {
    if (op == Op::dot) return verify_sum();
    return check_all(exec, n, IsResult{c.data(), op}, "every element exactly");
  }

  std::vector<Yardstick> yardsticks() const {
    if (op != Op::dot) return {copy_yardstick(exec, c.data(), a.data(), n * std::int64_t(sizeof(T)))};
    Array const elsewhere = allocate("yardstick", true);  // dot has no output to copy to
    Yardstick yardstick = copy_yardstick(exec, elsewhere.data(), a.data(), n * std::int64_t(sizeof(T)));
    yardstick.run = [elsewhere, run = yardstick.run] { run(); };
    return {yardstick};
  }

  Arguments native_arguments(Case const&) const { return {op, a.data(), b.data(), c.data(), sum.data(), n}; }

  /// Independent of the kernels: from the index alone.
  struct IsResult {
    T const* c;
    Op op;
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      T const x = value_at<T>(1, i);
      T const y = value_at<T>(2, i);
      T const s = scalar<T>;
      return c[i] == (op == Op::copy ? x : op == Op::scale ? s * x : op == Op::add ? x + y : x + s * y);
    }
  };

  /// The same sum by other means: f64, in which all terms are integers of 1/64 and no order rounds.
  struct ExpectedTerm {
    KOKKOS_FUNCTION void operator()(std::int64_t i, double& partial) const {
      partial += static_cast<double>(coarse_value_at<T>(1, i)) * static_cast<double>(coarse_value_at<T>(2, i));
    }
  };

 private:
  Array allocate(std::string const& name, bool wanted) const {
    return Array(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "tilestride::stream::" + name),
                 static_cast<std::size_t>(wanted ? n : 0));
  }

  Check verify_sum() const {
    T found{};
    Kokkos::deep_copy(exec, found, sum);
    exec.fence("tilestride::stream::verify");
    double expected = 0;
    Kokkos::parallel_reduce("tilestride::stream::verify",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n), ExpectedTerm{},
                            expected);
    Check check{static_cast<double>(found) == expected, static_cast<double>(n), 0, "the sum of all terms exactly"};
    if (!check.passed) {
      check.wrong = 1;
      check.detail += fmt::format("; got {}, expected {}", found, expected);
    }
    return check;
  }
};

}  // namespace tilestride::stream
