// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a pattern says of itself, as data: its keys, its variants, and a few pure functions of one case. Everything that
// a deck is checked against, that `list` prints and that the report needs stands here; nothing here knows Kokkos.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
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
};

/// What the machine can do, measured in the same run in alternation with the cases; 0 where not measured.
struct Ceilings {
  double copy = 0;     ///< B/s, read + written, of a copy of as many bytes
  double fma = 0;      ///< FLOP/s of fused multiply-adds in registers alone
  double scratch = 0;  ///< team-scratch (shared memory) wavefronts per second over the whole device
};

/// What theory predicts for a case. Caches that it leaves out and units that it does not count can make a case faster.
struct Model {
  double seconds = 0;   ///< 0: no model (a ceiling it needs was not measured)
  std::string limiter;  ///< what sets it: "copy", "fma", "scratch", "memory"
};

/// Makes one variant ready to run over the bench's problem.
using Prepare = Trial (*)(Bench&, Case const&);

using ModelOf = Model (*)(Case const&, Ceilings const&);

/// What a variant is among the others.
enum class Role {
  solution,  ///< one way to do it
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
};

struct Pattern {
  std::string name;
  std::string meaning;
  std::vector<Type> types;
  std::string figure;   ///< what is compared: "GB/s" (of bytes) or "GFLOP/s" (of flops)
  std::string formula;  ///< of the model, for people
  std::vector<Key> keys;
  std::vector<Variant> variants;
  std::string (*refuse)(Case const&);  ///< why the case makes no sense; empty: it does. Null: all do
  double (*needs)(Case const&);        ///< bytes of the space's memory, verification included
  Work (*work)(Case const&);           ///< of one repetition
  ModelOf model;
  std::vector<std::string> (*findings)(
      std::vector<Result> const&);  ///< sentences a reader wants, from this pattern's results

  std::string refusal(Case const& c) const { return refuse == nullptr ? "" : refuse(c); }
  Variant const* find_variant(std::string_view name) const;
  Key const* find_key(std::string_view name) const;
  /// True for a key that only some variants have: it does not change the problem, only how it is solved.
  bool is_variant_key(Key const& key) const;
};

using Catalogue = std::vector<Pattern>;

}  // namespace tilestride
