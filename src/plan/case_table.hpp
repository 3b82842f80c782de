// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The cases of one pattern as rows of small numbers, with one column for each property in which cases differ. A rule
// may select from a million cases, and a deck may have a hundred rules: comparing names took minutes.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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

/// A map whose keys point to rows, which must outlive it.
using RowMap = std::unordered_map<Code const*, std::size_t, RowHash, RowHash>;

class CaseTable {
 public:
  // Columns; those of the pattern's keys follow.
  static constexpr std::size_t space = 0, variant = 1, type = 2, cold = 3, first_key = 4;

  CaseTable(Pattern const& pattern, std::vector<Case> const& cases);
  CaseTable(CaseTable const&) = delete;  // index_ points into codes_
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
  /// All values in that column of the cases of this row's variant.
  std::vector<Code> const& codes_of(Code const* row, std::size_t column);

  /// The index of the case with that row.
  std::optional<std::size_t> find(std::vector<Code> const& row) const;
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
  std::vector<Column> columns_;                                    ///< of the keys
  std::vector<std::vector<char>> has_key_;                         ///< by variant and key
  std::vector<Code> codes_;                                        ///< row after row
  std::vector<std::size_t> case_of_;                               ///< by row
  RowMap index_;                                                   ///< case by row
  std::unordered_map<std::uint64_t, std::vector<Code>> codes_of_;  ///< by variant and column; filled when asked for
};

}  // namespace tilestride
