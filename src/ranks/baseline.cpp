// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/baseline.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tilestride {

Baseline read_baseline(std::string const& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(fmt::format("{} cannot be read", path));
  auto const json = nlohmann::json::parse(stream, nullptr, false);
  Baseline baseline;
  try {
    if (json.at("schema") != 1) throw std::runtime_error("another schema");
    for (auto const& [name, of_case] : json.at("cases").items()) {
      Baseline::OfCase& to = baseline.cases[name];
      to.own_mad = of_case.value("own_mad", 0.0);
      for (auto const& [id, rate] : of_case.at("devices").items()) {
        if (rate.get<double>() > 0) to.devices[id] = rate.get<double>();
      }
    }
  } catch (std::exception const&) {
    throw std::runtime_error(fmt::format("{} is no baseline of tools/learn_baseline.py", path));
  }
  return baseline;
}

}  // namespace tilestride
