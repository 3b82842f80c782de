// SPDX-License-Identifier: BSD-3-Clause
#include "plan/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "model/units.hpp"
#include "plan/plan.hpp"
#include "plan/settings.hpp"

namespace tilestride {
namespace {

/// Without a pattern no other key can be resolved; but a key that looks like a misspelt "pattern" is reported.
void miss_pattern(Section const& section, Catalogue const& catalogue) {
  for (Entry const& entry : section.table.entries) {
    std::string const advice = nearest(entry.key, {"pattern"});
    if (advice.rfind(", did you mean", 0) == 0)
      return section.refuse(entry.at, section.path(entry.key), "unknown key" + advice);
  }
  section.refuse(section.table.at, section.where,
                 fmt::format("has no `pattern`; one of: {}", fmt::join(names_in(catalogue), ", ")));
}

/// { from = 1, to = 64, times = 2 } or { from = 1, to = 9, step = 2 }, ends included where they are met.
std::vector<Scalar> read_range(Section const& range, Key const& key, Position const& at) {
  if (key.kind != KeyKind::integer && key.kind != KeyKind::bytes) {
    range.refuse(at, range.where, "a range needs numbers or sizes");
    return {};
  }
  std::size_t const before = range.mistakes.size();
  range.check_names(names_in(range_settings()));
  auto const number = [&](std::string const& name) -> std::int64_t {
    Scalar const* scalar = range.single(name);
    if (scalar == nullptr) return 0;
    bool const end = name == "from" || name == "to";
    Key plain;  // without the key's choices: only the values of the range must be among them
    plain.name = key.name;
    plain.kind = end || name == "step" ? key.kind : KeyKind::integer;
    plain.least = end ? key.least : 1;
    std::string reason;
    auto const value = parse_value(plain, *scalar, reason);
    if (!value || value->percent != 0)
      range.refuse(scalar->at, range.path(name), value ? "a share cannot make a range" : reason);
    return value ? value->n[0] : 0;
  };
  std::int64_t const from = number("from"), to = number("to"), times = number("times"), step = number("step");
  if (range.mistakes.size() > before) return {};
  bool const ends = range.table.find("from") != nullptr && range.table.find("to") != nullptr;
  if (!ends || (times == 0) == (step == 0)) {
    range.refuse(at, range.where, "a range is { from, to, times } or { from, to, step }");
  } else if (to < from) {
    range.refuse(at, range.where, "this range is empty: `to` is below `from`");
  } else if (times == 1) {
    range.refuse(at, range.where, "this range never ends: `times` must be above 1");
  } else if (step != 0 && (to - from) / step >= static_cast<std::int64_t>(most_cases)) {
    range.refuse(at, range.where,
                 fmt::format("this range has {} values; at most {} make a plan", (to - from) / step + 1, most_cases));
  } else {
    std::vector<Scalar> values;
    for (std::int64_t n = from;;) {
      values.push_back({n, at});
      if (times != 0 ? n > to / times : n > to - step) return values;
      n = times != 0 ? n * times : n + step;
    }
  }
  return {};
}

Scalar default_of(Key const& key) {
  if (key.kind == KeyKind::integer) return {static_cast<std::int64_t>(std::stoll(key.fallback)), {}};
  return {key.fallback, {}};
}

/// No value, and why.
std::nullopt_t none(std::string& reason, std::string why) {
  reason = std::move(why);
  return std::nullopt;
}

std::optional<Value> parse_choice(Key const& key, Scalar const& scalar, std::string& reason) {
  if (!scalar.is_text()) return none(reason, "expected a text in quotes");
  auto const it = std::find(key.choices.begin(), key.choices.end(), scalar.text());
  if (it == key.choices.end())
    return none(reason, fmt::format("\"{}\" is unknown{}", scalar.text(), nearest(scalar.text(), key.choices)));
  return Value{&key, {it - key.choices.begin()}};
}

std::optional<Value> parse_integer(Key const& key, Scalar const& scalar, std::string& reason) {
  auto const* integer = std::get_if<std::int64_t>(&scalar.value);
  if (integer == nullptr || *integer < key.least)
    return none(reason, fmt::format("expected a whole number from {}", key.least));
  if (!key.choices.empty() && !contains(key.choices, std::to_string(*integer)))
    return none(reason, fmt::format("{} is not built in; one of: {}", *integer, fmt::join(key.choices, ", ")));
  return Value{&key, {*integer}};
}

std::optional<Value> parse_size(Key const& key, Scalar const& scalar, std::string& reason) {
  std::optional<Bytes> bytes;
  if (scalar.is_text()) bytes = parse_bytes(scalar.text());
  if (auto const* integer = std::get_if<std::int64_t>(&scalar.value)) bytes = parse_bytes(std::to_string(*integer));
  if (!bytes) return none(reason, "expected a size such as \"64 MiB\" (B, KiB, MiB, GiB, TiB), 4096 or \"25 %\"");
  return Value{&key, {bytes->count}, bytes->percent};
}

std::optional<Value> parse_extents(Key const& key, Scalar const& scalar, std::string& reason) {
  auto const extents = scalar.is_text() ? parse_shape(scalar.text()) : std::nullopt;
  if (!extents || extents->size() != key.choices.size())
    return none(reason, fmt::format("expected {} as one text, each from 1 to 2147483647, such as \"{}\"",
                                    fmt::join(key.choices, " x "), key.fallback));
  Value value{&key};
  std::copy(extents->begin(), extents->end(), value.n.begin());
  return value;
}

}  // namespace

Pattern const* read_pattern(Section const& section, Catalogue const& catalogue) {
  Scalar const* name = section.single("pattern");
  if (section.table.find("pattern") == nullptr) miss_pattern(section, catalogue);
  if (name == nullptr) return nullptr;
  for (Pattern const& pattern : catalogue) {
    if (name->is_text() && pattern.name == name->text()) return &pattern;
  }
  section.refuse(name->at, section.path("pattern"),
                 name->is_text()
                     ? fmt::format("\"{}\" is unknown{}", name->text(), nearest(name->text(), names_in(catalogue)))
                     : "expected a text in quotes");
  return nullptr;
}

Names type_names(Pattern const& pattern) {
  Names names;
  for (Type const type : pattern.types) names.emplace_back(name_of(type));
  return names;
}

std::optional<Value> parse_value(Key const& key, Scalar const& scalar, std::string& reason) {
  switch (key.kind) {
    case KeyKind::choice: return parse_choice(key, scalar, reason);
    case KeyKind::integer: return parse_integer(key, scalar, reason);
    case KeyKind::bytes: return parse_size(key, scalar, reason);
    case KeyKind::shape: return parse_extents(key, scalar, reason);
  }
  return {};
}

std::vector<Value> read_values(Section const& section, Key const& key) {
  Entry const* entry = section.table.find(key.name);
  std::string const path = section.path(key.name);
  std::vector<Value> values;
  std::set<std::pair<std::array<std::int64_t, 3>, std::int64_t>> seen;
  auto const add = [&](Scalar const& scalar) {
    std::string reason;
    auto const value = parse_value(key, scalar, reason);
    if (value && seen.emplace(value->n, value->percent).second)
      values.push_back(*value);
    else
      section.refuse(scalar.at, path, value ? fmt::format("{} stands here twice", value->text()) : reason);
    return value.has_value();
  };
  if (entry == nullptr) {
    add(default_of(key));
  } else if (entry->form == Entry::Form::table) {
    for (Scalar const& scalar : read_range({entry->tables.front(), path, section.mistakes}, key, entry->at)) {
      if (!add(scalar)) break;  // one message is enough: all values have the same position
    }
  } else if (!is_unreadable(*entry)) {
    if (entry->form == Entry::Form::tables || entry->values.empty())
      section.refuse(entry->at, path, "expected a value or a list of values");
    for (Scalar const& scalar : entry->values) add(scalar);
  }
  return values;
}

}  // namespace tilestride
