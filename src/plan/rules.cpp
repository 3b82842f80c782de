// SPDX-License-Identifier: BSD-3-Clause
#include "plan/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "model/text.hpp"
#include "model/units.hpp"
#include "plan/case_table.hpp"
#include "plan/settings.hpp"
#include "plan/values.hpp"

namespace tilestride {
namespace {

// ---- reading

/// One key of a selection, and what of it is meant.
struct Selector {
  std::string key;
  Names names;                ///< of "space", "variant" and "type"
  std::vector<Value> values;  ///< of a pattern's key
  Position at;

  std::size_t size() const { return names.size() + values.size(); }
};

/// An [[expect]] before its cases are searched.
struct Draft {
  Rule rule;
  Pattern const* pattern = nullptr;
  std::vector<Selector> chosen;
  std::vector<Selector> partner;  ///< `of = { … }`: the keys in which the other case differs
  Names best_over;
};

Names selector_names(Pattern const& pattern) {
  Names names = names_in(selector_settings());
  for (Key const& key : pattern.keys) names.push_back(key.name);
  return names;
}

Selector read_selector(Section const& section, Entry const& entry, Pattern const& pattern) {
  Selector selector{entry.key, {}, {}, entry.at};
  Key const* key = pattern.find_key(entry.key);
  if (key == nullptr) {
    selector.names = section.words(entry.key,
                                   entry.key == "space"  ? known_spaces()
                                   : entry.key == "type" ? type_names(pattern)
                                                         : names_in(pattern.variants),
                                   {});
    return selector;
  }
  if (entry.form != Entry::Form::scalar && entry.form != Entry::Form::list)
    section.refuse(entry.at, section.path(entry.key), "expected a value or a list of values");
  for (Scalar const& scalar : entry.values) {
    std::string reason;
    if (auto const value = parse_value(*key, scalar, reason))
      selector.values.push_back(*value);
    else
      section.refuse(scalar.at, section.path(entry.key), reason);
  }
  return selector;
}

std::vector<Selector> read_selectors(Section const& section, Pattern const& pattern) {
  Names const names = selector_names(pattern);
  std::vector<Selector> selectors;
  for (Entry const& entry : section.table.entries) {
    if (contains(names, entry.key)) selectors.push_back(read_selector(section, entry, pattern));
  }
  return selectors;
}

std::vector<Selector> read_partner(Section const& of, Position const& at, Pattern const& pattern) {
  of.check_names(selector_names(pattern));
  std::vector<Selector> partner = read_selectors(of, pattern);
  for (Selector const& selector : partner) {
    if (selector.size() != 1) of.refuse(selector.at, of.path(selector.key), "takes one value");
  }
  if (partner.empty()) of.refuse(at, of.where, "names no key: a case would be compared with itself");
  return partner;
}

/// `file`: the deck; paths of result files are relative to it.
void read_of(Section const& section, std::string const& file, Draft& draft) {
  Entry const* entry = section.table.find("of");
  if (entry == nullptr) return;
  Rule& rule = draft.rule;
  if (entry->form == Entry::Form::table) {
    rule.of = Rule::Of::cases;
    draft.partner =
        read_partner({entry->tables.front(), section.path("of"), section.mistakes}, entry->at, *draft.pattern);
    return;
  }
  Scalar const* scalar = section.single("of");
  if (scalar == nullptr) return;
  std::string const text = scalar->is_text() ? scalar->text() : "";
  rule.of = text == "bound" ? Rule::Of::bound : text == "model" ? Rule::Of::model : Rule::Of::file;
  if (rule.of != Rule::Of::file) return;
  rule.file = (std::filesystem::path(file).parent_path() / text).string();
  std::error_code ignored;
  if (text.empty() || !std::filesystem::is_regular_file(rule.file, ignored)) {
    std::string const given = text.empty() ? "" : fmt::format("; there is no file {}", rule.file);
    section.refuse(scalar->at, section.path("of"),
                   fmt::format("expected {}{}", find_setting(comparison_settings(), "of").takes(), given));
  } else if (!is_utf8(std::filesystem::absolute(rule.file).string())) {  // the resolved deck has the whole path
    section.refuse(scalar->at, section.path("of"), "the path of this file is not UTF-8, which decks are");
  }
}

void read_at_least(Section const& section, Pattern const& pattern, Rule& rule) {
  bool const latency = pattern.figure == Figure::latency;
  if (section.table.find("at_least") == nullptr) {
    std::string const or_a_rate = latency ? "" : fmt::format(", or a rate such as \"100 {}\"", unit_of(pattern.figure));
    return section.refuse(section.table.at, section.where,
                          fmt::format("has no `at_least`: a ratio with `of`{}", or_a_rate));
  }
  Scalar const* scalar = section.single("at_least");
  if (scalar == nullptr) return;
  if (section.table.find("of") != nullptr) {
    Setting const& ratio = find_setting(comparison_settings(), "at_least");
    return section.read_number("at_least", rule.at_least, ratio.least, ratio.most, ratio.takes());
  }
  if (latency)
    return section.refuse(scalar->at, section.path("at_least"),
                          "a latency has no rate: `at_least` is a ratio, and needs `of`");
  auto const rate = scalar->is_text() ? parse_rate(scalar->text()) : std::nullopt;
  std::string_view const unit = unit_of(pattern.figure);
  if (!rate || (rate->unit == "FLOP/s") != (pattern.figure == Figure::compute))
    return section.refuse(scalar->at, section.path("at_least"),
                          fmt::format("expected a rate such as \"100 {}\"; a ratio needs `of`", unit));
  rule.at_least = rate->per_second;
}

std::string rule_text(Table const& table) {
  Names parts;
  for (Entry const& entry : table.entries) {
    if (entry.key != "why" && entry.key != "optional")
      parts.push_back(fmt::format("{} = {}", entry.key, to_toml(entry)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Without a pattern when the section names none.
Draft read_rule(Section const& section, std::string const& file, Catalogue const& catalogue) {
  Draft draft;
  Rule& rule = draft.rule;
  rule.at = section.table.at;
  draft.pattern = read_pattern(section, catalogue);
  if (draft.pattern == nullptr) return draft;

  Names const selectors = selector_names(*draft.pattern);
  Names allowed = selectors;
  for (Names const& more : {names_in(comparison_settings()), names_in(rule_settings())})
    allowed.insert(allowed.end(), more.begin(), more.end());
  section.check_names(allowed);
  read_settings(section, rule_settings(), rule);
  draft.chosen = read_selectors(section, *draft.pattern);
  draft.best_over = section.words("best_over", selectors, {});
  read_of(section, file, draft);
  read_at_least(section, *draft.pattern, rule);
  return draft;
}

// ---- finding the cases

/// A column of the table and, by code, which of its values are meant.
struct Filter {
  std::size_t column;
  std::vector<char> holds;

  bool operator()(Code const* row) const { return row[column] < holds.size() && holds[row[column]] != 0; }
};

std::vector<Code> codes_of(Selector const& selector, CaseTable& table) {
  std::size_t const column = table.column(selector.key);
  std::vector<Code> codes;
  for (std::string const& name : selector.names) codes.push_back(table.code(column, name));
  for (Value const& value : selector.values) codes.push_back(table.code(column, value));
  return codes;
}

std::vector<Filter> filters_of(std::vector<Selector> const& selectors, CaseTable& table) {
  std::vector<Filter> filters;
  for (Selector const& selector : selectors) {
    Filter filter{table.column(selector.key), {}};
    for (Code const code : codes_of(selector, table)) {
      if (code >= filter.holds.size()) filter.holds.resize(code + 1, 0);
      filter.holds[code] = 1;
    }
    filters.push_back(std::move(filter));
  }
  return filters;
}

/// Finds the partners of a case by `of = { … }`: the cases that are equal except for the keys in `of`. A key that only
/// the variant of the given case has is ignored. A key that only the partners' variant has takes every value in the
/// plan, if it is in `best_over`.
class Counterparts {
 public:
  Counterparts(Draft const& draft, CaseTable& table)
      : best_over_(draft.best_over), table_(table), named_(table.width(), 0), other_(table.width(), 0) {
    for (Selector const& selector : draft.partner)
      named_[table.column(selector.key)] = codes_of(selector, table).front();
  }

  /// The partners of row `r`, as indices into the plan's cases; valid until the next call. `wrong` is set to the
  /// mistake, if any.
  std::vector<std::size_t> const& of(std::size_t r, std::string& wrong) {
    found_.clear();
    fill_in(table_.row(r));
    if (!missing_.empty()) wrong = left_open(table_.row(r));
    if (!wrong.empty()) return found_;
    bool itself = false;
    set_missing(1);  // whichever: the groups do not tell them apart
    groups().for_each_like(other_.data(), [&](std::size_t partner) {
      itself = itself || partner == r;
      found_.push_back(table_.case_of(partner));
    });
    set_missing(0);
    if (itself) wrong = table_.name_of(table_.row(r)) + " would be compared with itself";
    return found_;
  }

  /// The name of the case that the last call searched.
  std::string name() const { return table_.name_of(other_.data()); }

 private:
  void fill_in(Code const* row) {
    missing_.clear();
    other_ = named_;
    for (std::size_t column = 0; column < other_.size(); ++column) {
      if (other_[column] == 0) other_[column] = row[column];
      if (column < CaseTable::first_key) continue;
      bool const has_key = table_.has_key(other_.data(), column);
      if (!has_key) other_[column] = 0;
      if (has_key && other_[column] == 0) missing_.push_back(column);
    }
  }

  std::string left_open(Code const* row) const {
    Variant const& variant = table_.variant_of(other_.data());
    for (std::string const& key : variant.keys) {
      if (other_[table_.column(key)] == 0 && !contains(best_over_, key))
        return fmt::format("{} has no `{}`: say which `{}` of {} is meant, or name it in `best_over`",
                           table_.name_of(row), key, key, variant.name);
    }
    return "";
  }

  void set_missing(Code code) {
    for (std::size_t const column : missing_) other_[column] = code;
  }

  /// Rows that differ only in the missing columns; looked up when these are not those of the last call.
  RowGroups const& groups() {
    if (groups_ == nullptr || missing_ != missing_of_groups_) {
      std::vector<char> merged(table_.width(), 0);
      for (std::size_t const column : missing_) merged[column] = 1;
      groups_ = &table_.groups(merged);
      missing_of_groups_ = missing_;
    }
    return *groups_;
  }

  Names const& best_over_;
  CaseTable& table_;
  std::vector<Code> named_;           ///< 0: as in the other case
  std::vector<Code> other_;           ///< the row that is searched
  std::vector<std::size_t> missing_;  ///< its columns without a value, though its variant has the key
  std::vector<std::size_t> missing_of_groups_;
  RowGroups const* groups_ = nullptr;
  std::vector<std::size_t> found_;
};

/// A column for each of the names is 1.
std::vector<char> merged_columns(Names const& names, CaseTable const& table) {
  std::vector<char> merged(table.width(), 0);
  for (std::string const& name : names) merged[table.column(name)] = 1;
  return merged;
}

std::vector<Comparison> find_comparisons(Section const& section, Draft const& draft, CaseTable& table, bool partial) {
  std::vector<Filter> const filters = filters_of(draft.chosen, table);
  Counterparts counterparts(draft, table);
  RowGroups const& alike = table.groups(merged_columns(draft.best_over, table));
  std::vector<std::size_t> comparison_of(table.size(), table.size());  // by the first row of those alike
  std::vector<Comparison> comparisons;
  for (std::size_t r = 0; r < table.size(); ++r) {
    Code const* row = table.row(r);
    if (!std::all_of(filters.begin(), filters.end(), [&](Filter const& filter) { return filter(row); })) continue;
    std::size_t& chosen = comparison_of[alike.first_like(r)];
    if (chosen == table.size()) {
      chosen = comparisons.size();
      comparisons.emplace_back();
    }
    Comparison& comparison = comparisons[chosen];
    if (draft.rule.of == Rule::Of::cases) {
      std::string wrong;
      std::vector<std::size_t> const& others = counterparts.of(r, wrong);
      if (wrong.empty() && others.empty()) {
        if (partial) continue;  // --only removed them all
        wrong = fmt::format("the plan has no {} to compare with", counterparts.name());
      }
      if (!wrong.empty()) {
        section.refuse(section.table.find("of")->at, section.path("of"), wrong);
        return {};
      }
      comparison.of.insert(comparison.of.end(), others.begin(), others.end());
    }
    comparison.cases.push_back(table.case_of(r));
  }
  for (auto& [cases, of] : comparisons) {
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    of.shrink_to_fit();
  }
  comparisons.erase(
      std::remove_if(comparisons.begin(), comparisons.end(), [](Comparison const& c) { return c.cases.empty(); }),
      comparisons.end());
  if (comparisons.empty() && !partial) section.refuse(section.table.at, section.where, "selects no case of this deck");
  return comparisons;
}

}  // namespace

std::vector<Rule> read_rules(Section const& deck, std::string const& file, Catalogue const& catalogue,
                             std::vector<Case> const& cases, bool partial) {
  bool const cases_are_whole = deck.mistakes.empty();
  std::map<Pattern const*, CaseTable> case_tables;
  std::vector<Rule> rules;
  std::vector<Table> const& tables = deck.tables("expect");
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::size_t const before = deck.mistakes.size();
    Section const section{tables[i], fmt::format("expect[{}]", i), deck.mistakes};
    Draft draft = read_rule(section, file, catalogue);
    // With mistakes in the rule or in the cases, any further one would be guesswork.
    if (!cases_are_whole || deck.mistakes.size() > before) continue;
    CaseTable& table = case_tables.try_emplace(draft.pattern, *draft.pattern, cases).first->second;
    draft.rule.text = rule_text(tables[i]);
    draft.rule.comparisons = find_comparisons(section, draft, table, partial);
    rules.push_back(std::move(draft.rule));
  }
  return rules;
}

}  // namespace tilestride
