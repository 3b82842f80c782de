// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "plan/settings.hpp"
#include "plan/values.hpp"

namespace tilestride {
namespace {

// ---- reading

std::vector<Variant const*> read_variants(Section const& section, Pattern const& pattern) {
  std::size_t const before = section.mistakes.size();
  Names const all = names_in(pattern.variants);
  std::vector<Variant const*> variants;
  for (std::string const& name : section.words("variant", all, all)) variants.push_back(pattern.find_variant(name));
  if (section.mistakes.size() > before) {  // the variants are not known: then no key of the block can be rejected
    variants.clear();
    for (Variant const& variant : pattern.variants) variants.push_back(&variant);
  }
  return variants;
}

std::vector<Type> read_types(Section const& section, Pattern const& pattern) {
  Names const names = type_names(pattern);
  std::vector<Type> types;
  for (std::string const& name : section.words("type", names, {names.front()}))
    types.push_back(
        pattern.types[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())]);
  return types;
}

/// A key that none of the block's variants has gets no value, and must not be set.
std::vector<Value> read_key(Section const& section, Key const& key, Block const& block) {
  bool const used =
      !block.pattern->is_variant_key(key) || std::any_of(block.variants.begin(), block.variants.end(),
                                                         [&](Variant const* v) { return contains(v->keys, key.name); });
  if (used) return read_values(section, key);
  if (Entry const* entry = section.table.find(key.name)) {
    Names having;
    for (Variant const& variant : block.pattern->variants) {
      if (contains(variant.keys, key.name)) having.push_back(variant.name);
    }
    section.refuse(entry->at, section.path(key.name),
                   fmt::format("none of the chosen variants has this key; these have: {}", fmt::join(having, ", ")));
  }
  return {};
}

/// Without a pattern when the section names none.
Block read_block(Section const& section, Catalogue const& catalogue, std::string const& default_space,
                 Sampling const& defaults) {
  Block block;
  block.table = &section.table;
  block.where = section.where;
  block.sampling = defaults;
  block.pattern = read_pattern(section, catalogue);
  if (block.pattern == nullptr) return block;
  Pattern const& pattern = *block.pattern;

  Names allowed = names_in(case_settings());
  for (Names const& more : {names_in(pattern.keys), names_in(sampling_settings())})
    allowed.insert(allowed.end(), more.begin(), more.end());
  section.check_names(allowed);

  read_settings(section, sampling_settings(), block.sampling);
  block.spaces = section.words("space", known_spaces(), {default_space});
  block.variants = read_variants(section, pattern);
  block.types = read_types(section, pattern);
  for (Key const& key : pattern.keys) block.values.push_back(read_key(section, key, block));
  return block;
}

/// How many cases a block stands for; a double, because mistakes may be beyond any integer.
double count_cases(Block const& block) {
  std::vector<Key> const& keys = block.pattern->keys;
  auto problems = static_cast<double>(block.spaces.size() * block.types.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (!block.pattern->is_variant_key(keys[k])) problems *= static_cast<double>(block.values[k].size());
  }
  double solutions = 0;
  for (Variant const* variant : block.variants) {
    double ways = 1;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (contains(variant->keys, keys[k].name)) ways *= static_cast<double>(block.values[k].size());
    }
    solutions += ways;
  }
  return problems * solutions;
}

// ---- multiplying out

/// Calls `body` once for each choice of one value for each of `keys`, with these values appended to `c`.
template <class Body>
void for_each_choice(Block const& block, std::vector<std::size_t> const& keys, std::size_t depth, Case& c,
                     Body const& body) {
  if (depth == keys.size()) return body();
  for (Value const& value : block.values[keys[depth]]) {
    c.values.push_back(value);
    for_each_choice(block, keys, depth + 1, c, body);
    c.values.pop_back();
  }
}

/// The indices of the pattern's keys for which `holds`.
template <class Condition>
std::vector<std::size_t> keys_where(Pattern const& pattern, Condition const& holds) {
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < pattern.keys.size(); ++k) {
    if (holds(pattern.keys[k])) chosen.push_back(k);
  }
  return chosen;
}

/// Why a variant cannot be measured on a space, if that is already known.
std::optional<Skip> skip_of(Variant const& variant, std::string const& space, Names const& spaces) {
  if (!contains(spaces, space)) return Skip{SkipReason::not_built, fmt::format("no program here has space {}", space)};
  if (!is_host_space(space)) return {};
  if (variant.role == Role::native || variant.role == Role::hybrid)
    return Skip{SkipReason::no_meaning, "raw CUDA has no meaning on a host"};
  if (!variant.not_on_hosts.empty()) return Skip{SkipReason::no_meaning, variant.not_on_hosts};
  return {};
}

class Multiplication {
 public:
  /// `expected`: how many cases there will be, if that is known.
  Multiplication(std::size_t expected, Names const& spaces, std::string const& only, std::vector<Mistake>& mistakes)
      : spaces_(spaces), only_(only), mistakes_(mistakes) {
    cases_.all.reserve(expected);
    index_of_.reserve(expected);
  }

  void add(Block const& block) {
    Pattern const& pattern = *block.pattern;
    auto const shared = keys_where(pattern, [&](Key const& key) { return !pattern.is_variant_key(key); });
    std::vector<std::vector<std::size_t>> own;
    for (Variant const* variant : block.variants)
      own.push_back(keys_where(pattern, [&](Key const& key) { return contains(variant->keys, key.name); }));
    Case c;
    c.pattern = &pattern;
    c.sampling = block.sampling;
    for (std::string const& space : block.spaces) {
      c.space = space;
      for (Type const type : block.types) {
        c.type = type;
        for_each_choice(block, shared, 0, c, [&] { add_problem(block, own, c); });
      }
    }
  }

  Cases take() { return std::move(cases_); }

 private:
  /// `own`: for each of the block's variants, the keys that only some variants have and this one has.
  void add_problem(Block const& block, std::vector<std::vector<std::size_t>> const& own, Case& c) {
    std::string problem = c.problem();
    if (std::string const reason = c.refusal(); !reason.empty()) {
      mistakes_.emplace_back(block.table->at, block.where, fmt::format("{}: {}", problem, reason));
      return;
    }
    std::vector<std::size_t> added;
    for (std::size_t v = 0; v < block.variants.size(); ++v) {
      c.variant = block.variants[v];
      c.skip = skip_of(*c.variant, c.space, spaces_);
      for_each_choice(block, own[v], 0, c, [&] { add_case(block, c, added); });
    }
    c.variant = nullptr;
    c.skip.reset();
    if (added.empty()) return;  // --only removed all its cases, or an earlier block has them all
    auto const [it, is_new] = group_of_.try_emplace(std::move(problem), cases_.groups.size());
    if (is_new) cases_.groups.emplace_back();
    std::vector<std::size_t>& group = cases_.groups[it->second];
    group.insert(group.end(), added.begin(), added.end());
  }

  void add_case(Block const& block, Case const& c, std::vector<std::size_t>& added) {
    std::string name = c.name();
    if (!only_.empty() && name.find(only_) == std::string::npos) return;
    auto const [it, is_new] = index_of_.try_emplace(std::move(name), cases_.all.size());
    if (is_new) {
      added.push_back(cases_.all.size());
      cases_.all.push_back(c);
    } else if (!(cases_.all[it->second].sampling == c.sampling)) {  // else two blocks overlap: measured once
      mistakes_.emplace_back(block.table->at, block.where,
                             it->first + " stands in an earlier [[case]] with other sampling");
    }
  }

  Names const& spaces_;
  std::string const& only_;
  std::vector<Mistake>& mistakes_;
  Cases cases_;
  std::unordered_map<std::string, std::size_t> group_of_;  ///< by the problem's name
  std::unordered_map<std::string, std::size_t> index_of_;  ///< by the case's name
};

}  // namespace

std::vector<Block> read_blocks(Section const& deck, Catalogue const& catalogue, std::string const& default_space,
                               Sampling const& defaults) {
  std::vector<Table> const& tables = deck.tables("case");
  if (deck.table.find("case") == nullptr) deck.refuse({}, "case", "there is no [[case]]: nothing to run");
  std::vector<Block> blocks;
  double asked = 0;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::size_t const before = deck.mistakes.size();
    Block block =
        read_block({tables[i], fmt::format("case[{}]", i), deck.mistakes}, catalogue, default_space, defaults);
    if (block.pattern == nullptr || deck.mistakes.size() > before) continue;
    bool const was_too_much = asked > static_cast<double>(most_cases);
    asked += count_cases(block);
    if (asked <= static_cast<double>(most_cases))
      blocks.push_back(std::move(block));
    else if (!was_too_much)
      deck.refuse(tables[i].at, block.where,
                  fmt::format("brings the deck to {:.0f} cases; at most {} make a plan", asked, most_cases));
  }
  return blocks;
}

Cases multiply_out(std::vector<Block> const& blocks, Names const& spaces, std::string const& only,
                   std::vector<Mistake>& mistakes) {
  double count = 0;
  for (Block const& block : blocks) count += count_cases(block);
  Multiplication multiplication(only.empty() ? static_cast<std::size_t>(count) : 0, spaces, only, mistakes);
  for (Block const& block : blocks) multiplication.add(block);
  return multiplication.take();
}

}  // namespace tilestride
