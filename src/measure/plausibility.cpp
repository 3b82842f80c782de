// SPDX-License-Identifier: BSD-3-Clause
#include "measure/plausibility.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilestride {
namespace {

/// Kernels have been up to 1.6 times as fast as a copy, where they only read or their stores go past the caches; the
/// rest is for noise, on a machine with other work too. Multiply-adds likewise.
constexpr double most_of_yardstick = 5;
/// Seconds: a yardstick that takes less may be the start of its threads, which a kernel may do without.
constexpr double shortest_yardstick = 1e-3;
/// Seconds: no load, store or addition takes less than half a clock of 5 GHz.
constexpr double shortest_operation = 1e-10;

std::string gigabytes(double rate, std::string const& limit, double most) {
  return fmt::format("{:.0f} GB/s is above {}, {:.0f} GB/s: the measurement is wrong, or work was skipped", rate / 1e9,
                     limit, most / 1e9);
}

/// The fastest sample of a yardstick: others may have been disturbed. 0 where it was not measured.
double fastest(Result const& result, std::string const& yardstick) {
  auto const it = result.yardsticks.find(yardstick);
  return it == result.yardsticks.end() ? 0 : *std::max_element(it->second.begin(), it->second.end());
}

std::string too_many_bytes(Result const& result, Case const& c, Device const& device, double seconds) {
  double const rate = result.work.bytes / seconds;
  // Data that fit into the caches may be faster than the memory; of larger ones the caches may hold a part from before.
  double const needs = c.needs();
  double const not_cached = 1 - device.last_cache / needs;
  double const peak = needs > 4 * device.last_cache ? c.memories() * device.peak_bandwidth / not_cached : 0;
  double const from_memory = c.pattern->from_memory == nullptr ? rate : c.pattern->from_memory(c) / seconds;
  if (peak > 0 && from_memory > peak) return gigabytes(from_memory, "the memory's peak", peak);
  double const caches = c.memories() * device.cache_bandwidth;
  if (caches > 0 && rate > caches) return gigabytes(rate, "what the caches can move", caches);
  if (device.peak_bandwidth > 0) return "";  // small copies are launches, and large ones were judged above
  double const measured = most_of_yardstick * std::max(fastest(result, "copy"), fastest(result, "read"));
  if (measured > 0 && result.work.bytes / measured > shortest_yardstick / most_of_yardstick && rate > measured)
    return gigabytes(rate, fmt::format("{} times the measured copy", most_of_yardstick), measured);
  return "";
}

std::string too_many_flops(Result const& result, Case const& c, Device const& device, double seconds) {
  if (result.rounded() || result.made_of_others()) return "";
  double const rate = c.computed_flops() / seconds;
  double peak = c.type == Type::f64 ? device.peak_f64 : device.peak_f32;
  // A library may use wider vectors than the rest of the program was compiled for, or matrix units.
  bool const as_yardstick = c.variant->role != Role::library && !c.variant->matrix_units;
  double const measured = as_yardstick ? most_of_yardstick * fastest(result, "fma") : 0;
  if (measured > 0 && (peak == 0 || measured < peak)) peak = measured;
  if (peak == 0 || rate <= peak) return "";
  return fmt::format(
      "{:.0f} GFLOP/s is above {}, {:.0f} GFLOP/s: the measurement is wrong, or work was skipped", rate / 1e9,
      peak == measured ? fmt::format("{} times the measured multiply-adds", most_of_yardstick) : "the device's peak",
      peak / 1e9);
}

std::string too_short(Result const& result, Case const& c, Device const& device, double seconds) {
  if (c.pattern->figure != Figure::latency) return "";
  double const each = seconds / result.work.operations;
  double const least = device.clock > 0 ? std::max(shortest_operation, 0.5 / device.clock) : shortest_operation;
  if (each >= least) return "";
  return fmt::format(
      "{:.3g} ns for an operation is less than half a clock: the measurement is wrong, or work was skipped",
      each * 1e9);
}

}  // namespace

std::string why_impossible(Result const& result, Case const& c, Device const& device) {
  double const seconds = result.statistics().time.median;
  for (auto* const check : {too_many_bytes, too_many_flops, too_short}) {
    if (std::string reason = check(result, c, device, seconds); !reason.empty()) return reason;
  }
  return c.pattern->implausible == nullptr ? "" : c.pattern->implausible(result);
}

}  // namespace tilestride
