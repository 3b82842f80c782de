// SPDX-License-Identifier: BSD-3-Clause
#include "results/seal.hpp"

#include <cmath>

#include "results/sha256.hpp"

namespace tilestride {
namespace {

/// nlohmann::json sorts keys; Json keeps their order.
nlohmann::json sorted(Json const& json) {
  if (json.is_object()) {
    auto object = nlohmann::json::object();
    for (auto const& [key, value] : json.items()) object[key] = sorted(value);
    return object;
  }
  if (json.is_array()) {
    auto array = nlohmann::json::array();
    for (Json const& value : json) array.push_back(sorted(value));
    return array;
  }
  if (json.is_number_float()) {
    double const number = json.get<double>();
    if (number == std::floor(number) && std::abs(number) < 0x1p63) return static_cast<std::int64_t>(number);
  }
  return nlohmann::json(json);
}

}  // namespace

std::string canonical(Json const& json) {
  return sorted(json).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Json seal_of(Json const& document) {
  Json programs = Json::object();
  for (auto const& [name, program] : document.at("programs").items()) programs[name] = program.value("sha256", "");
  Json samples = Json::array();
  for (Json const& result : document.at("results"))
    samples.push_back({result.at("name"), result.at("outcome"), result.value("samples", Json::array())});
  Json summary = document;
  summary.erase("seal");
  return {{"algorithm", "sha256"},
          {"deck", sha256(document.at("deck").get<std::string>())},
          {"programs", programs},
          {"samples", sha256(canonical(samples))},
          {"summary", sha256(canonical(summary))}};
}

}  // namespace tilestride
