// SPDX-License-Identifier: BSD-3-Clause
#include "plan/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace tilestride {

using Kind = Setting::Kind;

namespace {

// The rows, by what they take.
Setting plain(std::string name, Kind kind, std::string meaning) { return {std::move(name), kind, std::move(meaning)}; }
Setting number(std::string name, Kind kind, std::string meaning, double least, double most) {
  return {std::move(name), kind, std::move(meaning), "", least, most};
}
Setting listed(std::string name, Kind kind, std::string meaning, Names choices) {
  return {std::move(name), kind, std::move(meaning), "", 0, 0, std::move(choices)};
}
Setting special(std::string name, std::string meaning, std::string what) {
  return {std::move(name), Kind::special, std::move(meaning), std::move(what)};
}

}  // namespace

std::vector<DeckTable> const& deck_tables() {
  static std::vector<DeckTable> const tables{
      {"run", false, "what holds for the whole run"},
      {"sampling", false, "how long each case is sampled; a [[case]] may set its own"},
      {"case", true, "what is measured: lists and ranges of its keys multiply"},
      {"expect", true, "a rule for what was measured; the exit code is 3 when one is not met"},
  };
  return tables;
}

MemberSettings<RunSettings> const& run_settings() {
  static MemberSettings<RunSettings> const settings{
      {plain("title", Kind::text, "a name for the run, in its report"), &RunSettings::title},
      {plain("budget", Kind::duration, "time for the whole run: cases that do not fit into it are not run"),
       &RunSettings::budget},
      {number("seed", Kind::whole, "of the order in which cases are sampled", 0, 0x1p53), &RunSettings::seed},
      {plain("clean_environment", Kind::flag,
             "cases run without the environment variables that change figures although nothing in a result shows it"),
       &RunSettings::clean_environment},
      {listed("concurrency", Kind::choice,
              "of a run with --ranks: all ranks take a sample at the same time, or one after another", {"all", "one"}),
       &RunSettings::one_by_one},
      {number("slow_watch", Kind::share,
              "a rank is to be watched that is slower than the others by more than this share", 0.001, 1),
       &RunSettings::slow_watch},
      {number("slow_replace", Kind::share, "the device of a rank that is slower by this share is to be replaced", 0.001,
              1),
       &RunSettings::slow_replace},
      {listed("require", Kind::words, "spaces that must be usable: the exit code is 1 when one is not", known_spaces()),
       &RunSettings::require},
  };
  return settings;
}

MemberSettings<Sampling> const& sampling_settings() {
  static MemberSettings<Sampling> const settings{
      {number("min_samples", Kind::whole,
              "samples before the interval is first looked at; max_time may end them earlier", 3, 1e6),
       &Sampling::min_samples},
      {plain("max_time", Kind::duration, "time for the samples of a case; one that is not settled by then is noisy"),
       &Sampling::max_time},
      {number("spread", Kind::share,
              "sampling ends when the 95 % interval of the median reaches no further than this share to either side",
              1e-6, 1),
       &Sampling::spread},
      {listed("cache", Kind::choice, "cold: before each sample the caches are flushed, which is not timed",
              {"warm", "cold"}),
       &Sampling::cold},
      {plain("energy", Kind::flag, "the energy of a call is measured too: the case alone, for two seconds or more"),
       &Sampling::energy},
  };
  return settings;
}

Settings const& case_settings() {
  static Settings const settings{
      special("pattern", "which pattern is measured", "the name of a pattern"),
      listed("space", Kind::words,
             "where it runs; without it: on the device of a program that is found, else on the cores by OpenMP",
             known_spaces()),
      special("variant", "how it is written; without it: all variants", "one or a list of the pattern's variants"),
      special("type", "the type of an element; without it: the first of the pattern's types",
              "one or a list of the pattern's types"),
  };
  return settings;
}

Settings const& range_settings() {
  static Settings const settings{
      special("from", "the first value", "a value of the key"),
      special("to", "no value is above it", "a value of the key"),
      number("times", Kind::whole, "the factor from one value to the next", 2, 0x1p53),
      special("step", "the distance from one value to the next", "a value of the key"),
  };
  return settings;
}

Settings const& selector_settings() {
  static Settings const settings{
      listed("space", Kind::words, "only cases of these spaces", known_spaces()),
      special("variant", "only cases of these variants", "one or a list of the pattern's variants"),
      special("type", "only cases of these types", "one or a list of the pattern's types"),
  };
  return settings;
}

Settings const& comparison_settings() {
  static Settings const settings{
      special("pattern", "whose cases are judged", "the name of a pattern"),
      special("of",
              "what they are compared with: the same case but for these keys, the ceiling measured in the same rounds, "
              "the model, or the case of the same name in a result file",
              "a table such as { variant = \"copy\" }, \"bound\", \"model\" or a result file"),
      {"at_least", Kind::special, "the ratio that must be reached; without `of` a rate such as \"3900 GB/s\"",
       "a ratio, such as 0.95", 1e-6, 1e6},
      special("best_over", "cases that differ in these keys alone are one: the fastest counts",
              "one or a list of keys that select cases"),
  };
  return settings;
}

MemberSettings<Rule> const& rule_settings() {
  static MemberSettings<Rule> const settings{
      {plain("optional", Kind::flag, "where one of the two sides was skipped, the rule is skipped and not missed"),
       &Rule::optional},
      {plain("why", Kind::text, "where the rule comes from, for the report"), &Rule::why},
  };
  return settings;
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::text: return "text";
    case Kind::flag: return "flag";
    case Kind::whole: return "whole";
    case Kind::share: return "share";
    case Kind::duration: return "duration";
    case Kind::choice: return "choice";
    case Kind::words: return "words";
    case Kind::special: return "special";
  }
  return "";
}

std::string Setting::takes() const {
  switch (kind) {
    case Kind::text: return "a text in quotes";
    case Kind::flag: return "true or false";
    case Kind::whole:
      return most < 0x1p53 ? fmt::format("a whole number from {:.0f} to {:.0f}", least, most)
                           : fmt::format("a whole number from {:.0f}", least);
    case Kind::share: return fmt::format("a share from {} to {}", least, most);
    case Kind::duration: return "a positive time such as \"2 s\", \"500 ms\" or \"10 min\"";
    case Kind::choice: return fmt::format("\"{}\"", fmt::join(choices, "\" or \""));
    case Kind::words: return fmt::format("one or a list of \"{}\"", fmt::join(choices, "\", \""));
    case Kind::special: return what;
  }
  return "";
}

Setting const& find_setting(Settings const& settings, std::string_view name) {
  auto const it = std::find_if(settings.begin(), settings.end(), [&](Setting const& s) { return s.name == name; });
  if (it == settings.end()) throw std::logic_error(fmt::format("no setting {}", name));
  return *it;
}

// ---- reading

namespace {

void read_value(Section const& section, Setting const& setting, std::string& to) {
  section.read_text(setting.name, to);
}

void read_value(Section const& section, Setting const& setting, bool& to) {
  if (setting.kind == Kind::flag) return section.read_flag(setting.name, to);
  std::string chosen = setting.choices[to ? 1 : 0];
  section.read_text(setting.name, chosen);
  if (contains(setting.choices, chosen)) return void(to = chosen == setting.choices[1]);
  section.refuse(section.table.find(setting.name)->values[0].at, section.path(setting.name),
                 fmt::format("\"{}\" is unknown{}", chosen, nearest(chosen, setting.choices)));
}

template <class Whole>
void read_value(Section const& section, Setting const& setting, Whole& to) {
  section.read_number(setting.name, to, setting.least, setting.most, setting.takes());
}

void read_value(Section const& section, Setting const& setting, double& to) {
  if (setting.kind == Kind::duration) return section.read_duration(setting.name, to);
  section.read_number(setting.name, to, setting.least, setting.most, setting.takes());
}

void read_value(Section const& section, Setting const& setting, Names& to) {
  to = section.words(setting.name, setting.choices, to);
}

}  // namespace

void check_schema(Section const& deck) {
  Entry const* entry = deck.table.find("schema");
  if (entry == nullptr)
    return deck.refuse({}, "schema", fmt::format("is missing: a deck says `schema = {}`", deck_schema));
  if (is_unreadable(*entry)) return;
  bool const single = entry->form == Entry::Form::scalar;
  std::int64_t const* version = single ? std::get_if<std::int64_t>(&entry->values[0].value) : nullptr;
  if (version == nullptr || *version != deck_schema)
    deck.refuse(single ? entry->values[0].at : entry->at, "schema",
                fmt::format("this program reads decks with `schema = {}`", deck_schema));
}

template <class T>
void read_settings(Section const& section, MemberSettings<T> const& settings, T& to) {
  for (MemberSetting<T> const& setting : settings)
    std::visit([&](auto member) { read_value(section, setting, to.*member); }, setting.member);
}

namespace {

/// The table [name], which has these settings and no other key.
template <class T>
T read_table(Section const& deck, std::string const& name, MemberSettings<T> const& settings) {
  T values;
  if (auto const section = deck.find_table(name)) {
    section->check_names(names_in(settings));
    read_settings(*section, settings, values);
  }
  return values;
}

}  // namespace

RunSettings read_run(Section const& deck) { return read_table(deck, "run", run_settings()); }

Sampling read_default_sampling(Section const& deck) { return read_table(deck, "sampling", sampling_settings()); }

// ---- writing

namespace {

/// A time that is read back as exactly the same number: without an exponent, which decks do not have.
std::string time_text(double seconds) {
  std::array<char, 800> digits;
  auto const [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), seconds, std::chars_format::fixed);
  return error == std::errc{}
             ? fmt::format("\"{} s\"", std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())))
             : "";
}

std::optional<std::string> text_of(Setting const&, std::string const& value) { return to_toml(Scalar{value, {}}); }

std::optional<std::string> text_of(Setting const& setting, bool value) {
  if (setting.kind == Kind::flag) return value ? "true" : "false";
  return fmt::format("\"{}\"", setting.choices[value ? 1 : 0]);
}

template <class Whole>
std::optional<std::string> text_of(Setting const&, Whole value) {
  return std::to_string(value);
}

std::optional<std::string> text_of(Setting const& setting, double value) {
  if (setting.kind != Kind::duration) return to_toml(Scalar{value, {}});
  if (value <= 0) return {};
  return time_text(value);
}

std::optional<std::string> text_of(Setting const&, Names const& value) {
  if (value.empty()) return {};
  return fmt::format("[\"{}\"]", fmt::join(value, "\", \""));
}

}  // namespace

template <class T>
std::optional<std::string> value_text(MemberSetting<T> const& setting, T const& from) {
  return std::visit([&](auto member) { return text_of(setting, from.*member); }, setting.member);
}

template void read_settings(Section const&, MemberSettings<RunSettings> const&, RunSettings&);
template void read_settings(Section const&, MemberSettings<Sampling> const&, Sampling&);
template void read_settings(Section const&, MemberSettings<Rule> const&, Rule&);
template std::optional<std::string> value_text(MemberSetting<RunSettings> const&, RunSettings const&);
template std::optional<std::string> value_text(MemberSetting<Sampling> const&, Sampling const&);
template std::optional<std::string> value_text(MemberSetting<Rule> const&, Rule const&);

}  // namespace tilestride
