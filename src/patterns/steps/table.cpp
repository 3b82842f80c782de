// SPDX-License-Identifier: BSD-3-Clause
#include "model/spaces.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/steps/chains.hpp"
#include "patterns/steps/guarded.hpp"
#include "patterns/steps/places.hpp"
#include "patterns/steps/remainder.hpp"
#include "patterns/steps/rows.hpp"
#include "portable/host_space.hpp"

namespace tilestride::steps {
namespace {

template <class Kernel, class... Ts>
Trial kernel(Bench& bench, Case const& c) {
  return with_host_space(c, "a device's threads hide what a step of one of them waits for", [&](auto space) {
    using Exec = typename decltype(space)::type;
    return with_type<Ts...>(
        c.type, [&](auto type) { return prepare_on<Steps<Exec, typename decltype(type)::type>, Kernel>(bench, c); });
  });
}

template <class Kernel>
constexpr Prepare of_numbers = kernel<Kernel, float, double, std::int32_t>;

/// Additions of integers may be done in any order, and then none waits.
template <class Kernel>
Trial of_reals(Bench& bench, Case const& c) {
  if (c.type == Type::i32) return skipped(SkipReason::not_applicable, "only what rounds has to be done in order");
  return kernel<Kernel, float, double>(bench, c);
}

std::string refuse(Case const& c) {
  if (c.integer("passes") % 2 == 0) return "every second pass undoes what the one before it did: passes is odd";
  if (c.integer("passes") > 1'000'000) return "at most a million passes";
  return "";
}

double needs(Case const& c) { return 2.0 * c.hardware.threads * square * static_cast<double>(size_of(c.type)); }

/// Of all threads together.
Work work(Case const& c) {
  return {0, 0, static_cast<double>(c.hardware.threads) * static_cast<double>(c.integer("passes") * square)};
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "steps";
  p.meaning = "loops over a square in a host's first cache: what does a step cost?";
  p.types = {Type::f32, Type::f64, Type::i32};
  p.figure = Figure::latency;
  p.formula = "none: a cost is measured, the time of all threads for each step of any";
  p.keys = {{"passes", KeyKind::integer, "255", {}, "over the square of 32 x 32 elements that each thread has; odd"}};
  p.variants = {
      portable("add", "sum += x: each addition waits for the one before it", of_reals<Add>),
      portable("multiply_add", "x = a x + b likewise", of_reals<MultiplyAdd>),
      portable("update", "a row of 32 sums += x times a row, its length known to the compiler",
               of_numbers<Update<KnownRows>>),
      portable("update_some", "the same, its length known at run time", of_numbers<Update<Rows>>),
      portable("update_strided", "the same, the elements of the other row a row apart",
               of_numbers<Update<StridedRows>>),
      portable("guarded", "x[i] += x[i + n] where i < n: a test for each element", of_numbers<Guarded>),
      portable("placed", "out[i] = in[i - i % 4], i found from the row of a block and a place in it",
               of_numbers<Placed>),
      portable("chained", "out[i] += in[i], then i = (i + 1) % n: each place waits for the one before it",
               of_numbers<Chained>),
      portable("remainder", "a test of i % n, n known at run time, for each element", of_numbers<Remainder>),
  };
  p.on_hosts = "what it is about; on devices it has no meaning";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = no_model;
  return p;
}

}  // namespace tilestride::steps
