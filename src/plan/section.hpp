// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One table of a deck, for reading its values. Each read reports mistakes with the position and the path of the value;
// the target is then unchanged.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "deck/deck.hpp"

namespace tilestride {

using Names = std::vector<std::string>;

bool contains(Names const& names, std::string_view name);

template <class List>
Names names_in(List const& list) {
  Names names;
  for (auto const& element : list) names.push_back(element.name);
  return names;
}

/// Whether the value is of a type that decks do not use (a date); that was reported when the deck was read.
bool is_unreadable(Entry const& entry);

struct Section {
  Table const& table;
  std::string where;  ///< the path of the table: "case[2]"; empty for the whole deck
  std::vector<Mistake>& mistakes;

  /// "case[2].shape"
  std::string path(std::string_view key) const;
  void refuse(Position const& at, std::string path, std::string text) const;
  void check_names(Names const& allowed) const;

  /// The only value of `key`, or null when it is absent or (which is reported) not a single value.
  Scalar const* single(std::string_view key) const;

  /// `range` says in words what is expected.
  template <class T>
  void read_number(std::string_view key, T& to, double least, double most, std::string_view range) const {
    if (auto const n = number(key, least, most, range, std::is_floating_point_v<T>)) to = static_cast<T>(*n);
  }
  void read_duration(std::string_view key, double& seconds) const;
  void read_text(std::string_view key, std::string& to) const;
  void read_flag(std::string_view key, bool& to) const;

  /// The texts of a key that takes one or a list of `allowed`; `fallback` when it is absent.
  Names words(std::string_view key, Names const& allowed, Names const& fallback) const;

  /// The table [name]; none when it is absent or (which is reported) something else.
  std::optional<Section> find_table(std::string_view name) const;
  /// The tables [[name]].
  std::vector<Table> const& tables(std::string_view name) const;

 private:
  std::optional<double> number(std::string_view key, double least, double most, std::string_view range,
                               bool fractions) const;
};

}  // namespace tilestride
