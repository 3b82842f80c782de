// SPDX-License-Identifier: BSD-3-Clause
#include "plan/section.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/units.hpp"

namespace tilestride {

bool contains(Names const& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_unreadable(Entry const& entry) { return entry.form == Entry::Form::scalar && entry.values.empty(); }

std::string Section::path(std::string_view key) const {
  return where.empty() ? std::string(key) : fmt::format("{}.{}", where, key);
}

void Section::refuse(Position const& at, std::string path, std::string text) const {
  mistakes.emplace_back(at, std::move(path), std::move(text));
}

void Section::check_names(Names const& allowed) const {
  for (Entry const& entry : table.entries) {
    if (!contains(allowed, entry.key)) refuse(entry.at, path(entry.key), "unknown key" + nearest(entry.key, allowed));
  }
}

Scalar const* Section::single(std::string_view key) const {
  Entry const* entry = table.find(key);
  if (entry == nullptr) return nullptr;
  if (entry->form != Entry::Form::scalar) refuse(entry->at, path(key), "takes one value");
  return is_unreadable(*entry) || entry->form != Entry::Form::scalar ? nullptr : &entry->values.front();
}

std::optional<double> Section::number(std::string_view key, double least, double most, std::string_view range,
                                      bool fractions) const {
  Scalar const* scalar = single(key);
  if (scalar == nullptr) return {};
  std::optional<double> number;
  if (auto const* i = std::get_if<std::int64_t>(&scalar->value)) number = static_cast<double>(*i);
  if (auto const* d = std::get_if<double>(&scalar->value); d != nullptr && fractions) number = *d;
  if (number && *number >= least && *number <= most) return number;
  refuse(scalar->at, path(key), fmt::format("expected {}", range));
  return {};
}

void Section::read_duration(std::string_view key, double& seconds) const {
  Scalar const* scalar = single(key);
  if (scalar == nullptr) return;
  auto const time = scalar->is_text() ? parse_duration(scalar->text()) : std::nullopt;
  if (!time) return refuse(scalar->at, path(key), "expected a positive time such as \"2 s\", \"500 ms\" or \"10 min\"");
  seconds = *time;
}

void Section::read_text(std::string_view key, std::string& to) const {
  Scalar const* scalar = single(key);
  if (scalar == nullptr) return;
  if (!scalar->is_text()) return refuse(scalar->at, path(key), "expected a text in quotes");
  to = scalar->text();
}

void Section::read_flag(std::string_view key, bool& to) const {
  Scalar const* scalar = single(key);
  if (scalar == nullptr) return;
  if (auto const* flag = std::get_if<bool>(&scalar->value))
    to = *flag;
  else
    refuse(scalar->at, path(key), "expected true or false");
}

Names Section::words(std::string_view key, Names const& allowed, Names const& fallback) const {
  Entry const* entry = table.find(key);
  if (entry == nullptr || is_unreadable(*entry)) return fallback;
  Names chosen;
  if (entry->form == Entry::Form::table || entry->form == Entry::Form::tables || entry->values.empty())
    refuse(entry->at, path(key), "expected a text or a list of texts");
  for (Scalar const& scalar : entry->values) {
    if (!scalar.is_text())
      refuse(scalar.at, path(key), "expected a text in quotes");
    else if (!contains(allowed, scalar.text()))
      refuse(scalar.at, path(key), fmt::format("\"{}\" is unknown{}", scalar.text(), nearest(scalar.text(), allowed)));
    else if (contains(chosen, scalar.text()))
      refuse(scalar.at, path(key), fmt::format("\"{}\" stands here twice", scalar.text()));
    else
      chosen.push_back(scalar.text());
  }
  return chosen;
}

std::optional<Section> Section::find_table(std::string_view name) const {
  Entry const* entry = table.find(name);
  if (entry == nullptr) return {};
  if (entry->form == Entry::Form::table) return Section{entry->tables.front(), path(name), mistakes};
  refuse(entry->at, path(name), fmt::format("is a table: write [{}]", name));
  return {};
}

std::vector<Table> const& Section::tables(std::string_view name) const {
  static std::vector<Table> const none;
  Entry const* entry = table.find(name);
  if (entry == nullptr) return none;
  if (entry->form == Entry::Form::tables) return entry->tables;
  refuse(entry->at, path(name), fmt::format("comes in any number: write [[{}]]", name));
  return none;
}

}  // namespace tilestride
