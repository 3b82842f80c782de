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

/// What a variant is among the others.
enum class Role {
  solution,  ///< one way to do it, portable
  native,    ///< the same in raw CUDA: what an idea costs without Kokkos
  bound,     ///< does less than is asked for, to show what a solution could reach
  library,   ///< somebody else's solution: the yardstick
};

struct Variant {
  std::string name;
  std::string meaning;
  Role role;
  Prepare prepare;
  std::vector<std::string> keys;  ///< those of the pattern's keys that only some variants have, and this one has
  ModelOf model = nullptr;        ///< where theory allows this variant something else than the pattern's
  std::string twin{};             ///< native: the portable variant that is written the same way
  std::string not_on_hosts{};     ///< why the idea has no meaning where there are no warps and no banks; empty: it has

  Variant twin_of(std::string variant) && {
    twin = std::move(variant);
    return std::move(*this);
  }
  Variant only_on_devices(std::string reason) && {
    not_on_hosts = std::move(reason);
    return std::move(*this);
  }
};

/// A figure that a tutorial quotes, to be set beside ours.
struct Quoted {
  std::string variant;                                    ///< that which is written as the tutorial's kernel is
  Type type;                                              ///< of the tutorial
  std::vector<std::pair<std::string, std::string>> keys;  ///< that a case must have for the comparison
  double value;
  std::string unit;    ///< "GB/s" of Work::bytes, or "us" for the whole kernel
  std::string device;  ///< the GPU that the tutorial names
};

struct Pattern {
  std::string name;
  std::string meaning;
  std::vector<Type> types;
  Figure figure;
  std::string formula;  ///< of the model, for people
  std::vector<Key> keys;
  std::vector<Variant> variants;
  std::string (*refuse)(Case const&);  ///< why the case makes no sense; empty: it does. Null: all do
  double (*needs)(Case const&);        ///< bytes of the space's memory, verification included
  Work (*work)(Case const&);           ///< of one repetition
  ModelOf model;
  std::vector<std::string> (*findings)(
      std::vector<Result> const&);               ///< sentences a reader wants, from this pattern's results
  std::string on_hosts{};                        ///< what the idea means on a host, where it means something else
  Quantities (*predict)(Case const&) = nullptr;  ///< what hardware counters should say; null: nothing is predicted
  std::vector<Quoted> quoted{};
  Quantities (*derive)(Result const&) = nullptr;  ///< columns that follow from a time and the yardsticks beside it
  std::string (*implausible)(Result const&) = nullptr;  ///< why this time cannot be, for yardsticks such as these
  double (*memories)(Case const&) = nullptr;  ///< over how many devices' memories its bytes are spread; null: one
  double (*computed)(Case const&) = nullptr;  ///< flops that a variant does where it knows the others; null: all

  std::string refusal(Case const& c) const { return refuse == nullptr ? "" : refuse(c); }
  Quantities predictions(Case const& c) const { return predict == nullptr ? Quantities{} : predict(c); }
  double memories_of(Case const& c) const { return memories == nullptr ? 1 : memories(c); }
  double computed_flops(Case const& c) const { return computed == nullptr ? work(c).flops : computed(c); }
  Variant const* find_variant(std::string_view name) const;
  Key const* find_key(std::string_view name) const;
  /// True for a key that only some variants have: it does not change the problem, only how it is solved.
  bool is_variant_key(Key const& key) const;
};

using Catalogue = std::vector<Pattern>;

}  // namespace tilestride
