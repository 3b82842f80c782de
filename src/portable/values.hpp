// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Input data that can be recomputed from the index, and the comparison of every output element.

#include <fmt/format.h>

#include <Kokkos_BitManipulation.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "model/trial.hpp"
#include "portable/spaces.hpp"

namespace tilestride {

/// The finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): a bijection that looks random.
KOKKOS_INLINE_FUNCTION std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Element `index` of input number `salt`: a real in [-1, 1), a multiple of 2^-23 or 2^-52, or an integer in
/// [-1000, 1000).
template <class T>
KOKKOS_INLINE_FUNCTION T value_at(std::uint64_t salt, std::int64_t index) {
  std::uint64_t const bits = scramble((salt << 56) ^ static_cast<std::uint64_t>(index));
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(bits % 2000) - 1000;
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(bits >> 40) * static_cast<T>(0x1p-23) - 1;
  else
    return static_cast<T>(bits >> 11) * static_cast<T>(0x1p-52) - 1;
}

/// One of -7/8, -6/8, … 7/8 (-7 … 7 for integers). The mean is 0 and products are multiples of 1/64, so that a sum of n
/// of them stays near 0.3 sqrt(n): in f32 it is exact, in any order, while it is below 2^18, which is six deviations at
/// n = 2e10.
template <class T>
KOKKOS_INLINE_FUNCTION T coarse_value_at(std::uint64_t salt, std::int64_t index) {
  int const step = static_cast<int>(scramble((salt << 56) ^ static_cast<std::uint64_t>(index)) % 15) - 7;
  return std::is_integral_v<T> ? static_cast<T>(step) : static_cast<T>(step) / 8;
}

/// The two above as functions of the index alone. (Structs, since nvcc takes no device lambda from a constructor.)
template <class T>
struct Values {
  std::uint64_t salt;
  KOKKOS_FUNCTION T operator()(std::int64_t index) const { return value_at<T>(salt, index); }
};

/// Reals of magnitude 1 to 2 whose mantissas are full: the last bit is set.
template <class T>
struct FullValues {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::uint64_t salt;
  KOKKOS_FUNCTION T operator()(std::int64_t index) const {
    constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
    auto const random = static_cast<Bits>(scramble((salt << 56) ^ static_cast<std::uint64_t>(index)));
    Bits const fraction = (random & ((Bits(1) << mantissa) - 1)) | 1;
    T const magnitude = Kokkos::bit_cast<T>(Kokkos::bit_cast<Bits>(T(1)) | fraction);
    return (random >> mantissa & 1) != 0 ? -magnitude : magnitude;
  }
};

template <class T>
struct CoarseValues {
  std::uint64_t salt;
  KOKKOS_FUNCTION T operator()(std::int64_t index) const { return coarse_value_at<T>(salt, index); }
};

template <class T>
struct Constant {
  T value;
  KOKKOS_FUNCTION T operator()(std::int64_t) const { return value; }
};

/// The content of an output before a kernel writes it. No input and no result has this value.
template <class T>
constexpr T poison_value() {
  if constexpr (std::is_integral_v<T>)
    return std::numeric_limits<T>::min();
  else
    return std::numeric_limits<T>::quiet_NaN();
}

// Several sources instantiate fill and check_all for the same types. nvcc calls the host version of a KOKKOS_LAMBDA
// through a pointer that is local to each source. If the linker keeps functions from different sources, that pointer
// can be null. So kernels that several sources share are functors.

template <class T, class Function>
struct Fill {
  T* data;
  Function value;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { data[i] = value(i); }
};

/// data[i] = value(i) for i in [0, n).
template <class Exec, class T, class Function>
void fill(Exec const& exec, T* data, std::int64_t n, Function const& value) {
  Kokkos::parallel_for("tilestride::fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                       Fill<T, Function>{data, value});
}

template <class Exec, class T>
void poison(Exec const& exec, T* data, std::int64_t n) {
  fill(exec, data, n, Constant<T>{poison_value<T>()});
  exec.fence("tilestride::poison");
}

template <class Predicate>
struct CountWrong {
  Predicate right;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& count, std::int64_t& lowest) const {
    if (right(i)) return;
    ++count;
    if (i < lowest) lowest = i;
  }
};

/// Counts the i in [0, n) for which right(i) is false, on the device, and finds the first of them.
template <class Exec, class Predicate>
Check check_all(Exec const& exec, std::int64_t n, Predicate const& right, std::string bound) {
  std::int64_t wrong = 0;
  std::int64_t first = 0;
  Kokkos::parallel_reduce("tilestride::verify", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                          CountWrong<Predicate>{right}, wrong, Kokkos::Min<std::int64_t>(first));
  exec.fence("tilestride::verify");
  Check check{wrong == 0, static_cast<double>(n), static_cast<double>(wrong), std::move(bound)};
  if (wrong != 0) check.detail += fmt::format("; {} of {} wrong, the first at {}", wrong, n, first);
  return check;
}

/// How far a result that rounds is from its reference.
struct Error {
  double deviation;    ///< in units of the standard deviation that rounding is expected to cause
  double share;        ///< of the element's bound; NaN where the result is none
  double allowed = 1;  ///< how many times the bound an element may have that has more errors than those of rounding
};

/// Variance of one rounding to nearest with unit roundoff u, relative to the square of the rounded value. The error is
/// uniform over an interval of 2u·2^e, 2^e <= |x| < 2^(e+1): its variance is u²·4^e/3, and x²/4^e has the mean 1/0.541
/// where mantissas are spread like those of products and sums (uniform in their logarithm).
constexpr double rounding_variance = 0.541 / 3;

/// The largest rms of n deviations that is no mistake. Their mean square is 1 at most, with a deviation of 2.5/√n (a
/// sum of normal errors whose variances differ from path to path): eight of these, and a quarter for mantissas that are
/// spread otherwise.
inline double most_rms(std::int64_t n) { return 1.25 + 20 / std::sqrt(static_cast<double>(n)); }

template <class ErrorOf>
struct SumErrors {
  ErrorOf error;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& wrong, std::int64_t& lowest, double& worst,
                                  double& squares, double& judged) const {
    Error const e = error(i);
    if (!(e.share <= e.allowed)) {
      ++wrong;
      if (i < lowest) lowest = i;
    }
    if (e.share > worst) worst = e.share;
    squares += e.deviation * e.deviation;
    judged += e.deviation / e.allowed * (e.deviation / e.allowed);
  }
};

/// Every element within its bound, and the rms of all errors what rounding explains, or what is allowed beside.
/// error(i) is the Error of element i.
template <class Exec, class ErrorOf>
Check check_rounded(Exec const& exec, std::int64_t n, ErrorOf const& error, std::string bound) {
  std::int64_t wrong = 0, first = 0;
  double worst = 0, squares = 0, judged = 0;
  Kokkos::parallel_reduce("tilestride::verify", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                          SumErrors<ErrorOf>{error}, wrong, Kokkos::Min<std::int64_t>(first),
                          Kokkos::Max<double>(worst), squares, judged);
  exec.fence("tilestride::verify");
  auto const count = static_cast<double>(n);
  double const rms = std::sqrt(squares / count), share = std::sqrt(judged / count) / most_rms(n);
  Check check{wrong == 0 && share <= 1, static_cast<double>(n), static_cast<double>(wrong), std::move(bound)};
  if (std::isfinite(worst) && std::isfinite(rms)) check.accuracy = Accuracy{worst, rms / most_rms(n)};
  if (wrong != 0)
    check.detail += fmt::format("; {} of {} wrong, the first at {}", wrong, n, first);
  else if (!check.passed)
    check.detail += fmt::format("; the rms error is {:.3g} times what rounding explains", share);
  return check;
}

}  // namespace tilestride
