// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "model/result.hpp"
#include "model/units.hpp"
#include "patterns/common/requests_on_card.hpp"
#include "patterns/common/teams_on_card.hpp"
#include "patterns/l2_window/native.hpp"
#include "patterns/l2_window/window.hpp"

namespace tilestride::l2_window {
namespace {

double bytes_of(Case const& c, char const* key) { return static_cast<double>(c.integer(key)); }

/// The persistent data that are used at all.
double footprint(Case const& c) { return std::min(bytes_of(c, "persistent"), bytes_of(c, "stream")); }

std::string refuse(Case const& c) {
  for (char const* key : {"stream", "persistent"}) {
    if (c.integer(key) % 16 != 0) return fmt::format("{} is no whole number of 16 bytes", key);
  }
  return "";
}

/// The stream twice: the library's copy of it is the ceiling.
double needs(Case const& c) { return 2 * bytes_of(c, "stream") + bytes_of(c, "persistent"); }

/// All that has to move when each byte comes from memory once.
Work work(Case const& c) { return {2 * (bytes_of(c, "stream") + footprint(c))}; }

double expected_hits(Marked marked, Case const& c) {
  return persistent_hits(window_of(marked, c, footprint(c)), footprint(c));
}

/// What memory moves, and what L2 serves of the persistent data. With blocks = 0 a thread makes one step: its teams
/// come and go as those of a copy, and its second pair of accesses is served after the first. Else a thread makes many
/// steps, and waits in each for its loads.
template <Marked marked>
Model model(Case const& c, Ceilings const& ceilings) {
  double const stored = seconds_of_a_byte_stored(c);
  if (ceilings.copy == 0 || stored == 0) return {};
  double const stream = bytes_of(c, "stream"), hits = expected_hits(marked, c);
  double const kept = 2 * (stream * (1 - hits) + footprint(c) * hits) / ceilings.copy + stream * hits * stored;
  Model const moved{2 * stream / ceilings.copy + kept, hits > 0 ? "memory and L2" : "memory"};
  double const words = bytes_of(c, "words"), steps = stream / (4 * words);
  if (c.integer("blocks") == 0) return with_teams(moved, c, steps / threads, threads, "copy", kept);
  double const walkers = std::min(bytes_of(c, "blocks") * threads, steps);
  double const load = seconds_of_a_load(c, walkers * words * (2 - hits));
  return load == 0 ? Model{} : slower_of(moved, {steps / walkers * load, "latency"});
}

template <Marked marked>
Quantities predict(Case const& c) {
  return is_host_space(c.space) ? Quantities{} : Quantities{{"hits predicted", expected_hits(marked, c)}};
}

/// A variant is judged by the lines that it marks.
template <Marked marked>
Variant marking(Variant variant) {
  return std::move(variant).with_model(model<marked>).with_predict(predict<marked>);
}

/// Only a trial with a window measures what was set aside.
bool has_window(Result const& result) {
  return std::any_of(result.measured.begin(), result.measured.end(),
                     [](auto const& quantity) { return quantity.first == "hit ratio"; });
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
    for (Result const& result : results) {
      if (result.outcome == Outcome::passed && !has_window(result) && result.planned->problem() == c.problem() &&
          result.planned->variant->role == c.variant->role)
        return &result;
    }
    return nullptr;
  };
  std::vector<Curve> curves;
  for (Result const& result : results) {
    Case const& c = *result.planned;
    if (result.outcome != Outcome::passed || !has_window(result)) continue;
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

Pattern pattern() {
  std::vector<std::string> const tuning{"hit_percent", "miss"}, listed{"window", "percent", "miss"};
  std::string const windowed = "Kokkos kernel; stream, set-aside and window by raw CUDA";
  Pattern p;
  p.name = "l2_window";
  p.meaning =
      "data that are used again and again beside a long stream: what does a part of L2 that is kept for them gain?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "a copy of 2 x (stream x (2 - hits) + persistent x hits) bytes, then 2 x stream x hits of the card's "
      "bandwidth/copy in L2; hits = hit ratio x window / persistent, where "
      "hit ratio x window fits into the set-aside that the device grants (whole steps of its own), else 0; window: "
      "persistent, listing's own; hit ratio: none 0, persisting 1, tuned min(1, set-aside / persistent), listing "
      "min(1, window / persistent); blocks = 0: no faster than the card's launch/teams and then the persistent data, "
      "else than a load per step by its bandwidth/one_by_one. A footprint that the cache keeps without being told "
      "departs from it";
  p.keys = {
      {"stream", KeyKind::bytes, "1 GiB", {}, "data that are used once"},
      {"persistent", KeyKind::bytes, "30 MiB", {}, "data that are used again: element i beside element i modulo"},
      {"set_aside", KeyKind::bytes, "30 MiB", {}, "part of L2 for what persists; at most what the device allows"},
      {"words",
       KeyKind::integer,
       "4",
       {"1", "4"},
       "4-byte elements that a thread moves at once; the guide's kernel: 1"},
      {"blocks", KeyKind::integer, "0", {}, "of the grid, 256 threads each; 0: one step per thread", 0},
      {"hit_percent",
       KeyKind::choice,
       "fit",
       {"fit", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100"},
       "hit ratio of the window; fit: what the set-aside can hold"},
      {"miss", KeyKind::choice, "streaming", {"streaming", "normal"}, "what the window's other lines are"},
      {"window", KeyKind::bytes, "20 MiB", {}, "of the guide's listing: addresses from the first persistent one on"},
      {"percent",
       KeyKind::integer,
       "0",
       {},
       "hit ratio of that window, at most 100; 0: the listing's, window / persistent",
       0},
  };
  p.variants = {
      marking<Marked::none>(hybrid("hybrid_none", "no window", "Kokkos kernel; stream by raw CUDA",
                                   prepare_whole<&Launchers::hybrid_none>)),
      marking<Marked::all>(hybrid("hybrid_persisting", "window on the stream: all lines persist", windowed,
                                  prepare_whole<&Launchers::hybrid_persisting>)),
      marking<Marked::share>(hybrid("hybrid_tuned", "the same, no more lines than the set-aside holds", windowed,
                                    prepare_whole<&Launchers::hybrid_tuned>))
          .with_keys(tuning),
      marking<Marked::listing>(hybrid("hybrid_listing", "the guide's listing: a window of a size of its own", windowed,
                                      prepare_whole<&Launchers::hybrid_listing>))
          .with_keys(listed),
      marking<Marked::none>(native("native_none", "no window", prepare_whole<&Launchers::native_none>))
          .twin_of("hybrid_none"),
      marking<Marked::all>(native("native_persisting", "window on the stream: all lines persist",
                                  prepare_whole<&Launchers::native_persisting>))
          .twin_of("hybrid_persisting"),
      marking<Marked::share>(native("native_tuned", "the same, no more lines than the set-aside holds",
                                    prepare_whole<&Launchers::native_tuned>))
          .twin_of("hybrid_tuned")
          .with_keys(tuning),
      marking<Marked::listing>(native("native_listing", "the guide's listing: a window of a size of its own",
                                      prepare_whole<&Launchers::native_listing>))
          .twin_of("hybrid_listing")
          .with_keys(listed),
      marking<Marked::share>(native("native_graph", "as native_tuned, the window on a kernel node of a graph",
                                    prepare_whole<&Launchers::native_graph>))
          .with_keys(tuning),
  };
  p.on_hosts = "nothing: a program cannot say there what a cache is to keep";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.findings = findings;
  // The guide draws a curve, and says this of it.
  for (auto const& [persistent, gain] : {std::pair{"30MiB", 1.5}, {"40MiB", 0.9}, {"50MiB", 0.9}, {"60MiB", 0.9}})
    p.published.push_back(
        {"native_persisting",
         Type::i32,
         {{"stream", "1GiB"}, {"persistent", persistent}, {"set_aside", "30MiB"}, {"words", "1"}, {"blocks", "0"}},
         gain,
         "x",
         "A100",
         "native_none"});
  return p;
}

}  // namespace tilestride::l2_window
