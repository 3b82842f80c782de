// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <unordered_map>

#include "deck/units.hpp"

namespace tilestride {
namespace {

using Names = std::vector<std::string>;

template <class List>
Names names_in(List const& list) {
  Names names;
  for (auto const& element : list) names.push_back(element.name);
  return names;
}

bool contains(Names const& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "tilestride.toml:12", "--set tile=8" or "default": where a value of the resolved deck comes from, fit for a comment.
std::string origin_of(Position const& at, std::string const& file) {
  std::string text = !at.origin.empty() ? at.origin : at.line == 0 ? "default" : fmt::format("{}:{}", file, at.line);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text;
}

/// A [[case]] whose every key has been given a meaning, not yet multiplied out.
struct Block {
  Pattern const* pattern = nullptr;
  Names spaces;
  std::vector<Variant const*> variants;
  std::vector<Type> types;
  std::vector<std::vector<Value>> values;  ///< parallel to pattern->keys; empty: no chosen variant has this key
  Sampling sampling;
  Position at;
  std::string where;
};

class Planner {
 public:
  Planner(Deck const& deck, Catalogue const& catalogue, Build const& build, std::string const& only,
          std::vector<Mistake>& mistakes)
      : deck_(deck), catalogue_(catalogue), build_(build), only_(only), mistakes_(mistakes) {}

  Plan run() {
    if (deck_.root.entries.empty() && !mistakes_.empty()) return {};  // could not be read, which was said already
    check_names(deck_.root, "", {"schema", "run", "sampling", "case", "expect"});
    read_schema();
    read_run();
    if (Table const* table = section("sampling")) read_sampling(*table, "sampling", defaults_);
    write_sampling_section();
    read_cases();
    read_rules();
    return std::move(plan_);
  }

 private:
  // ---- reporting -------------------------------------------------------------------------------------------------

  void refuse(Position const& at, std::string where, std::string text) {
    mistakes_.push_back({at, std::move(where), std::move(text)});
  }

  void check_names(Table const& table, std::string const& where, Names const& allowed) {
    for (Entry const& entry : table.entries) {
      if (!contains(allowed, entry.key))
        refuse(entry.at, where.empty() ? entry.key : where + "." + entry.key,
               "unknown key" + nearest(entry.key, allowed));
    }
  }

  /// Without a pattern no other key has a meaning; but one that looks like it, misspelt, is worth naming.
  void miss_pattern(Table const& table, std::string const& where) {
    for (Entry const& entry : table.entries) {
      std::string const advice = nearest(entry.key, {"pattern"});
      if (advice.rfind(", did you mean", 0) == 0)
        return refuse(entry.at, where + "." + entry.key, "unknown key" + advice);
    }
    refuse(table.at, where, fmt::format("has no `pattern`; one of: {}", fmt::join(names_in(catalogue_), ", ")));
  }

  // ---- single values -----------------------------------------------------------------------------------------------

  /// The only value of `key`, or null when it is absent or (which is reported) not a single value.
  Scalar const* single(Table const& table, std::string const& where, std::string const& key) {
    Entry const* entry = table.find(key);
    if (entry == nullptr) return nullptr;
    if (entry->form != Entry::Form::scalar) refuse(entry->at, where + "." + key, "takes one value");
    return is_unreadable(*entry) || entry->form != Entry::Form::scalar ? nullptr : &entry->values.front();
  }

  /// A value that has no meaning in any deck (a date): this was reported when the deck was read.
  static bool is_unreadable(Entry const& entry) { return entry.form == Entry::Form::scalar && entry.values.empty(); }

  template <class T>
  void read_number(Table const& table, std::string const& where, std::string const& key, T& to, double least,
                   double most, std::string const& range) {
    Scalar const* scalar = single(table, where, key);
    if (scalar == nullptr) return;
    double number = std::nan("");
    if (auto const* i = std::get_if<std::int64_t>(&scalar->value)) number = static_cast<double>(*i);
    if (auto const* d = std::get_if<double>(&scalar->value); d != nullptr && std::is_floating_point_v<T>) number = *d;
    if (!(number >= least && number <= most)) return refuse(scalar->at, where + "." + key, "expected " + range);
    to = static_cast<T>(number);
  }

  void read_duration(Table const& table, std::string const& where, std::string const& key, double& to) {
    Scalar const* scalar = single(table, where, key);
    if (scalar == nullptr) return;
    auto const seconds = scalar->is_text() ? parse_duration(scalar->text()) : std::nullopt;
    if (!seconds)
      return refuse(scalar->at, where + "." + key,
                    "expected a positive time such as \"2 s\", \"500 ms\" or \"10 min\"");
    to = *seconds;
  }

  void read_text(Table const& table, std::string const& where, std::string const& key, std::string& to) {
    Scalar const* scalar = single(table, where, key);
    if (scalar == nullptr) return;
    if (!scalar->is_text()) return refuse(scalar->at, where + "." + key, "expected a text in quotes");
    to = scalar->text();
  }

  // ---- [run], [sampling], schema
  // -------------------------------------------------------------------------------------

  Table const* section(std::string const& name) {
    Entry const* entry = deck_.root.find(name);
    if (entry == nullptr) return nullptr;
    if (entry->form == Entry::Form::table) return &entry->tables.front();
    refuse(entry->at, name, fmt::format("is a table: write [{}]", name));
    return nullptr;
  }

  std::vector<Table> const& sections(std::string const& name) {
    static std::vector<Table> const none;
    Entry const* entry = deck_.root.find(name);
    if (entry == nullptr) return none;
    if (entry->form == Entry::Form::tables) return entry->tables;
    refuse(entry->at, name, fmt::format("comes in any number: write [[{}]]", name));
    return none;
  }

  void read_schema() {
    Entry const* entry = deck_.root.find("schema");
    if (entry == nullptr) return refuse({}, "schema", "is missing: a deck says `schema = 1`");
    if (is_unreadable(*entry)) return;
    bool const single = entry->form == Entry::Form::scalar;
    std::int64_t const* version = single ? std::get_if<std::int64_t>(&entry->values[0].value) : nullptr;
    if (version == nullptr || *version != 1)
      refuse(single ? entry->values[0].at : entry->at, "schema", "this program reads decks with `schema = 1`");
  }

  void read_run() {
    plan_.resolved = "schema = 1\n\n[run]\n";
    static Table const nothing;
    Table const* table = section("run");
    if (table == nullptr) table = &nothing;
    check_names(*table, "run", {"title", "budget", "seed"});
    read_text(*table, "run", "title", plan_.run.title);
    read_duration(*table, "run", "budget", plan_.run.budget);
    read_number(*table, "run", "seed", plan_.run.seed, 0, 0x1p53, "a whole number from 0");
    write_line("title", to_toml({plan_.run.title, {}}), *table);
    if (plan_.run.budget > 0) write_line("budget", time_text(plan_.run.budget), *table);
    write_line("seed", std::to_string(plan_.run.seed), *table);
  }

  void read_sampling(Table const& table, std::string const& where, Sampling& to, bool alone = true) {
    if (alone) check_names(table, where, sampling_keys());
    read_number(table, where, "min_samples", to.min_samples, 3, 1e6, "a whole number from 3 to 1000000");
    read_duration(table, where, "max_time", to.max_time);
    read_number(table, where, "spread", to.spread, 1e-6, 1, "a share from 1e-6 to 1");
    std::string cache = to.cold ? "cold" : "warm";
    read_text(table, where, "cache", cache);
    if (cache != "warm" && cache != "cold") {
      Entry const& entry = *table.find("cache");
      refuse(entry.values[0].at, where + ".cache",
             fmt::format("\"{}\" is unknown{}", cache, nearest(cache, {"warm", "cold"})));
    }
    to.cold = cache == "cold";
  }

  static Names const& sampling_keys() {
    static Names const keys{"min_samples", "max_time", "spread", "cache"};
    return keys;
  }

  // ---- the resolved deck
  // ---------------------------------------------------------------------------------------------

  void write_line(std::string const& key, std::string const& value, Table const& table) {
    Entry const* entry = table.find(key);
    std::string const line = fmt::format("{} = {}", key, value);
    plan_.resolved +=
        fmt::format("{:<60}  # {}\n", line, entry == nullptr ? "default" : origin_of(entry->at, deck_.file));
  }

  /// What `table`, a [[case]] perhaps, leaves out comes from [sampling].
  void write_sampling(Sampling const& sampling, Table const& table) {
    static Table const nothing;
    Entry const* entry = deck_.root.find("sampling");
    Table const& section = entry != nullptr && entry->form == Entry::Form::table ? entry->tables.front() : nothing;
    auto const write = [&](std::string const& key, std::string const& value) {
      write_line(key, value, table.find(key) != nullptr ? table : section);
    };
    write("min_samples", std::to_string(sampling.min_samples));
    write("max_time", time_text(sampling.max_time));
    write("spread", to_toml({sampling.spread, {}}));
    write("cache", sampling.cold ? "\"cold\"" : "\"warm\"");
  }

  void write_sampling_section() {
    plan_.resolved += "\n[sampling]\n";
    write_sampling(defaults_, {});
  }

  /// A time that is read back as exactly the same number: without an exponent, which decks do not have.
  static std::string time_text(double seconds) {
    std::array<char, 800> digits;
    auto const [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), seconds, std::chars_format::fixed);
    return error == std::errc{}
               ? fmt::format("\"{} s\"", std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())))
               : "";
  }

  void write_block(Block const& block, Table const& table) {
    auto const list = [](Names const& names) { return fmt::format("[\"{}\"]", fmt::join(names, "\", \"")); };
    Names variants, types;
    for (Variant const* variant : block.variants) variants.push_back(variant->name);
    for (Type const type : block.types) types.emplace_back(name_of(type));
    plan_.resolved += "\n[[case]]\n";
    write_line("pattern", fmt::format("\"{}\"", block.pattern->name), table);
    write_line("space", list(block.spaces), table);
    write_line("variant", list(variants), table);
    write_line("type", list(types), table);
    for (std::size_t k = 0; k < block.values.size(); ++k) {
      if (block.values[k].empty()) continue;
      Key const& key = block.pattern->keys[k];
      Names texts;
      for (Value const& value : block.values[k]) texts.push_back(value.text());
      write_line(key.name, key.kind == KeyKind::integer ? fmt::format("[{}]", fmt::join(texts, ", ")) : list(texts),
                 table);
    }
    if (!(block.sampling == defaults_)) write_sampling(block.sampling, table);
  }

  void write_rule(Table const& table, Rule const& rule) {
    plan_.resolved += "\n[[expect]]\n";
    for (Entry const& entry : table.entries) {
      // A file is found from the deck that names it; the resolved deck may be kept elsewhere.
      bool const file = entry.key == "of" && rule.of == Rule::Of::file;
      write_line(
          entry.key,
          file ? to_toml({std::filesystem::absolute(rule.file).lexically_normal().string(), {}}) : entry_text(entry),
          table);
    }
  }

  static std::string entry_text(Entry const& entry) {
    Names texts;
    for (Scalar const& scalar : entry.values) texts.push_back(to_toml(scalar));
    if (entry.form == Entry::Form::scalar) return texts.front();
    if (entry.form == Entry::Form::list) return fmt::format("[{}]", fmt::join(texts, ", "));
    for (Table const& table : entry.tables) {
      for (Entry const& inner : table.entries) texts.push_back(fmt::format("{} = {}", inner.key, entry_text(inner)));
    }
    return fmt::format("{{ {} }}", fmt::join(texts, ", "));
  }

  // ---- [[case]]
  // --------------------------------------------------------------------------------------------------------

  void read_cases() {
    std::vector<Table> const& tables = sections("case");
    if (deck_.root.find("case") == nullptr) refuse({}, "case", "there is no [[case]]: nothing to run");
    double asked = 0;
    for (std::size_t i = 0; i < tables.size(); ++i) {
      std::size_t const before = mistakes_.size();
      Block const block = read_block(tables[i], fmt::format("case[{}]", i));
      if (block.pattern == nullptr || mistakes_.size() > before) continue;
      bool const was_too_much = asked > static_cast<double>(most_cases);
      asked += count(block);
      if (asked > static_cast<double>(most_cases)) {
        if (!was_too_much)
          refuse(block.at, block.where,
                 fmt::format("brings the deck to {:.0f} cases; at most {} make a plan", asked, most_cases));
        continue;
      }
      write_block(block, tables[i]);
      multiply(block);
    }
    if (mistakes_.empty() && plan_.cases.empty() && !only_.empty())
      refuse({0, 0, "--only " + only_}, "", "no case of this deck has that in its name");
  }

  Block read_block(Table const& table, std::string const& where) {
    Block block;
    block.at = table.at;
    block.where = where;
    block.sampling = defaults_;
    Scalar const* pattern_name = single(table, where, "pattern");
    if (table.find("pattern") == nullptr) miss_pattern(table, where);
    if (pattern_name == nullptr) return block;
    block.pattern = find_pattern(*pattern_name, where + ".pattern");
    if (block.pattern == nullptr) return block;
    Pattern const& pattern = *block.pattern;

    Names allowed{"pattern", "space", "variant", "type"};
    for (Key const& key : pattern.keys) allowed.push_back(key.name);
    allowed.insert(allowed.end(), sampling_keys().begin(), sampling_keys().end());
    check_names(table, where, allowed);
    read_sampling(table, where, block.sampling, false);

    block.spaces = words(table, where, "space", known_spaces(), {build_.default_space});
    std::size_t const before = mistakes_.size();
    for (std::string const& name :
         words(table, where, "variant", names_in(pattern.variants), names_in(pattern.variants)))
      block.variants.push_back(pattern.find_variant(name));
    if (mistakes_.size() > before) {  // unknown which were meant: then no key of the block is out of place
      block.variants.clear();
      for (Variant const& variant : pattern.variants) block.variants.push_back(&variant);
    }
    Names types;
    for (Type const type : pattern.types) types.emplace_back(name_of(type));
    for (std::string const& name : words(table, where, "type", types, {types.front()}))
      block.types.push_back(
          pattern.types[static_cast<std::size_t>(std::find(types.begin(), types.end(), name) - types.begin())]);

    for (Key const& key : pattern.keys) block.values.push_back(read_key(table, where, key, block));
    return block;
  }

  Pattern const* find_pattern(Scalar const& name, std::string const& where) {
    for (Pattern const& pattern : catalogue_) {
      if (name.is_text() && pattern.name == name.text()) return &pattern;
    }
    refuse(name.at, where,
           name.is_text() ? fmt::format("\"{}\" is unknown{}", name.text(), nearest(name.text(), names_in(catalogue_)))
                          : "expected a text in quotes");
    return nullptr;
  }

  /// The texts of a key that takes one or a list of `allowed`.
  Names words(Table const& table, std::string const& where, std::string const& key, Names const& allowed,
              Names const& fallback) {
    Entry const* entry = table.find(key);
    if (entry == nullptr || is_unreadable(*entry)) return fallback;
    Names chosen;
    std::string const path = where + "." + key;
    if (entry->form == Entry::Form::table || entry->form == Entry::Form::tables || entry->values.empty())
      refuse(entry->at, path, "expected a text or a list of texts");
    for (Scalar const& scalar : entry->values) {
      if (!scalar.is_text())
        refuse(scalar.at, path, "expected a text in quotes");
      else if (!contains(allowed, scalar.text()))
        refuse(scalar.at, path, fmt::format("\"{}\" is unknown{}", scalar.text(), nearest(scalar.text(), allowed)));
      else if (contains(chosen, scalar.text()))
        refuse(scalar.at, path, fmt::format("\"{}\" stands here twice", scalar.text()));
      else
        chosen.push_back(scalar.text());
    }
    return chosen;
  }

  std::vector<Value> read_key(Table const& table, std::string const& where, Key const& key, Block const& block) {
    Entry const* entry = table.find(key.name);
    std::string const path = where + "." + key.name;
    bool const used = !block.pattern->is_variant_key(key) ||
                      std::any_of(block.variants.begin(), block.variants.end(),
                                  [&](Variant const* v) { return contains(v->keys, key.name); });
    if (!used) {
      Names having;
      for (Variant const& variant : block.pattern->variants) {
        if (contains(variant.keys, key.name)) having.push_back(variant.name);
      }
      if (entry != nullptr)
        refuse(entry->at, path,
               fmt::format("none of the chosen variants has this key; these have: {}", fmt::join(having, ", ")));
      return {};
    }
    std::vector<Value> values;
    std::set<std::pair<std::array<std::int64_t, 3>, std::int64_t>> seen;
    auto const add = [&](Scalar const& scalar) {
      std::string reason;
      auto const value = parse_value(key, scalar, reason);
      if (value && seen.emplace(value->n, value->percent).second)
        values.push_back(*value);
      else
        refuse(scalar.at, path, value ? fmt::format("{} stands here twice", value->text()) : reason);
      return value.has_value();
    };
    if (entry == nullptr) {
      bool const number = key.kind == KeyKind::integer;
      add({number ? decltype(Scalar::value)(static_cast<std::int64_t>(std::stoll(key.fallback))) : key.fallback, {}});
    } else if (entry->form == Entry::Form::table) {
      for (Scalar const& scalar : read_range(key, *entry, path)) {
        if (!add(scalar)) break;  // one is enough: they all stand at the same place
      }
    } else if (is_unreadable(*entry)) {
      return {};
    } else if (entry->form == Entry::Form::tables || entry->values.empty()) {
      refuse(entry->at, path, "expected a value or a list of values");
    } else {
      for (Scalar const& scalar : entry->values) add(scalar);
    }
    return values;
  }

  /// The meaning of one value; when it has none, `reason` says what was expected.
  static std::optional<Value> parse_value(Key const& key, Scalar const& scalar, std::string& reason) {
    Value value;
    value.key = &key;
    auto const* integer = std::get_if<std::int64_t>(&scalar.value);
    switch (key.kind) {
      case KeyKind::choice: {
        if (!scalar.is_text()) return reason = "expected a text in quotes", std::nullopt;
        auto const it = std::find(key.choices.begin(), key.choices.end(), scalar.text());
        if (it == key.choices.end())
          return reason = fmt::format("\"{}\" is unknown{}", scalar.text(), nearest(scalar.text(), key.choices)),
                 std::nullopt;
        value.n[0] = it - key.choices.begin();
        return value;
      }
      case KeyKind::integer: {
        if (integer == nullptr || *integer < key.least)
          return reason = fmt::format("expected a whole number from {}", key.least), std::nullopt;
        if (!key.choices.empty() && !contains(key.choices, std::to_string(*integer)))
          return reason = fmt::format("{} is not built in; one of: {}", *integer, fmt::join(key.choices, ", ")),
                 std::nullopt;
        value.n[0] = *integer;
        return value;
      }
      case KeyKind::bytes: {
        std::optional<Bytes> bytes;
        if (scalar.is_text()) bytes = parse_bytes(scalar.text());
        if (integer != nullptr) bytes = parse_bytes(std::to_string(*integer));
        if (!bytes)
          return reason = "expected a size such as \"64 MiB\" (B, KiB, MiB, GiB, TiB), 4096 or \"25 %\"", std::nullopt;
        value.n[0] = bytes->count;
        value.percent = bytes->percent;
        return value;
      }
      case KeyKind::shape: {
        auto const extents = scalar.is_text() ? parse_shape(scalar.text()) : std::nullopt;
        if (!extents || extents->size() != key.choices.size())
          return reason = fmt::format("expected {} as one text, each from 1 to 2147483647, such as \"{}\"",
                                      fmt::join(key.choices, " x "), key.fallback),
                 std::nullopt;
        std::copy(extents->begin(), extents->end(), value.n.begin());
        return value;
      }
    }
    return {};
  }

  /// { from = 1, to = 64, times = 2 } or { from = 1, to = 9, step = 2 }, ends included where they are met.
  std::vector<Scalar> read_range(Key const& key, Entry const& entry, std::string const& path) {
    if (key.kind != KeyKind::integer && key.kind != KeyKind::bytes) {
      refuse(entry.at, path, "a range needs numbers or sizes");
      return {};
    }
    Table const& table = entry.tables.front();
    std::size_t const before = mistakes_.size();
    check_names(table, path, {"from", "to", "times", "step"});
    auto const number = [&](char const* name) -> std::int64_t {
      Scalar const* scalar = single(table, path, name);
      if (scalar == nullptr) return 0;
      std::string reason;
      bool const end = std::string_view(name) == "from" || std::string_view(name) == "to";
      Key const plain{key.name, end || std::string_view(name) == "step" ? key.kind : KeyKind::integer,
                      "",       {},
                      "",       end ? key.least : 1};
      auto const value = parse_value(plain, *scalar, reason);
      if (!value || value->percent != 0)
        refuse(scalar->at, fmt::format("{}.{}", path, name), value ? "a share cannot make a range" : reason);
      return value ? value->n[0] : 0;
    };
    std::int64_t const from = number("from"), to = number("to"), times = number("times"), step = number("step");
    if (mistakes_.size() > before) return {};
    bool const ends = table.find("from") != nullptr && table.find("to") != nullptr;
    if (!ends || (times == 0) == (step == 0)) {
      refuse(entry.at, path, "a range is { from, to, times } or { from, to, step }");
    } else if (to < from) {
      refuse(entry.at, path, "this range is empty: `to` is below `from`");
    } else if (times == 1) {
      refuse(entry.at, path, "this range never ends: `times` must be above 1");
    } else if (step != 0 && (to - from) / step >= static_cast<std::int64_t>(most_cases)) {
      refuse(entry.at, path,
             fmt::format("this range has {} values; at most {} make a plan", (to - from) / step + 1, most_cases));
    } else {
      std::vector<Scalar> values;
      for (std::int64_t n = from;;) {
        values.push_back({n, entry.at});
        if (times != 0 ? n > to / times : n > to - step) return values;
        n = times != 0 ? n * times : n + step;
      }
    }
    return {};
  }

  // ---- multiplying out
  // -------------------------------------------------------------------------------------------------

  static double count(Block const& block) {
    double problems = static_cast<double>(block.spaces.size() * block.types.size());
    double solutions = 0;
    for (std::size_t k = 0; k < block.values.size(); ++k) {
      if (!block.pattern->is_variant_key(block.pattern->keys[k]))
        problems *= static_cast<double>(block.values[k].size());
    }
    for (Variant const* variant : block.variants) {
      double ways = 1;
      for (std::size_t k = 0; k < block.values.size(); ++k) {
        if (contains(variant->keys, block.pattern->keys[k].name)) ways *= static_cast<double>(block.values[k].size());
      }
      solutions += ways;
    }
    return problems * solutions;
  }

  /// Problems outside, their solutions (variants and their own keys) inside: so the cases of a group stand together.
  void multiply(Block const& block) {
    std::vector<std::size_t> shared;
    for (std::size_t k = 0; k < block.values.size(); ++k) {
      if (!block.pattern->is_variant_key(block.pattern->keys[k])) shared.push_back(k);
    }
    Case proto;
    proto.pattern = block.pattern;
    proto.sampling = block.sampling;
    for (std::string const& space : block.spaces) {
      proto.space = space;
      proto.skip = contains(build_.spaces, space) ? "" : fmt::format("space {} is not in this build", space);
      for (Type const type : block.types) {
        proto.type = type;
        for_each_choice(block, shared, 0, proto, [&](Case const& problem) { add_solutions(block, problem); });
      }
    }
  }

  template <class Body>
  void for_each_choice(Block const& block, std::vector<std::size_t> const& keys, std::size_t depth, Case const& so_far,
                       Body const& body) {
    if (depth == keys.size()) return body(so_far);
    for (Value const& value : block.values[keys[depth]]) {
      Case next = so_far;
      next.values.push_back(value);
      for_each_choice(block, keys, depth + 1, next, body);
    }
  }

  void add_solutions(Block const& block, Case const& problem) {
    if (std::string const reason = block.pattern->refusal(problem); !reason.empty())
      return refuse(block.at, block.where, fmt::format("{}: {}", problem.problem(), reason));
    std::size_t const group = group_of_.try_emplace(problem.problem(), plan_.groups.size()).first->second;
    if (group == plan_.groups.size()) plan_.groups.emplace_back();
    for (Variant const* variant : block.variants) {
      std::vector<std::size_t> own;
      for (std::size_t k = 0; k < block.values.size(); ++k) {
        if (contains(variant->keys, block.pattern->keys[k].name)) own.push_back(k);
      }
      Case proto = problem;
      proto.variant = variant;
      if (proto.skip.empty() && is_host_space(problem.space))
        proto.skip = variant->role == Role::native ? "raw CUDA has no meaning on a host" : variant->not_on_hosts;
      for_each_choice(block, own, 0, proto, [&](Case const& solution) { add_case(block, solution, group); });
    }
    if (plan_.groups[group].empty()) {  // --only left nothing of it
      plan_.groups.pop_back();
      group_of_.erase(problem.problem());
    }
  }

  void add_case(Block const& block, Case const& solution, std::size_t group) {
    std::string name = solution.name();
    if (!only_.empty() && name.find(only_) == std::string::npos) return;
    auto const [it, is_new] = index_of_.try_emplace(std::move(name), plan_.cases.size());
    if (!is_new) {  // two blocks that overlap: measured once
      if (!(plan_.cases[it->second].sampling == solution.sampling))
        refuse(block.at, block.where, it->first + " stands in an earlier [[case]] with other sampling");
      return;
    }
    plan_.groups[group].push_back(plan_.cases.size());
    plan_.cases.push_back(solution);
  }

  // ---- [[expect]]
  // ------------------------------------------------------------------------------------------------------

  void read_rules() {
    cases_are_whole_ = mistakes_.empty();
    std::vector<Table> const& tables = sections("expect");
    for (std::size_t i = 0; i < tables.size(); ++i) {
      std::size_t const before = mistakes_.size();
      Rule rule = read_rule(tables[i], fmt::format("expect[{}]", i));
      if (mistakes_.size() > before) continue;
      write_rule(tables[i], rule);
      if (!rule.contests.empty()) plan_.rules.push_back(std::move(rule));
    }
  }

  Rule read_rule(Table const& table, std::string const& where) {
    Rule rule;
    rule.at = table.at;
    Scalar const* pattern_name = single(table, where, "pattern");
    if (pattern_name == nullptr) {
      if (table.find("pattern") == nullptr) miss_pattern(table, where);
      return rule;
    }
    Pattern const* pattern = find_pattern(*pattern_name, where + ".pattern");
    if (pattern == nullptr) return rule;

    Names selectors{"space", "variant", "type"};
    for (Key const& key : pattern->keys) selectors.push_back(key.name);
    Names allowed = selectors;
    allowed.insert(allowed.end(), {"pattern", "of", "at_least", "best_over", "optional", "why"});
    std::size_t const before = mistakes_.size();
    check_names(table, where, allowed);

    read_text(table, where, "why", rule.why);
    if (Scalar const* scalar = single(table, where, "optional")) {
      if (auto const* flag = std::get_if<bool>(&scalar->value))
        rule.optional = *flag;
      else
        refuse(scalar->at, where + ".optional", "expected true or false");
    }
    std::vector<Selector> const chosen = read_selectors(table, where, *pattern, selectors);
    Names const best_over =
        table.find("best_over") != nullptr ? words(table, where, "best_over", selectors, {}) : Names{};
    std::vector<Selector> const partner = read_of(table, where, *pattern, selectors, rule);
    read_at_least(table, where, *pattern, rule);
    if (!cases_are_whole_ || mistakes_.size() > before) return rule;  // whom it compares would be guesswork
    rule.text = rule_text(table);
    collect_contests(table, where, *pattern, chosen, partner, best_over, rule);
    return rule;
  }

  /// One key of a selection and the texts of it that are meant.
  struct Selector {
    std::string key;
    Names texts;
    std::vector<Value> values;
    Position at;
  };

  std::vector<Selector> read_selectors(Table const& table, std::string const& where, Pattern const& pattern,
                                       Names const& selectors) {
    std::vector<Selector> chosen;
    for (Entry const& entry : table.entries) {
      if (!contains(selectors, entry.key)) continue;
      Selector selector{entry.key, {}, {}, entry.at};
      if (Key const* key = pattern.find_key(entry.key)) {
        if (entry.form != Entry::Form::scalar && entry.form != Entry::Form::list)
          refuse(entry.at, where + "." + entry.key, "expected a value or a list of values");
        for (Scalar const& scalar : entry.values) {
          std::string reason;
          if (auto const value = parse_value(*key, scalar, reason)) {
            selector.texts.push_back(value->text());
            selector.values.push_back(*value);
          } else {
            refuse(scalar.at, where + "." + entry.key, reason);
          }
        }
      } else {
        Names types;
        for (Type const type : pattern.types) types.emplace_back(name_of(type));
        Names const& known = entry.key == "space"  ? known_spaces()
                             : entry.key == "type" ? types
                                                   : names_in(pattern.variants);
        selector.texts = words(table, where, entry.key, known, {});
      }
      chosen.push_back(std::move(selector));
    }
    return chosen;
  }

  std::vector<Selector> read_of(Table const& table, std::string const& where, Pattern const& pattern,
                                Names const& selectors, Rule& rule) {
    Entry const* entry = table.find("of");
    if (entry == nullptr) return {};
    if (entry->form == Entry::Form::table) {
      rule.of = Rule::Of::cases;
      check_names(entry->tables.front(), where + ".of", selectors);
      std::vector<Selector> partner = read_selectors(entry->tables.front(), where + ".of", pattern, selectors);
      for (Selector const& selector : partner) {
        if (selector.texts.size() != 1) refuse(selector.at, where + ".of." + selector.key, "takes one value");
      }
      if (partner.empty()) refuse(entry->at, where + ".of", "names no key: a case would be compared with itself");
      return partner;
    }
    Scalar const* scalar = single(table, where, "of");
    if (scalar == nullptr) return {};
    std::string const text = scalar->is_text() ? scalar->text() : "";
    rule.of = text == "bound" ? Rule::Of::bound : text == "model" ? Rule::Of::model : Rule::Of::file;
    if (rule.of == Rule::Of::file) {
      rule.file = (std::filesystem::path(deck_.file).parent_path() / text).string();
      std::error_code ignored;
      if (text.empty() || !std::filesystem::is_regular_file(rule.file, ignored)) {
        std::string const given = text.empty() ? "" : fmt::format("; there is no file {}", rule.file);
        refuse(scalar->at, where + ".of",
               "expected a table such as { variant = \"copy\" }, \"bound\", \"model\" or a result file" + given);
      }
    }
    return {};
  }

  static std::string or_a_rate(Pattern const& pattern) {
    return pattern.figure == Figure::latency ? ""
                                             : fmt::format(", or a rate such as \"100 {}\"", unit_of(pattern.figure));
  }

  void read_at_least(Table const& table, std::string const& where, Pattern const& pattern, Rule& rule) {
    std::string const path = where + ".at_least";
    if (table.find("at_least") == nullptr)
      return refuse(table.at, where, fmt::format("has no `at_least`: a ratio with `of`{}", or_a_rate(pattern)));
    Scalar const* scalar = single(table, where, "at_least");
    if (scalar == nullptr) return;
    if (table.find("of") != nullptr)
      return read_number(table, where, "at_least", rule.at_least, 1e-6, 1e6, "a ratio, such as 0.95");
    if (pattern.figure == Figure::latency)
      return refuse(scalar->at, path, "a latency has no rate: `at_least` is a ratio, and needs `of`");
    auto const rate = scalar->is_text() ? parse_rate(scalar->text()) : std::nullopt;
    if (!rate || (rate->unit == "FLOP/s") != (pattern.figure == Figure::compute))
      return refuse(scalar->at, path,
                    fmt::format("expected a rate such as \"100 {}\"; a ratio needs `of`", unit_of(pattern.figure)));
    rule.at_least = rate->per_second;
  }

  static std::string rule_text(Table const& table) {
    Names parts;
    for (Entry const& entry : table.entries) {
      if (entry.key != "why" && entry.key != "optional")
        parts.push_back(fmt::format("{} = {}", entry.key, entry_text(entry)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  static std::string text_of(Case const& c, std::string const& key) {
    if (key == "space") return c.space;
    if (key == "variant") return c.variant->name;
    if (key == "type") return std::string(name_of(c.type));
    Value const* value = c.find(key);
    return value == nullptr ? "" : value->text();
  }

  void collect_contests(Table const& table, std::string const& where, Pattern const& pattern,
                        std::vector<Selector> const& chosen, std::vector<Selector> const& partner,
                        Names const& best_over, Rule& rule) {
    std::unordered_map<std::string, std::size_t> contest_of;
    for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
      Case const& c = plan_.cases[i];
      if (c.pattern != &pattern) continue;
      if (!std::all_of(chosen.begin(), chosen.end(),
                       [&](Selector const& s) { return contains(s.texts, text_of(c, s.key)); }))
        continue;
      std::string identity;
      for (std::string const& key : {std::string("space"), std::string("variant"), std::string("type")})
        identity += (contains(best_over, key) ? "*" : text_of(c, key)) + "/";
      for (Value const& value : c.values) identity += (contains(best_over, value.key->name) ? "*" : value.text()) + "/";
      if (c.sampling.cold) identity += "cold";
      auto const [it, is_new] = contest_of.try_emplace(identity, rule.contests.size());
      if (is_new) rule.contests.emplace_back();
      Contest& contest = rule.contests[it->second];
      contest.cases.push_back(i);
      if (rule.of != Rule::Of::cases) continue;
      Position const& at = table.find("of")->at;
      std::size_t matches = 0;
      Case const other = counterpart(c, partner);
      bool complete = true;
      for (std::string const& key : other.variant->keys) {
        if (other.find(key) != nullptr) continue;
        complete = false;
        if (!contains(best_over, key))
          return refuse(at, where + ".of",
                        fmt::format("{} has no `{}`: say which `{}` of {} is meant, or name it in `best_over`",
                                    c.name(), key, key, other.variant->name));
      }
      for (std::string const& name : complete ? Names{other.name()} : names_of_completions(other)) {
        auto const found = index_of_.find(name);
        if (found == index_of_.end()) continue;
        if (found->second == i) return refuse(at, where + ".of", name + " would be compared with itself");
        contest.of.push_back(found->second);
        ++matches;
      }
      if (matches == 0) {
        if (only_.empty()) return refuse(at, where + ".of", "the plan has no " + other.name() + " to compare with");
        contest.cases.pop_back();
      }
    }
    for (Contest& contest : rule.contests) {
      std::sort(contest.of.begin(), contest.of.end());
      contest.of.erase(std::unique(contest.of.begin(), contest.of.end()), contest.of.end());
    }
    rule.contests.erase(
        std::remove_if(rule.contests.begin(), rule.contests.end(), [](Contest const& c) { return c.cases.empty(); }),
        rule.contests.end());
    if (rule.contests.empty() && only_.empty()) refuse(table.at, where, "selects no case of this deck");
  }

  /// The names that a case may have whose variant has keys that it was given no value for: one for each value in the
  /// plan.
  Names names_of_completions(Case const& incomplete) {
    std::vector<Case> whole{incomplete};
    for (Case& c : whole) c.values.clear();
    for (bool const own : {false, true}) {
      for (Key const& key : incomplete.pattern->keys) {
        if (own ? !contains(incomplete.variant->keys, key.name) : incomplete.pattern->is_variant_key(key)) continue;
        Value const* given = incomplete.find(key.name);
        std::vector<Value> const values =
            given != nullptr ? std::vector<Value>{*given} : values_in_plan(*incomplete.variant, key);
        std::vector<Case> longer;
        for (Case const& c : whole) {
          for (Value const& value : values) {
            longer.push_back(c);
            longer.back().values.push_back(value);
          }
        }
        whole = std::move(longer);
      }
    }
    Names names;
    for (Case const& c : whole) names.push_back(c.name());
    return names;
  }

  /// All values that a variant's key takes in this plan; looked up once.
  std::vector<Value> const& values_in_plan(Variant const& variant, Key const& key) {
    auto const [it, is_new] = values_in_plan_.try_emplace({&variant, &key});
    if (!is_new) return it->second;
    std::set<std::pair<std::array<std::int64_t, 3>, std::int64_t>> seen;
    for (Case const& c : plan_.cases) {
      Value const* value = c.variant == &variant ? c.find(key.name) : nullptr;
      if (value != nullptr && seen.emplace(value->n, value->percent).second) it->second.push_back(*value);
    }
    return it->second;
  }

  /// The same case but for the keys that `of` names; keys that only the one variant has are left out.
  Case counterpart(Case const& c, std::vector<Selector> const& partner) const {
    Case other = c;
    for (Selector const& selector : partner) {
      std::string const& text = selector.texts.front();
      if (selector.key == "space") other.space = text;
      if (selector.key == "variant") other.variant = c.pattern->find_variant(text);
      for (Type const type : c.pattern->types) {
        if (selector.key == "type" && name_of(type) == text) other.type = type;
      }
    }
    other.values.clear();
    for (Key const& key : c.pattern->keys) {  // shared keys first, then the variant's own: the order of a name
      if (!c.pattern->is_variant_key(key)) put_value(key, c, partner, other);
    }
    for (Key const& key : c.pattern->keys) {
      if (contains(other.variant->keys, key.name)) put_value(key, c, partner, other);
    }
    return other;
  }

  static void put_value(Key const& key, Case const& from, std::vector<Selector> const& partner, Case& to) {
    for (Selector const& selector : partner) {
      if (selector.key == key.name) {
        to.values.push_back(selector.values.front());
        return;
      }
    }
    if (Value const* value = from.find(key.name)) to.values.push_back(*value);
  }

  Deck const& deck_;
  Catalogue const& catalogue_;
  Build const& build_;
  std::string const& only_;
  std::vector<Mistake>& mistakes_;
  Sampling defaults_;
  Plan plan_;
  bool cases_are_whole_ = false;  ///< no mistake was found in them
  std::map<std::pair<Variant const*, Key const*>, std::vector<Value>> values_in_plan_;
  std::unordered_map<std::string, std::size_t> group_of_;
  std::unordered_map<std::string, std::size_t> index_of_;
};

}  // namespace

std::vector<std::string> const& known_spaces() {
  static std::vector<std::string> const names{"serial", "openmp", "threads", "cuda", "hip", "sycl"};
  return names;
}

Plan make_plan(Deck const& deck, Catalogue const& catalogue, Build const& build, std::string const& only,
               std::vector<Mistake>& mistakes) {
  return Planner(deck, catalogue, build, only, mistakes).run();
}

}  // namespace tilestride
