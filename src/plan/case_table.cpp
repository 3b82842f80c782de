// SPDX-License-Identifier: BSD-3-Clause
#include "plan/case_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/spaces.hpp"
#include "plan/section.hpp"
#include "plan/values.hpp"

namespace tilestride {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
  hash = (hash ^ with) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

template <class List, class Wanted>
Code position_of(List const& list, Wanted const& wanted) {
  auto const it = std::find(list.begin(), list.end(), wanted);
  if (it == list.end()) throw std::logic_error("no such name in a column of the case table");
  return static_cast<Code>(it - list.begin()) + 1;
}

}  // namespace

std::size_t RowHash::operator()(Code const* row) const {
  std::uint64_t hash = 0;
  for (std::size_t column = 0; column < merged.size(); ++column) hash = mixed(hash, at(row, column));
  return static_cast<std::size_t>(hash);
}

bool RowHash::operator()(Code const* a, Code const* b) const {
  for (std::size_t column = 0; column < merged.size(); ++column) {
    if (at(a, column) != at(b, column)) return false;
  }
  return true;
}

RowGroups::RowGroups(CaseTable const& table, RowHash same)
    : table_(table), same_(std::move(same)), next_(table.size(), none), first_(table.size()) {
  std::size_t places = 2;
  while (places < 2 * table.size()) places *= 2;
  places_.assign(places, none);
  for (std::size_t r = table.size(); r-- > 0;)
    next_[r] = std::exchange(places_[place_of(table.row(r))], static_cast<Code>(r));
  for (std::size_t r = 0; r < table.size(); ++r) first_[r] = static_cast<Code>(r);
  for (std::size_t r = 0; r < table.size(); ++r) {
    if (next_[r] != none) first_[next_[r]] = first_[r];
  }
}

std::size_t RowGroups::place_of(Code const* row) const {
  std::size_t const mask = places_.size() - 1;
  std::size_t place = same_(row) & mask;
  while (places_[place] != none && !same_(table_.row(places_[place]), row)) place = (place + 1) & mask;
  return place;
}

std::size_t CaseTable::ValueHash::operator()(Value const& value) const {
  auto hash = static_cast<std::uint64_t>(value.percent);
  for (std::int64_t const n : value.n) hash = mixed(hash, static_cast<std::uint64_t>(n));
  return static_cast<std::size_t>(hash);
}

CaseTable::CaseTable(Pattern const& pattern, std::vector<Case> const& cases)
    : pattern_(pattern), columns_(pattern.keys.size()) {
  for (Variant const& v : pattern.variants) {
    has_key_.emplace_back();
    for (Key const& key : pattern.keys)
      has_key_.back().push_back(!pattern.is_variant_key(key) || contains(v.keys, key.name));
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].pattern == &pattern) case_of_.push_back(i);
  }
  codes_.assign(size() * width(), 0);
  for (std::size_t r = 0; r < size(); ++r) {
    Case const& c = cases[case_of_[r]];
    Code* const codes = codes_.data() + r * width();
    codes[space] = position_of(known_spaces(), c.space);
    codes[variant] = static_cast<Code>(c.variant - pattern.variants.data()) + 1;
    codes[type] = position_of(pattern.types, c.type);
    codes[cold] = c.sampling.cold ? 1 : 0;
    for (Value const& value : c.values) {
      auto const key_column = first_key + static_cast<std::size_t>(value.key - pattern.keys.data());
      codes[key_column] = code(key_column, value);
    }
  }
}

std::size_t CaseTable::column(std::string_view name) const {
  if (name == "space") return space;
  if (name == "variant") return variant;
  if (name == "type") return type;
  return first_key + static_cast<std::size_t>(pattern_.find_key(name) - pattern_.keys.data());
}

Code CaseTable::code(std::size_t column, std::string_view name) const {
  if (column == space) return position_of(known_spaces(), name);
  if (column == variant) return position_of(names_in(pattern_.variants), name);
  return position_of(type_names(pattern_), name);
}

Code CaseTable::code(std::size_t column, Value const& value) {
  Column& of_key = columns_[column - first_key];
  auto const [it, is_new] = of_key.codes.try_emplace(value, static_cast<Code>(of_key.values.size()) + 1);
  if (is_new) of_key.values.push_back(value);
  return it->second;
}

RowGroups const& CaseTable::groups(std::vector<char> const& merged) {
  auto const it = groups_.find(merged);
  return it != groups_.end() ? it->second : groups_.try_emplace(merged, *this, RowHash{merged}).first->second;
}

std::string CaseTable::name_of(Code const* row) const {
  Case c;
  c.pattern = &pattern_;
  c.variant = &variant_of(row);
  c.space = known_spaces()[row[space] - 1];
  c.type = pattern_.types[row[type] - 1];
  c.sampling.cold = row[cold] != 0;
  for (bool const own : {false, true}) {  // shared keys first, then the variant's own: the order of a name
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      Code const value = row[first_key + k];
      if (value != 0 && pattern_.is_variant_key(pattern_.keys[k]) == own)
        c.values.push_back(columns_[k].values[value - 1]);
    }
  }
  return c.name();
}

}  // namespace tilestride
