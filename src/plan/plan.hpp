// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Deck x catalogue -> an ordered list of cases and the rules that judge them. Everything that can be wrong with a deck
// is found here, before anything is allocated.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "deck/deck.hpp"
#include "plan/pattern.hpp"

namespace tilestride {

struct Sampling {
  int min_samples = 10;
  double max_time = 2;    ///< seconds of sampling, per case
  double spread = 0.005;  ///< stop when the median's interval is within this share of it
  bool cold = false;      ///< caches flushed, untimed, before each sample

  bool operator==(Sampling const& o) const {
    return min_samples == o.min_samples && max_time == o.max_time && spread == o.spread && cold == o.cold;
  }
};

/// One measurement: one variant of one pattern on one execution space with one value for every key.
struct Case {
  Pattern const* pattern = nullptr;
  Variant const* variant = nullptr;
  std::string space;
  Type type = Type::f32;
  std::vector<Value> values;
  Sampling sampling;
  std::string skip;         ///< why this build cannot run it; empty: it can
  int multiprocessors = 0;  ///< of the device that it runs on; 0 on hosts, and before that is known

  /// "transpose/padded/cuda/f32/4096x4096/tile=32": stable, and unique within a plan.
  std::string name() const;
  /// What the variants of one problem share: the name without the variant and its own keys.
  std::string problem() const;

  Model model(Ceilings const& ceilings) const;    ///< the variant's own, or else the pattern's
  Value const* find(std::string_view key) const;  ///< null when this case has no such key
  std::int64_t integer(std::string_view key) const { return find(key)->n[0]; }
  std::array<std::int64_t, 3> const& shape() const { return find("shape")->n; }
  std::string const& choice(std::string_view key) const;
};

/// One comparison that a rule asks for: the best of `cases` against the best of `of`.
struct Contest {
  std::vector<std::size_t> cases;
  std::vector<std::size_t> of;  ///< empty unless the rule compares cases with cases
};

struct Rule {
  enum class Of { cases, bound, model, file, absolute };
  Position at;
  std::string text;  ///< in one line, for the report
  Of of = Of::absolute;
  std::string file;     ///< Of::file: a result document, relative to the deck
  double at_least = 0;  ///< a ratio; Of::absolute: B/s or FLOP/s
  bool optional = false;
  std::string why;
  std::vector<Contest> contests;
};

struct RunSettings {
  std::string title;
  double budget = 0;  ///< seconds; 0: no limit
  std::int64_t seed = 1;
};

struct Plan {
  RunSettings run;
  std::vector<Case> cases;
  std::vector<std::vector<std::size_t>> groups;  ///< cases of one problem, which are sampled in alternation
  std::vector<Rule> rules;
  std::string resolved;  ///< the deck with every default filled in and the origin of each value; gives the same plan
};

/// The execution spaces of this build, and which of them a deck means when it names none.
struct Build {
  std::vector<std::string> spaces;
  std::string default_space;
};

/// All names that a deck may use for a space, built in or not.
std::vector<std::string> const& known_spaces();

/// Whether a space of that name runs on the cores of the host: no warps, no banks, caches of its own.
bool is_host_space(std::string const& space);

/// Plans a deck. Every mistake is appended to `mistakes`; the plan is complete only when there are none.
/// `only`: keep the cases whose name contains this text.
Plan make_plan(Deck const& deck, Catalogue const& catalogue, Build const& build, std::string const& only,
               std::vector<Mistake>& mistakes);

/// More than this many cases are a slip of the pen (a range without a factor, say), not a plan.
constexpr std::size_t most_cases = 1'000'000;

}  // namespace tilestride
