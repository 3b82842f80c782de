// SPDX-License-Identifier: BSD-3-Clause
#include "harness/result.hpp"

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

double Result::median_rate(std::string const& yardstick) const {
  auto const it = yardsticks.find(yardstick);
  return it == yardsticks.end() ? 0 : estimate(it->second).median;
}

double Result::amount() const { return planned->pattern->figure == "GFLOP/s" ? work.flops : work.bytes; }
double Result::rate() const { return amount() / statistics().time.median; }
std::string Result::ceiling_name() const { return planned->pattern->figure == "GFLOP/s" ? "fma" : "copy"; }

}  // namespace tilestride
