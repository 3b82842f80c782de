// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A deck as written: syntax only. Every key and value keeps its position in the file, so that src/plan can report
// exactly what is wrong and where.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tilestride {

/// A position in a deck; line 0: not in the file but in `origin`.
struct Position {
  int line = 0;
  int column = 0;
  std::string origin;  ///< "--set shape=…"; empty for the file itself

  Position() = default;
  Position(int l, int c, std::string o = {}) : line(l), column(c), origin(std::move(o)) {}
};

/// A mistake that the user has to correct.
struct Mistake {
  Position at;
  std::string where;  ///< the path of the value: "case[2].shape"
  std::string text;   ///< what is wrong, and what would be right

  Mistake() = default;
  Mistake(Position p, std::string w, std::string t) : at(std::move(p)), where(std::move(w)), text(std::move(t)) {}
};

struct Scalar {
  std::variant<bool, std::int64_t, double, std::string> value;
  Position at;

  bool is_text() const { return std::holds_alternative<std::string>(value); }
  std::string const& text() const { return std::get<std::string>(value); }
};

/// The value as TOML writes it.
std::string to_toml(Scalar const& scalar);

struct Table;

/// `key = value`, where value is a scalar, a list of scalars, a table, or a list of tables ([[key]]).
struct Entry {
  enum class Form { scalar, list, table, tables };
  std::string key;
  Position at;
  Form form = Form::scalar;
  std::vector<Scalar> values;  ///< one for a scalar, any number for a list
  std::vector<Table> tables;   ///< one for a table, any number for [[key]]
};

struct Table {
  Position at;
  std::vector<Entry> entries;

  Entry const* find(std::string_view key) const;
  Entry* find(std::string_view key);
};

/// The value of an entry as TOML writes it, on one line.
std::string to_toml(Entry const& entry);

struct Deck {
  std::string file;                ///< as the user named it
  std::vector<std::string> lines;  ///< its text, for showing the line of a mistake
  Table root;
};

/// Reads a deck. Mistakes of file access and of TOML's syntax are appended to `mistakes`; the deck returned
/// then holds what could be read, maybe nothing.
Deck read_deck(std::filesystem::path const& file, std::vector<Mistake>& mistakes);

/// The same for a text that is already in memory.
Deck parse_deck(std::string text, std::string file, std::vector<Mistake>& mistakes);

/// Applies one `--set KEY=VALUE`. KEY is `run.budget`, `sampling.max_time`, `case[2].shape`, or a bare key, which is
/// then set in every [[case]]. VALUE is written as in a deck; quotes around a lone word may be left out.
void set_in_deck(Deck& deck, std::string const& assignment, std::vector<Mistake>& mistakes);

/// The mistakes as text, in the order of the file, each with its line and a caret under the place; the first fifty.
std::string describe(std::vector<Mistake> mistakes, Deck const& deck);

/// `, did you mean "x"?` when one of `names` is close to `word`, else `; one of: a, b, c`.
std::string nearest(std::string_view given, std::vector<std::string> const& names);

}  // namespace tilestride
