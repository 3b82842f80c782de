// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a pattern says of itself, as data: its keys, its variants, and a few pure functions of one case. Everything that
// a deck is checked against, that `list` prints and that the report needs stands here; nothing here knows Kokkos.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
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
      choices;  ///< choice, integer: all that is allowed; integer: empty means any from 1; shape: the axes
  std::string meaning;
  std::int64_t least = 1;  ///< integer without choices: the smallest that is allowed
};

/// The value of a key in one case.
struct Value {
  Key const* key = nullptr;
  std::array<std::int64_t, 3> n{};  ///< choice: index into choices; integer, bytes: the number; shape: the extents
  std::int64_t percent = 0;         ///< bytes given as a share of the memory they live in (then n[0] is 0)

  std::string text() const;  ///< as it appears in the name of a case
};

/// What the algorithm must move and compute, as the field counts it: not cache traffic.
struct Work {
  double bytes = 0;  ///< read + written
  double flops = 0;
  double operations = 0;  ///< accesses or exchanges of which one waits for another: what a latency is told of
};

/// What is compared: work per second, and how it is printed.
enum class Figure {
  bandwidth,  ///< GB/s of Work::bytes
  compute,    ///< GFLOP/s of Work::flops
  latency,    ///< ns for one of Work::operations
};
std::string_view unit_of(Figure figure);
std::string_view name_of(Figure figure);  ///< "bandwidth", "compute", "latency"

/// Named numbers, in the order in which they are to be printed.
using Quantities = std::vector<std::pair<std::string, double>>;

/// What the machine can do, measured in the same run in alternation with the cases; 0 where not measured.
struct Ceilings {
  double copy = 0;     ///< B/s, read + written, of a copy of as many bytes
  double fma = 0;      ///< FLOP/s of fused multiply-adds in registers alone
  double scratch = 0;  ///< team-scratch (shared memory) wavefronts per second over the whole device
  double read = 0;     ///< B/s of reading as many bytes and writing none
  double clock = 0;    ///< Hz of one multiprocessor, which serves one wavefront a cycle; 0 on hosts
  std::map<std::string, double> by_name{};  ///< the rate of every yardstick of the bench, a pattern's own among them
};

/// What theory predicts for a case. Caches that it leaves out and units that it does not count can make a case faster.
struct Model {
  double seconds = 0;   ///< 0: no model (a ceiling it needs was not measured)
  std::string limiter;  ///< what sets it: "copy", "read", "fma", "scratch", "memory", "constant", …
};

/// Makes one variant ready to run over the bench's problem.
using Prepare = Trial (*)(Bench&, Case const&);

using ModelOf = Model (*)(Case const&, Ceilings const&);
using WorkOf = Work (*)(Case const&);
using AmountOf = double (*)(Case const&);  ///< bytes or flops
using QuantitiesOf = Quantities (*)(Case const&);

/// What a variant is among the others.
enum class Role {
  portable,  ///< one way to do it, in Kokkos
  hybrid,    ///< Kokkos kernels on a device that raw CUDA has configured
  native,    ///< the same in raw CUDA: what an idea costs without Kokkos
  bound,     ///< does less than is asked for, to show what a solution could reach
  library,   ///< somebody else's solution: the yardstick
};

/// One row of a pattern's table. Functions that are null are the pattern's.
struct Variant {
  std::string name;
  std::string meaning;
  Role role = Role::portable;
  Prepare prepare = nullptr;
  std::vector<std::string> keys{};  ///< those of the pattern's keys that only some variants have, and this one has
  std::string twin{};               ///< native: the variant in Kokkos that is written the same way
  std::string parts{};              ///< hybrid: what is Kokkos, and what is raw CUDA
  std::string not_on_hosts{};       ///< why the idea has no meaning on a host; empty: it has one
  ModelOf model = nullptr;
  WorkOf work = nullptr;
  AmountOf needs = nullptr;        ///< bytes of the space's memory, all included
  AmountOf computed = nullptr;     ///< flops that it does where it knows the others
  QuantitiesOf predict = nullptr;  ///< what hardware counters should say

  Variant with_keys(std::vector<std::string> names) && { return keys = std::move(names), std::move(*this); }
  Variant with_model(ModelOf f) && { return model = f, std::move(*this); }
  Variant with_work(WorkOf f) && { return work = f, std::move(*this); }
  Variant with_needs(AmountOf f) && { return needs = f, std::move(*this); }
  Variant with_computed(AmountOf f) && { return computed = f, std::move(*this); }
  Variant with_predict(QuantitiesOf f) && { return predict = f, std::move(*this); }
  Variant twin_of(std::string variant) && { return twin = std::move(variant), std::move(*this); }
  Variant only_on_devices(std::string reason) && { return not_on_hosts = std::move(reason), std::move(*this); }
};

// The rows, by role: name, meaning, how it is prepared; of a hybrid also its parts: "Kokkos kernel; L2 window by raw
// CUDA".
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

/// A figure that a tutorial has published, to be set beside ours.
struct Published {
  std::string variant;                                    ///< that which is written as the tutorial's kernel is
  Type type;                                              ///< of the tutorial
  std::vector<std::pair<std::string, std::string>> keys;  ///< that a case must have for the comparison
  double value;
  std::string unit;    ///< "GB/s" of Work::bytes, or "us" for the whole kernel
  std::string device;  ///< the GPU that the tutorial names
};

/// A pattern's table. Fields are assigned by name; those that may be left out are empty or null then.
struct Pattern {
  std::string name;
  std::string meaning;
  std::vector<Type> types;  ///< the first is the default
  Figure figure = Figure::bandwidth;
  std::string formula;  ///< of the model, for people
  std::vector<Key> keys;
  std::vector<Variant> variants;
  std::string on_hosts;  ///< what the idea means on a host, where it means something else
  std::vector<Published> published;

  // Pure functions of a case. Those of a variant, where it has its own, come first: ask the Case.
  std::string (*refuse)(Case const&) = nullptr;  ///< why the case makes no sense; empty: it does. Null: all do
  AmountOf needs = nullptr;                      ///< bytes of the space's memory, verification included
  WorkOf work = nullptr;                         ///< of one repetition
  ModelOf model = nullptr;
  AmountOf memories = nullptr;     ///< over how many devices' memories its bytes are spread; null: one
  AmountOf computed = nullptr;     ///< flops that are done where it knows the others; null: all
  QuantitiesOf predict = nullptr;  ///< what hardware counters should say

  // Functions of what was measured.
  std::vector<std::string> (*findings)(std::vector<Result> const&) = nullptr;  ///< sentences that a reader wants
  Quantities (*derive)(Result const&) = nullptr;  ///< columns that follow from a time and the yardsticks beside it
  std::string (*implausible)(Result const&) = nullptr;  ///< why this time cannot be, for yardsticks such as these

  Variant const* find_variant(std::string_view name) const;
  Key const* find_key(std::string_view name) const;
  /// True for a key that only some variants have: it does not change the problem, only how it is solved.
  bool is_variant_key(Key const& key) const;
};

using Catalogue = std::vector<Pattern>;

}  // namespace tilestride
