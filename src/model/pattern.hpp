// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The description of a pattern, as data: its keys, its variants, and a few pure functions of one case. The plan checks
// decks against it, `list` prints it, and the report uses it. No Kokkos here.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilestride {

struct Case;
struct Pattern;
struct Result;
struct Trial;
class Bench;

enum class Type { f32, f64, i32 };
std::string_view name_of(Type type);
std::int64_t size_of(Type type);  ///< bytes

enum class KeyKind { choice, integer, bytes, shape };

/// A parameter that a deck can set.
struct Key {
  std::string name;
  KeyKind kind;
  std::string fallback;  ///< the default, as a deck would write it
  std::vector<std::string>
      choices;  ///< choice, integer: all allowed values (integer: empty means any from 1); shape: the axes
  std::string meaning;
  std::int64_t least = 1;  ///< integer without choices: the smallest that is allowed
};

/// The value of a key in one case.
struct Value {
  Key const* key = nullptr;
  std::array<std::int64_t, 3> n{};  ///< choice: index into choices; integer, bytes: the number; shape: the extents
  std::int64_t percent = 0;         ///< bytes given as a share of the memory they live in (then n[0] is 0)

  std::string text() const;  ///< as in the name of a case
};

/// What the algorithm must move and compute, as is usual in the field: cache traffic is not counted.
struct Work {
  double bytes = 0;  ///< read + written
  double flops = 0;
  double operations = 0;  ///< dependent operations; latency = time per operation
};

/// Arithmetic intensity: flops for a byte of global memory.
struct Intensity {
  double ideal = 0;                   ///< of the bytes that the algorithm must move: Work::bytes
  std::optional<double> requested{};  ///< of those that the kernel's loads and stores ask for; none: not known
};

/// What is compared: work per second, and how it is printed.
enum class Figure {
  bandwidth,  ///< GB/s of Work::bytes
  compute,    ///< GFLOP/s of Work::flops
  latency,    ///< ns for one of Work::operations
};
std::string_view unit_of(Figure figure);
std::string_view name_of(Figure figure);  ///< "bandwidth", "compute", "latency"

/// Named numbers, in the order of printing.
using Quantities = std::vector<std::pair<std::string, double>>;

/// What the machine can reach, measured in the same run, in alternation with the cases; 0 where not measured.
struct Ceilings {
  double copy = 0;     ///< B/s, read + written, of a copy of as many bytes
  double fma = 0;      ///< FLOP/s of fused multiply-adds that use only registers
  double scratch = 0;  ///< team-scratch (shared memory) wavefronts per second over the whole device
  double read = 0;     ///< B/s of reading as many bytes, without writing
  double clock = 0;    ///< Hz of one multiprocessor, which serves one wavefront per cycle; 0 on hosts
  std::map<std::string, double> by_name{};  ///< the rates of all yardsticks, the pattern's included
};

/// What theory predicts for a case. A case can be faster because of caches or units that the model does not include.
struct Model {
  double seconds = 0;   ///< 0: no model (a ceiling it needs was not measured)
  std::string limiter;  ///< what sets it: "copy", "read", "fma", "scratch", "memory", "constant", …
};

/// Of two limits the one that takes longer; the first where both take as long.
inline Model slower_of(Model const& one, Model const& other) { return other.seconds > one.seconds ? other : one; }

/// Makes one variant ready to run over the bench's problem.
using Prepare = Trial (*)(Bench&, Case const&);

using ModelOf = Model (*)(Case const&, Ceilings const&);
using WorkOf = Work (*)(Case const&);
using AmountOf = double (*)(Case const&);  ///< bytes or flops
using QuantitiesOf = Quantities (*)(Case const&);

/// The role of a variant.
enum class Role {
  portable,  ///< a solution in Kokkos
  hybrid,    ///< Kokkos kernels on a device configured by raw CUDA
  native,    ///< the same in raw CUDA: its cost without Kokkos
  bound,     ///< does less than the problem requires, to show an upper limit
  library,   ///< a vendor's or other library, for comparison
};
std::string_view name_of(Role role);

/// One row of a pattern's table. Where a function is null, that of the pattern is used.
struct Variant {
  std::string name;
  std::string meaning;
  Role role = Role::portable;
  Prepare prepare = nullptr;
  std::vector<std::string> keys{};  ///< the keys of this variant that not all variants have
  std::string twin{};               ///< native: the Kokkos variant with the same algorithm
  std::string parts{};              ///< hybrid: what is Kokkos, and what is raw CUDA
  bool matrix_units = false;        ///< it may compute faster than multiply-adds do
  std::string not_on_hosts{};       ///< why the idea has no meaning on a host; empty: it has one
  ModelOf model = nullptr;
  WorkOf work = nullptr;
  AmountOf needs = nullptr;      ///< bytes of the space's memory, in total
  AmountOf computed = nullptr;   ///< flops computed where the other results follow from them (symmetry)
  AmountOf requested = nullptr;  ///< bytes that its loads and stores of global memory ask for, whatever caches do
  AmountOf fetched = nullptr;    ///< bytes that it reads from memory where caches are empty at its start; 0: not known
  QuantitiesOf predict = nullptr;  ///< predicted values of hardware counters

  Variant with_keys(std::vector<std::string> names) && { return keys = std::move(names), std::move(*this); }
  Variant with_model(ModelOf f) && { return model = f, std::move(*this); }
  Variant with_work(WorkOf f) && { return work = f, std::move(*this); }
  Variant with_needs(AmountOf f) && { return needs = f, std::move(*this); }
  Variant with_computed(AmountOf f) && { return computed = f, std::move(*this); }
  Variant with_requested(AmountOf f) && { return requested = f, std::move(*this); }
  Variant with_fetched(AmountOf f) && { return fetched = f, std::move(*this); }
  Variant with_predict(QuantitiesOf f) && { return predict = f, std::move(*this); }
  Variant on_matrix_units() && { return matrix_units = true, std::move(*this); }
  Variant twin_of(std::string variant) && { return twin = std::move(variant), std::move(*this); }
  Variant only_on_devices(std::string reason) && { return not_on_hosts = std::move(reason), std::move(*this); }
};

// The rows, by role. Arguments: name, meaning, how it is prepared. A hybrid also has its parts: "Kokkos kernel; L2
// window by raw CUDA".
inline Variant portable(std::string name, std::string meaning, Prepare prepare) {
  return {std::move(name), std::move(meaning), Role::portable, prepare};
}
inline Variant hybrid(std::string name, std::string meaning, std::string parts, Prepare prepare) {
  Variant variant{std::move(name), std::move(meaning), Role::hybrid, prepare};
  variant.parts = std::move(parts);
  return variant;
}
inline Variant native(std::string name, std::string meaning, Prepare prepare) {
  return {std::move(name), std::move(meaning), Role::native, prepare};
}
inline Variant bound(std::string name, std::string meaning, Prepare prepare) {
  return {std::move(name), std::move(meaning), Role::bound, prepare};
}
inline Variant library(std::string name, std::string meaning, Prepare prepare) {
  return {std::move(name), std::move(meaning), Role::library, prepare};
}

/// A figure published by a tutorial, printed beside that of the same kernel here.
struct Published {
  std::string variant;                                    ///< the tutorial's own kernel, not a better one
  Type type;                                              ///< of the tutorial
  std::vector<std::pair<std::string, std::string>> keys;  ///< that a case must have for the comparison
  double value;
  std::string unit;    ///< "GB/s" of Work::bytes, "us" for the whole kernel, or "x": times as fast as `over`
  std::string device;  ///< the GPU that the tutorial names
  std::string over{};  ///< of a ratio: the variant of the same problem that it compares with
  bool peak = false;   ///< the data sheet's figure, which no kernel was measured for
};

/// A pattern's table. Fields are assigned by name; optional fields may stay empty or null.
struct Pattern {
  std::string name;
  std::string meaning;
  std::vector<Type> types;  ///< the first is the default
  Figure figure = Figure::bandwidth;
  std::string formula;  ///< of the model, as text
  std::vector<Key> keys;
  std::vector<Variant> variants;
  std::string on_hosts;     ///< what the pattern means on a host, if it differs
  bool collective = false;  ///< ranks work on it together: each call is one of all ranks, and there must be two
  std::vector<Published> published;

  // Pure functions of a case. A variant's own functions take precedence: call those of Case.
  std::string (*refuse)(Case const&) = nullptr;  ///< why the case makes no sense; empty: it does. Null: all do
  AmountOf needs = nullptr;                      ///< bytes of the space's memory, verification included
  WorkOf work = nullptr;                         ///< of one repetition
  ModelOf model = nullptr;
  AmountOf memories = nullptr;  ///< over how many devices' memories its bytes are spread; null: one
  AmountOf from_memory =
      nullptr;  ///< those of its bytes that no cache can spare the memory, whatever it shares; null: all
  AmountOf computed = nullptr;     ///< flops computed where the other results follow from them; null: all
  AmountOf requested = nullptr;    ///< bytes that loads and stores of global memory ask for; null: not known
  AmountOf fetched = nullptr;      ///< bytes that a kernel of its own reads from memory, as above; null: not known
  QuantitiesOf predict = nullptr;  ///< predicted values of hardware counters

  // Functions of what was measured.
  std::vector<std::string> (*findings)(std::vector<Result> const&) = nullptr;  ///< sentences for the report
  Quantities (*derive)(Result const&) = nullptr;  ///< columns that follow from a time and the yardsticks beside it
  std::string (*implausible)(Result const&) = nullptr;  ///< why this time is impossible, given the yardsticks

  Variant const* find_variant(std::string_view name) const;
  Key const* find_key(std::string_view name) const;
  /// True for a key that only some variants have: it does not change the problem, only how it is solved.
  bool is_variant_key(Key const& key) const;
};

using Catalogue = std::vector<Pattern>;

}  // namespace tilestride
