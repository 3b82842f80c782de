// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The cases of one pattern as rows of small numbers, with one column for each property in which cases differ. A rule
// may select from a million cases, and a deck may have a hundred rules: comparing names took minutes.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/case.hpp"

namespace tilestride {

/// Stands for a value within its column; 0: the case has no such key.
using Code = std::uint32_t;

/// Hash and equality of rows.
struct RowHash {
  std::vector<char> merged;  ///< by column: where it is 1, all values are the same

  Code at(Code const* row, std::size_t column) const {
    return merged[column] != 0 ? static_cast<Code>(row[column] != 0) : row[column];
  }
  std::size_t operator()(Code const* row) const;
  bool operator()(Code const* a, Code const* b) const;
};

class CaseTable;

/// The rows of a table in groups of those that are the same. They are found in a table of hashes with as many places
/// again as rows; std::unordered_map takes several times as long for a million of them.
class RowGroups {
 public:
  RowGroups(CaseTable const& table, RowHash same);

  /// The first row that is the same as row `r`: it stands for the group.
  std::size_t first_like(std::size_t r) const { return first_[r]; }

  /// Calls `body` with the number of each row that is the same as `row`, from the first to the last.
  template <class Body>
  void for_each_like(Code const* row, Body const& body) const {
    for (Code r = places_[place_of(row)]; r != none; r = next_[r]) body(std::size_t{r});
  }

 private:
  static constexpr Code none = ~Code{0};

  /// Where the first row that is the same as `row` stands, or would.
  std::size_t place_of(Code const* row) const;

  CaseTable const& table_;
  RowHash same_;
  std::vector<Code> places_;  ///< the first row of each group, at a place by its hash; a power of two
  std::vector<Code> next_;    ///< by row: the next one of its group
  std::vector<Code> first_;   ///< by row: the first one of its group
};

class CaseTable {
 public:
  // Columns; those of the pattern's keys follow.
  static constexpr std::size_t space = 0, variant = 1, type = 2, cold = 3, first_key = 4;

  CaseTable(Pattern const& pattern, std::vector<Case> const& cases);
  CaseTable(CaseTable const&) = delete;  // groups_ point into codes_
  CaseTable& operator=(CaseTable const&) = delete;
  ~CaseTable() = default;

  std::size_t size() const { return case_of_.size(); }
  std::size_t width() const { return first_key + pattern_.keys.size(); }
  Code const* row(std::size_t r) const { return codes_.data() + r * width(); }
  std::size_t case_of(std::size_t r) const { return case_of_[r]; }  ///< index into the plan's cases

  /// "space", "variant", "type" or the name of a key.
  std::size_t column(std::string_view name) const;
  /// Of a name in the column `space`, `variant` or `type`.
  Code code(std::size_t column, std::string_view name) const;
  /// Of a value of a key, whether or not a case has it.
  Code code(std::size_t column, Value const& value);

  Variant const& variant_of(Code const* row) const { return pattern_.variants[row[variant] - 1]; }
  /// Whether cases of this row's variant have a value in the column of a key.
  bool has_key(Code const* row, std::size_t column) const {
    return has_key_[row[variant] - 1][column - first_key] != 0;
  }
  /// The groups of rows that differ only in the columns where `merged` is 1.
  RowGroups const& groups(std::vector<char> const& merged);
  /// The name of the case with that row, which need not be in the plan, nor have all its keys.
  std::string name_of(Code const* row) const;

 private:
  struct ValueHash {
    std::size_t operator()(Value const& value) const;
    bool operator()(Value const& a, Value const& b) const { return a.n == b.n && a.percent == b.percent; }
  };
  struct Column {
    std::vector<Value> values;  ///< by code - 1
    std::unordered_map<Value, Code, ValueHash, ValueHash> codes;
  };

  Pattern const& pattern_;
  std::vector<Column> columns_;                    ///< of the keys
  std::vector<std::vector<char>> has_key_;         ///< by variant and key
  std::vector<Code> codes_;                        ///< row after row
  std::vector<std::size_t> case_of_;               ///< by row
  std::map<std::vector<char>, RowGroups> groups_;  ///< by `merged`; filled when asked for
};

}  // namespace tilestride
