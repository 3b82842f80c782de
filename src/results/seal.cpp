// SPDX-License-Identifier: BSD-3-Clause
#include "results/seal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "results/sha256.hpp"

namespace tilestride {
namespace {

void write(std::string& text, Json const& json, Digits digits) {
  if (json.is_object()) {
    std::map<std::string_view, Json const*> sorted;
    for (auto const& [key, value] : json.items()) sorted.emplace(key, &value);
    char separator = '{';
    for (auto const& [key, value] : sorted) {
      text += std::exchange(separator, ',') + to_line(key) + ':';
      write(text, *value, digits);
    }
    text += sorted.empty() ? "{}" : "}";
  } else if (json.is_array()) {
    char separator = '[';
    for (Json const& value : json) {
      text += std::exchange(separator, ',');
      write(text, value, digits);
    }
    text += json.empty() ? "[]" : "]";
  } else if (json.is_number_float()) {
    double const number = json.get<double>();
    if (number == std::floor(number) && std::abs(number) < 0x1p63)
      text += fmt::to_string(static_cast<std::int64_t>(number));
    else
      text += digits == Digits::fewest && std::isfinite(number) ? fmt::to_string(number) : to_line(json);
  } else {
    text += to_line(json);
  }
}

}  // namespace

std::string canonical(Json const& json, Digits digits) {
  std::string text;
  write(text, json, digits);
  return text;
}

Json seal_of(Json const& document) {
  bool const older = document.contains("seal") && !document["seal"].contains("numbers");
  Digits const digits = older ? Digits::of_nlohmann_json : Digits::fewest;
  Json programs = Json::object();
  for (auto const& [name, program] : document.at("programs").items()) programs[name] = program.value("sha256", "");
  Json samples = Json::array();
  for (Json const& result : document.at("results"))
    samples.push_back({result.at("name"), result.at("outcome"), result.value("samples", Json::array())});
  Json summary = document;
  summary.erase("seal");
  Json seal{{"algorithm", "sha256"}};
  if (!older) seal["numbers"] = "fewest digits";
  seal["deck"] = sha256(document.at("deck").get<std::string>());
  seal["programs"] = programs;
  seal["samples"] = sha256(canonical(samples, digits));
  seal["summary"] = sha256(canonical(summary, digits));
  return seal;
}

}  // namespace tilestride
