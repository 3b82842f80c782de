// SPDX-License-Identifier: BSD-3-Clause
#include "results/references.hpp"

#include <stdexcept>

#include "model/spaces.hpp"
#include "model/statistics.hpp"
#include "results/read.hpp"

namespace tilestride {
namespace {

Reference reference_of(Json const& result) {
  auto const figure = result.at("figure").get<std::string>();
  Reference reference{result.at("samples").get<std::vector<double>>(),
                      result.at("work").at(counted_work(figure)).get<double>()};
  if (!all_positive(reference.samples) || reference.amount <= 0)
    throw std::runtime_error("is no result document of this program");
  return reference;
}

std::unordered_map<std::string, Reference> references_of(Json const& document) try {
  std::unordered_map<std::string, Reference> references;
  for (Json const& result : document.at("results")) {
    if (result.at("outcome") == "passed")
      references.emplace(result.at("name").get<std::string>(), reference_of(result));
  }
  return references;
} catch (Json::exception const&) {
  throw std::runtime_error("is no result document of this program");
}

}  // namespace

std::unordered_map<std::string, Reference> read_references(std::string const& file) {
  return references_of(read_document(file));
}

Card card_of(Json const& document) {
  Card card;
  for (auto const& [name, reference] : references_of(document))
    card[name] = reference.amount / summarize(reference.samples).time.median;
  return card;
}

std::string measured_on(Json const& document, std::string const& space) {
  auto const fact = [](Json const& of, char const* part, std::string const& name) {
    auto const it = of.find(part);
    return it == of.end() ? "" : it->value(name, std::string());
  };
  if (is_host_space(space)) return fact(document, "machine", "cpu");
  Json const programs = document.value("programs", Json::object());
  for (auto const& [program, described] : programs.items()) {
    std::string device = fact(described, "spaces", space + ": device");
    if (!device.empty()) return device;
  }
  return "";
}

}  // namespace tilestride
