// SPDX-License-Identifier: BSD-3-Clause
#include "plan/settings.hpp"

#include <fmt/format.h>

namespace tilestride {

void check_schema(Section const& deck) {
  Entry const* entry = deck.table.find("schema");
  if (entry == nullptr) return deck.refuse({}, "schema", "is missing: a deck says `schema = 1`");
  if (is_unreadable(*entry)) return;
  bool const single = entry->form == Entry::Form::scalar;
  std::int64_t const* version = single ? std::get_if<std::int64_t>(&entry->values[0].value) : nullptr;
  if (version == nullptr || *version != 1)
    deck.refuse(single ? entry->values[0].at : entry->at, "schema", "this program reads decks with `schema = 1`");
}

RunSettings read_run(Section const& deck) {
  RunSettings settings;
  auto const run = deck.find_table("run");
  if (!run) return settings;
  run->check_names({"title", "budget", "seed", "require", "clean_environment"});
  run->read_text("title", settings.title);
  run->read_duration("budget", settings.budget);
  run->read_number("seed", settings.seed, 0, 0x1p53, "a whole number from 0");
  run->read_flag("clean_environment", settings.clean_environment);
  settings.require = run->words("require", known_spaces(), {});
  return settings;
}

Sampling read_default_sampling(Section const& deck) {
  Sampling defaults;
  if (auto const section = deck.find_table("sampling")) {
    section->check_names(sampling_keys());
    read_sampling(*section, defaults);
  }
  return defaults;
}

void read_sampling(Section const& section, Sampling& to) {
  section.read_number("min_samples", to.min_samples, 3, 1e6, "a whole number from 3 to 1000000");
  section.read_duration("max_time", to.max_time);
  section.read_number("spread", to.spread, 1e-6, 1, "a share from 1e-6 to 1");
  std::string cache = to.cold ? "cold" : "warm";
  section.read_text("cache", cache);
  if (cache != "warm" && cache != "cold") {
    Scalar const& given = section.table.find("cache")->values[0];
    section.refuse(given.at, section.path("cache"),
                   fmt::format("\"{}\" is unknown{}", cache, nearest(cache, {"warm", "cold"})));
  }
  to.cold = cache == "cold";
  section.read_flag("energy", to.energy);
}

Names const& sampling_keys() {
  static Names const keys{"min_samples", "max_time", "spread", "cache", "energy"};
  return keys;
}

}  // namespace tilestride
