// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "deck/units.hpp"
#include "harness/result.hpp"
#include "harness/whole.hpp"
#include "patterns/l2_window/window.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

double bytes_of(Case const& c, char const* key) { return static_cast<double>(c.find(key)->n[0]); }

/// The persistent data that are used at all.
double footprint(Case const& c) { return std::min(bytes_of(c, "persistent"), bytes_of(c, "stream")); }

std::string refuse(Case const& c) {
  for (char const* key : {"stream", "persistent"}) {
    if (c.find(key)->n[0] % 16 != 0) return fmt::format("{} is no whole number of 16 bytes", key);
  }
  return "";
}

/// The stream twice: the library's copy of it is the ceiling.
double needs(Case const& c) { return 2 * bytes_of(c, "stream") + bytes_of(c, "persistent"); }

/// All that has to move when each byte comes from memory once.
Work work(Case const& c) { return {2 * (bytes_of(c, "stream") + footprint(c))}; }

double expected_hits(Case const& c) {
  double const set_aside = bytes_of(c, "set_aside");
  return persistent_hits(hit_ratio(c, set_aside, footprint(c)), set_aside, footprint(c));
}

Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  double const missed = 1 - expected_hits(c);
  return {2 * (bytes_of(c, "stream") * (1 + missed) + footprint(c) * (1 - missed)) / ceilings.copy, "memory"};
}

Quantities predict(Case const& c) {
  return is_host_space(c.space) ? Quantities{} : Quantities{{"hits predicted", expected_hits(c)}};
}

/// For each variant with a window, over the sizes of the persistent data or over ratios that do not follow from them:
/// how many times as fast as the same without.
struct Curve {
  std::string name;
  std::vector<std::string> points;
  std::string best_at;
  double best = 0, worst = 0;
};

std::vector<std::string> findings(std::vector<Result> const& results) {
  auto const find_base = [&](Case const& c) -> Result const* {
    bool const is_kokkos = c.variant->name.rfind("kokkos", 0) == 0;
    for (Result const& result : results) {
      if (result.outcome == Outcome::passed && result.planned->problem() == c.problem() &&
          result.planned->variant->name == (is_kokkos ? "kokkos_none" : "none"))
        return &result;
    }
    return nullptr;
  };
  std::vector<Curve> curves;
  for (Result const& result : results) {
    Case const& c = *result.planned;
    if (result.outcome != Outcome::passed || c.variant->name == "none" || c.variant->name == "kokkos_none") continue;
    Result const* base = find_base(c);
    if (base == nullptr) continue;
    Value const* const percent = c.find("hit_percent");
    std::string const swept = percent != nullptr && percent->text() != "fit" ? "hit_percent" : "persistent";
    std::string name = c.variant->name;
    for (Value const& value : c.values) {
      if (value.key->name != swept) name += fmt::format(" {}={}", value.key->name, value.text());
    }
    auto curve = std::find_if(curves.begin(), curves.end(), [&](Curve const& known) { return known.name == name; });
    if (curve == curves.end()) curve = curves.insert(curves.end(), {name, {}, "", 0, 0});
    double const gain = base->statistics().time.median / result.statistics().time.median;
    std::string const at = swept + "=" + c.find(swept)->text();
    curve->worst = curve->points.empty() ? gain : std::min(curve->worst, gain);
    curve->points.push_back(fmt::format("{:.2f} at {}", gain, c.find(swept)->text()));
    if (gain > curve->best) {
      curve->best = gain;
      curve->best_at = at;
    }
  }
  std::vector<std::string> sentences;
  for (Curve const& curve : curves) {
    std::string sentence =
        fmt::format("{}: {:.2f}x as fast as without a window at {}", curve.name, curve.best, curve.best_at);
    if (curve.points.size() > 1)
      sentence += fmt::format(", the best; {:.2f}x at worst: {}", curve.worst, fmt::join(curve.points, ", "));
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}  // namespace

Pattern l2_window_pattern() {
  std::string const no_window = "on a host the caches take no orders";
  std::vector<std::string> const tuning{"hit_percent", "miss"};
  Pattern pattern{
      "l2_window",
      "data that are used again and again beside a long stream: what does a part of L2 that is kept for them gain?",
      {Type::i32},
      Figure::bandwidth,
      "a copy of 2 x (stream x (2 - hits) + persistent x hits) bytes; hits = hit ratio, where hit ratio x persistent "
      "fits into the set-aside, else 0; hit ratio: none 0, persisting 1, tuned min(1, set_aside / persistent). A "
      "footprint that the cache keeps without being told, or a set-aside above the device's maximum, departs from it",
      {
          {"stream", KeyKind::bytes, "1 GiB", {}, "data that are used once"},
          {"persistent", KeyKind::bytes, "30 MiB", {}, "data that are used again: element i beside element i modulo"},
          {"set_aside", KeyKind::bytes, "30 MiB", {}, "part of L2 for what persists; at most what the device allows"},
          {"words", KeyKind::integer, "4", {"1", "4"}, "4-byte elements a thread moves at once; the guide's kernel: 1"},
          {"blocks", KeyKind::integer, "0", {}, "of the grid, 256 threads each; 0: one step a thread", 0},
          {"hit_percent",
           KeyKind::choice,
           "fit",
           {"fit", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100"},
           "hit ratio of the window; fit: what the set-aside can hold"},
          {"miss", KeyKind::choice, "streaming", {"streaming", "normal"}, "what the window's other lines are"},
      },
      {
          Variant{"kokkos_none", "no window", Role::solution, prepare_whole, {}}.only_on_devices(no_window),
          Variant{"kokkos_persisting",
                  "Kokkos kernel on a stream with a window: all lines persist",
                  Role::solution,
                  prepare_whole,
                  {}}
              .only_on_devices(no_window),
          Variant{"kokkos_tuned", "the same, no more lines than the set-aside holds", Role::solution, prepare_whole,
                  tuning}
              .only_on_devices(no_window),
          Variant{"none", "no window", Role::native, prepare_whole, {}}.twin_of("kokkos_none"),
          Variant{"persisting", "window on the stream: all lines persist", Role::native, prepare_whole, {}}.twin_of(
              "kokkos_persisting"),
          Variant{"tuned", "the same, no more lines than the set-aside holds", Role::native, prepare_whole, tuning}
              .twin_of("kokkos_tuned"),
          Variant{"graph", "as tuned, the window on a kernel node of a graph", Role::native, prepare_whole, tuning},
      },
      refuse,
      needs,
      work,
      model,
      findings,
  };
  pattern.on_hosts = "nothing: caches take no orders there";
  pattern.predict = predict;
  return pattern;
}

}  // namespace tilestride
