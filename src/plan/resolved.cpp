// SPDX-License-Identifier: BSD-3-Clause
#include "plan/resolved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "plan/settings.hpp"
#include "plan/values.hpp"

namespace tilestride {
namespace {

/// "tilestride.toml:12", "--set tile=8" or "default": where a value of the resolved deck comes from, for a comment.
std::string origin_of(Position const& at, std::string const& file) {
  std::string text = !at.origin.empty() ? at.origin : at.line == 0 ? "default" : fmt::format("{}:{}", file, at.line);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return text;
}

std::string list(Names const& names) { return fmt::format("[\"{}\"]", fmt::join(names, "\", \"")); }

/// The section of that name, or an empty one: then all of it is default.
Table const& table_or_empty(Deck const& deck, std::string const& name) {
  static Table const empty;
  Entry const* entry = deck.root.find(name);
  return entry != nullptr && entry->form == Entry::Form::table ? entry->tables.front() : empty;
}

class Writer {
 public:
  explicit Writer(Deck const& deck) : deck_(deck) {}

  void header(std::string_view text) { text_ += text; }

  /// `origin`: the entry of the deck that says so; null: none does.
  void line(std::string const& key, std::string const& value, Entry const* origin) {
    text_ += fmt::format("{:<60}  # {}\n", fmt::format("{} = {}", key, value),
                         origin == nullptr ? "default" : origin_of(origin->at, deck_.file));
  }

  std::string take() { return std::move(text_); }

 private:
  Deck const& deck_;
  std::string text_;
};

/// What `table`, a [[case]] perhaps, leaves out comes from `section`.
template <class T>
void write_settings(Writer& to, MemberSettings<T> const& settings, T const& values, Table const& table,
                    Table const& section) {
  for (MemberSetting<T> const& setting : settings) {
    Entry const* own = table.find(setting.name);
    if (auto const value = value_text(setting, values))
      to.line(setting.name, *value, own != nullptr ? own : section.find(setting.name));
  }
}

void write_block(Writer& to, Block const& block) {
  Names variants, types;
  for (Variant const* variant : block.variants) variants.push_back(variant->name);
  for (Type const type : block.types) types.emplace_back(name_of(type));
  to.header("\n[[case]]\n");
  auto const write = [&](std::string const& key, std::string const& value) {
    to.line(key, value, block.table->find(key));
  };
  write("pattern", fmt::format("\"{}\"", block.pattern->name));
  write("space", list(block.spaces));
  write("variant", list(variants));
  write("type", list(types));
  for (std::size_t k = 0; k < block.values.size(); ++k) {
    if (block.values[k].empty()) continue;
    Key const& key = block.pattern->keys[k];
    Names texts;
    for (Value const& value : block.values[k]) texts.push_back(value.text());
    write(key.name, key.kind == KeyKind::integer ? fmt::format("[{}]", fmt::join(texts, ", ")) : list(texts));
  }
}

void write_rule(Writer& to, Rule const& rule, Table const& table) {
  to.header("\n[[expect]]\n");
  for (Entry const& entry : table.entries) {
    // A file is found from the deck that names it; the resolved deck may be kept elsewhere.
    bool const file = entry.key == "of" && rule.of == Rule::Of::file;
    to.line(
        entry.key,
        file ? to_toml(Scalar{std::filesystem::absolute(rule.file).lexically_normal().string(), {}}) : to_toml(entry),
        &entry);
  }
}

}  // namespace

std::string resolved_deck(Deck const& deck, RunSettings const& run, Sampling const& defaults,
                          std::vector<Block> const& blocks, std::vector<Rule> const& rules) {
  Table const& sampling = table_or_empty(deck, "sampling");
  Writer to(deck);
  Table const& run_table = table_or_empty(deck, "run");
  to.header(fmt::format("schema = {}\n\n[run]\n", deck_schema));
  write_settings(to, run_settings(), run, run_table, run_table);
  to.header("\n[sampling]\n");
  write_settings(to, sampling_settings(), defaults, sampling, sampling);
  for (Block const& block : blocks) {
    write_block(to, block);
    if (!(block.sampling == defaults)) write_settings(to, sampling_settings(), block.sampling, *block.table, sampling);
  }
  for (std::size_t i = 0; i < rules.size(); ++i) write_rule(to, rules[i], deck.root.find("expect")->tables[i]);
  return to.take();
}

}  // namespace tilestride
