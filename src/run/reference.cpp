// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <cmath>

#include "model/spaces.hpp"
#include "plan/settings.hpp"

namespace tilestride {
namespace {

Json described(Setting const& setting) {
  Json json{{"name", setting.name}, {"kind", name_of(setting.kind)}, {"takes", setting.takes()}};
  if (setting.kind == Setting::Kind::whole) {
    json.update({{"least", std::llround(setting.least)}, {"most", std::llround(setting.most)}});
  } else if (setting.least < setting.most) {
    json.update({{"least", setting.least}, {"most", setting.most}});
  }
  if (!setting.choices.empty()) json["choices"] = setting.choices;
  json["meaning"] = setting.meaning;
  return json;
}

void describe(Settings const& settings, Json& to) {
  for (Setting const& setting : settings) to.push_back(described(setting));
}

template <class T>
void describe(MemberSettings<T> const& settings, Json& to) {
  for (MemberSetting<T> const& setting : settings) {
    Json json = described(setting);
    if (auto const value = value_text(setting, T{})) json["default"] = Json::parse(*value);  // such TOML is JSON, too
    to.push_back(std::move(json));
  }
}

Json settings_of(std::string const& table) {
  Json settings = Json::array();
  if (table == "run") describe(run_settings(), settings);
  if (table == "sampling") describe(sampling_settings(), settings);
  if (table == "case") describe(case_settings(), settings);
  if (table == "expect") {
    describe(selector_settings(), settings);
    describe(comparison_settings(), settings);
    describe(rule_settings(), settings);
  }
  return settings;
}

std::string_view name_of(KeyKind kind) {
  switch (kind) {
    case KeyKind::choice: return "choice";
    case KeyKind::integer: return "integer";
    case KeyKind::bytes: return "bytes";
    case KeyKind::shape: return "shape";
  }
  return "";
}

Json described(Key const& key) {
  Json json{{"name", key.name}, {"kind", name_of(key.kind)}};
  bool const integer = key.kind == KeyKind::integer;
  if (key.kind == KeyKind::shape) {
    json["axes"] = key.choices;
  } else if (integer && !key.choices.empty()) {
    for (std::string const& choice : key.choices) json["choices"].push_back(std::stoll(choice));
  } else if (integer) {
    json["least"] = key.least;
  } else if (key.kind == KeyKind::choice) {
    json["choices"] = key.choices;
  }
  json["default"] = integer ? Json(std::stoll(key.fallback)) : Json(key.fallback);
  json["meaning"] = key.meaning;
  return json;
}

Json described(Variant const& variant) {
  Json json{{"name", variant.name}, {"role", name_of(variant.role)}, {"meaning", variant.meaning}};
  if (!variant.twin.empty()) json["twin"] = variant.twin;
  if (!variant.parts.empty()) json["parts"] = variant.parts;
  if (!variant.not_on_hosts.empty()) json["not_on_hosts"] = variant.not_on_hosts;
  json["keys"] = variant.keys;
  return json;
}

Json described(Published const& figure) {
  Json keys = Json::object();
  for (auto const& [key, value] : figure.keys) keys[key] = value;
  Json json{{"variant", figure.variant}, {"type", name_of(figure.type)}, {"keys", std::move(keys)},
            {"value", figure.value},     {"unit", figure.unit},          {"device", figure.device}};
  if (!figure.over.empty()) json["over"] = figure.over;
  if (figure.peak) json["peak"] = true;
  return json;
}

Json described(Pattern const& pattern);

template <class List>
Json described_all(List const& list) {
  Json all = Json::array();
  for (auto const& element : list) all.push_back(described(element));
  return all;
}

Json described(Pattern const& pattern) {
  Json types = Json::array();
  for (Type const type : pattern.types) types.push_back(name_of(type));
  Json json{{"name", pattern.name},
            {"meaning", pattern.meaning},
            {"types", std::move(types)},
            {"figure", name_of(pattern.figure)},
            {"unit", unit_of(pattern.figure)},
            {"formula", pattern.formula}};
  if (!pattern.on_hosts.empty()) json["on_hosts"] = pattern.on_hosts;
  json["variants"] = described_all(pattern.variants);
  json["keys"] = described_all(pattern.keys);
  json["published"] = described_all(pattern.published);
  return json;
}

}  // namespace

Json reference(Catalogue const& catalogue) {
  Json tables = Json::array();
  for (DeckTable const& table : deck_tables()) {
    tables.push_back({{"name", table.name},
                      {"repeated", table.repeated},
                      {"meaning", table.meaning},
                      {"settings", settings_of(table.name)}});
  }
  Json range = Json::array();
  describe(range_settings(), range);
  return {{"schema", deck_schema},
          {"spaces", known_spaces()},
          {"tables", std::move(tables)},
          {"range", std::move(range)},
          {"patterns", described_all(catalogue)}};
}

}  // namespace tilestride
