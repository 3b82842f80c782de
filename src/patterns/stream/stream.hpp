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

#include "harness/prepare.hpp"
#include "harness/values.hpp"
#include "harness/yardsticks.hpp"
#include "patterns/stream/native.hpp"
#include "patterns/stream/operations.hpp"

namespace tilestride {

template <class Space, class T>
struct Stream {
  using Exec = Space;
  using Element = T;
  using NativeArguments = StreamArguments;
  using Array = Kokkos::View<T*, Exec>;

  Exec exec;
  std::string op;
  std::int64_t n;
  Array a, b, c;  ///< n elements; b and c only where the operation has them
  Kokkos::View<T, Exec> sum;

  Stream(Exec const& instance, Case const& planned)
      : exec(instance),
        op(planned.choice("op")),
        n(planned.find("bytes")->n[0] / std::int64_t(sizeof(T))),
        a(allocate("a", true)),
        b(allocate("b", op == "add" || op == "triad" || op == "dot")),
        c(allocate("c", op != "dot")),
        sum(Kokkos::view_alloc(exec, "tilestride::stream::sum")) {
    for (auto const& [array, salt] : {std::pair(a, 1), std::pair(b, 2)}) {
      auto const extent = static_cast<std::int64_t>(array.extent(0));
      if (op == "dot")
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
    if (op == "dot") return verify_sum();
    return check_all(exec, n, IsResult{c.data(), op[0]}, "every element exactly");
  }

  std::vector<Yardstick> yardsticks() const {
    if (op != "dot") return {copy_yardstick(exec, c.data(), a.data(), n * std::int64_t(sizeof(T)))};
    Array const elsewhere = allocate("yardstick", true);  // dot has no output to copy to
    Yardstick yardstick = copy_yardstick(exec, elsewhere.data(), a.data(), n * std::int64_t(sizeof(T)));
    yardstick.run = [elsewhere, run = yardstick.run] { run(); };
    return {yardstick};
  }

  NativeArguments native_arguments() const { return {op, a.data(), b.data(), c.data(), sum.data(), n}; }

  /// Calls body with the Operation of this case.
  template <class Body>
  void with_op(Body const& body) const {
    if (op == "copy") body(Operation<CopyOp, T>(a.data(), b.data()));
    if (op == "scale") body(Operation<ScaleOp, T>(a.data(), b.data()));
    if (op == "add") body(Operation<AddOp, T>(a.data(), b.data()));
    if (op == "triad") body(Operation<TriadOp, T>(a.data(), b.data()));
    if (op == "dot") body(Operation<DotOp, T>(a.data(), b.data()));
  }

  /// Independent of the kernels: from the index alone.
  struct IsResult {
    T const* c;
    char op;  ///< first letter
    KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
      T const x = value_at<T>(1, i);
      T const y = value_at<T>(2, i);
      T const s = stream_scalar<T>;
      return c[i] == (op == 'c' ? x : op == 's' ? s * x : op == 'a' ? x + y : x + s * y);
    }
  };

  /// The same sum by other means: f64, in which all terms are integers of 1/64 and no order rounds.
  struct ExpectedTerm {
    KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const {
      sum += static_cast<double>(coarse_value_at<T>(1, i)) * static_cast<double>(coarse_value_at<T>(2, i));
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

}  // namespace tilestride
