// SPDX-License-Identifier: BSD-3-Clause
#include "model/result.hpp"

#include <algorithm>

namespace tilestride {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed: return "passed";
    case Outcome::failed: return "FAILED";
    case Outcome::error: return "error";
    case Outcome::skipped: return "skipped";
    case Outcome::not_run: return "not run";
  }
  return {};
}

double OfRanks::median() const { return median_of(seconds); }
double OfRanks::slowest() const { return seconds[slowest_rank()]; }
std::size_t OfRanks::slowest_rank() const {
  return static_cast<std::size_t>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
}

double Result::measured_value(std::string_view name) const {
  for (auto const& [known, value] : measured) {
    if (known == name) return value;
  }
  return 0;
}

double Result::median_rate(std::string const& yardstick) const {
  auto const it = yardsticks.find(yardstick);
  return it == yardsticks.end() ? 0 : estimate(it->second).median;
}

void Result::set_ceilings() {
  ceilings.copy = median_rate("copy");
  ceilings.fma = median_rate("fma");
  ceilings.read = median_rate("read");
  for (auto const& [name, rates] : yardsticks) ceilings.by_name[name] = median_rate(name);
}

double Result::amount() const {
  switch (planned->pattern->figure) {
    case Figure::bandwidth: return work.bytes;
    case Figure::compute: return work.flops;
    case Figure::latency: return work.operations;
  }
  return 0;
}

double Result::rate() const { return amount() / statistics().time.median; }

double Result::in_unit(double rate) const {
  return planned->pattern->figure == Figure::latency ? 1e9 / rate : rate / 1e9;
}

std::string Result::ceiling_name() const {
  switch (planned->pattern->figure) {
    case Figure::bandwidth: return yardsticks.count("read") != 0 ? "read" : "copy";
    case Figure::compute: return "fma";
    case Figure::latency: return "";
  }
  return "";
}

double Result::ceiling() const {
  std::string const name = ceiling_name();
  return name == "copy" ? ceilings.copy : name == "read" ? ceilings.read : name == "fma" ? ceilings.fma : 0;
}

}  // namespace tilestride
