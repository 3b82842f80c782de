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
#include "portable/memory.hpp"
#include "portable/prepare.hpp"
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
  Memory memory{"tilestride::stream"};
  Array a, b, c;  ///< n elements; b and c only where the operation has them
  Kokkos::View<T, Exec> sum;

  Stream(Exec const& instance, Case const& planned)
      : exec(instance),
        op(op_of(planned)),
        n(planned.integer("bytes") / std::int64_t(sizeof(T))),
        a(input("a", 1, n)),
        b(input("b", 2, reads_two_arrays(op) ? n : 0)),
        c(memory.output<Array>(exec, "c", op == Op::dot ? 0 : n)),
        sum(memory.output<Array>(exec, "sum", op == Op::dot ? 1 : 0).data()) {}

  Check verify() const {
    if (op == Op::dot) return verify_sum();
    return check_all(exec, n, IsResult{c.data(), op}, "every element exactly");
  }

  std::vector<Yardstick> yardsticks() const {
    if (op != Op::dot) return {copy_yardstick(exec, c.data(), a.data(), n * std::int64_t(sizeof(T)))};
    Array const elsewhere("tilestride::stream::yardstick",
                          static_cast<std::size_t>(n));  // dot has no output to copy to
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
  Array input(std::string const& name, std::uint64_t salt, std::int64_t extent) const {
    if (op == Op::dot) return memory.input<Array>(exec, name, extent, CoarseValues<T>{salt});
    return memory.input<Array>(exec, name, extent, Values<T>{salt});
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
