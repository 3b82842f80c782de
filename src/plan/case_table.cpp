// SPDX-License-Identifier: BSD-3-Clause
#include "plan/case_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/spaces.hpp"
#include "plan/section.hpp"
#include "plan/values.hpp"

namespace tilestride {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
  hash = (hash ^ with) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

RowHash no_merging(std::size_t width) { return {std::vector<char>(width, 0)}; }

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

std::size_t CaseTable::ValueHash::operator()(Value const& value) const {
  auto hash = static_cast<std::uint64_t>(value.percent);
  for (std::int64_t const n : value.n) hash = mixed(hash, static_cast<std::uint64_t>(n));
  return static_cast<std::size_t>(hash);
}

CaseTable::CaseTable(Pattern const& pattern, std::vector<Case> const& cases)
    : pattern_(pattern), columns_(pattern.keys.size()), index_(0, no_merging(width()), no_merging(width())) {
  for (Variant const& v : pattern.variants) {
    has_key_.emplace_back();
    for (Key const& key : pattern.keys)
      has_key_.back().push_back(!pattern.is_variant_key(key) || contains(v.keys, key.name));
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].pattern == &pattern) case_of_.push_back(i);
  }
  codes_.assign(size() * width(), 0);
  index_.reserve(size());
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
    index_.emplace(codes, case_of_[r]);
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

std::vector<Code> const& CaseTable::codes_of(Code const* row, std::size_t column) {
  auto const [it, is_new] = codes_of_.try_emplace(static_cast<std::uint64_t>(row[variant]) << 32 | column);
  if (!is_new) return it->second;
  std::vector<Code>& codes = it->second;
  for (std::size_t r = 0; r < size(); ++r) {
    if (this->row(r)[variant] == row[variant] && this->row(r)[column] != 0) codes.push_back(this->row(r)[column]);
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

std::optional<std::size_t> CaseTable::find(std::vector<Code> const& row) const {
  auto const it = index_.find(row.data());
  return it == index_.end() ? std::nullopt : std::optional(it->second);
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
