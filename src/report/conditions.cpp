// SPDX-License-Identifier: BSD-3-Clause
#include "report/conditions.hpp"

#include <fmt/format.h>

#include <vector>

#include "machine/environment.hpp"

namespace tilestride {
namespace {

/// "LD_PRELOAD=libx.so", with escapes for what cannot be printed.
std::string assignment(std::string const& name, std::string const& value) {
  std::string const quoted = to_line(name + "=" + value);
  return quoted.substr(1, quoted.size() - 2);
}

/// The line, or nothing when it would list nothing.
std::string line_of(char const* what, std::vector<std::string> const& listed) {
  return listed.empty() ? "" : fmt::format("{}{}\n", what, fmt::join(listed, ", "));
}

}  // namespace

std::string condition_lines(Json const& header, bool clean_environment) {
  std::vector<std::string> conditions, unseen;
  for (auto const& [name, value] : header.at("conditions").items())
    conditions.push_back(fmt::format("{} {}", name, value.get<std::string>()));
  for (auto const& [name, value] : header.at("unseen").items()) {
    std::string const loads = loaded_by(name);
    unseen.push_back(assignment(name, value.get<std::string>()) + (loads.empty() ? "" : " (" + loads + ")"));
  }
  return line_of("conditions: ", conditions) +
         line_of(clean_environment ? "environment: kept from the workers: "
                                   : "environment: figures may differ, because this is set: ",
                 unseen) +
         line_of("tools: figures may differ: ", header.at("tools").get<std::vector<std::string>>());
}

}  // namespace tilestride
