// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The keys of a deck beside those of the patterns, as data: the reader goes by it, and `list --json` prints it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plan/plan.hpp"
#include "plan/section.hpp"

namespace tilestride {

/// The schema of decks that this program reads.
constexpr int deck_schema = 1;

struct Setting {
  enum class Kind {
    text,
    flag,
    whole,     ///< a whole number
    share,     ///< a number
    duration,  ///< "2 s"
    choice,    ///< one of `choices`
    words,     ///< one or a list of `choices`
    special,   ///< what it takes follows from the pattern: `what` says it
  };
  std::string name;
  Kind kind;
  std::string meaning;
  std::string what{};          ///< special
  double least = 0, most = 0;  ///< numbers
  Names choices{};

  /// What it takes, in words: "a whole number from 3 to 1000000".
  std::string takes() const;
};
using Settings = std::vector<Setting>;
std::string_view name_of(Setting::Kind kind);

/// A setting with the member of T that it sets.
template <class T>
struct MemberSetting : Setting {
  std::variant<std::string T::*, bool T::*, int T::*, std::int64_t T::*, double T::*, Names T::*> member;
};
template <class T>
using MemberSettings = std::vector<MemberSetting<T>>;

MemberSettings<RunSettings> const& run_settings();
MemberSettings<Sampling> const& sampling_settings();
Settings const& case_settings();              ///< beside the pattern's keys and those of sampling
Settings const& range_settings();             ///< of { from = 1, to = 64, times = 2 }
Settings const& selector_settings();          ///< by which an [[expect]] selects cases, beside the pattern's keys
Settings const& comparison_settings();        ///< what an [[expect]] compares
MemberSettings<Rule> const& rule_settings();  ///< the others of an [[expect]]

Setting const& find_setting(Settings const& settings, std::string_view name);

/// A table of a deck.
struct DeckTable {
  std::string name;
  bool repeated;  ///< [[name]]
  std::string meaning;
};
std::vector<DeckTable> const& deck_tables();

void check_schema(Section const& deck);
RunSettings read_run(Section const& deck);
/// [sampling]: the defaults for each [[case]].
Sampling read_default_sampling(Section const& deck);

/// Reads those of the settings that the section has. Names are not checked, since a section may also have other keys.
template <class T>
void read_settings(Section const& section, MemberSettings<T> const& settings, T& to);

/// The value of a setting as a deck writes it; nothing where none is set.
template <class T>
std::optional<std::string> value_text(MemberSetting<T> const& setting, T const& from);

}  // namespace tilestride
