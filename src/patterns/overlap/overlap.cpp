// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "deck/units.hpp"
#include "harness/result.hpp"
#include "harness/whole.hpp"
#include "patterns/overlap/pipeline.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

/// Inputs lie in [-2^21, 2^21), so that f32 counts them up exactly by this many.
constexpr std::int64_t most_steps = 1 << 22;

double array_bytes(Case const& c) { return static_cast<double>(c.find("bytes")->n[0]); }

/// The two-stage variants leave the result on the device.
bool copies_back(Case const& c) {
  std::string const& name = c.variant->name;
  return name != "two_streams" && name != "staged" && name != "kokkos_staged";
}

std::string refuse(Case const& c) {
  auto const bytes = c.find("bytes")->n[0];
  if (bytes % size_of(c.type) != 0)
    return fmt::format("{} bytes are no whole number of {} elements of {} bytes", bytes, name_of(c.type),
                       size_of(c.type));
  if (c.integer("intensity") > most_steps)
    return fmt::format("after more than {} steps the kernel's numbers are no longer exact in f32", most_steps);
  return "";
}

double needs(Case const& c) { return (c.variant->name == "two_streams" ? 3 : 2) * array_bytes(c); }

/// Bytes are those that pass the link.
Work work(Case const& c) {
  double const steps =
      array_bytes(c) / static_cast<double>(size_of(c.type)) * static_cast<double>(c.integer("intensity"));
  return {(copies_back(c) ? 2 : 1) * array_bytes(c), 2 * steps};
}

/// The parts, from the rates of the yardsticks; 0 where they were not measured.
template <class RateOf>
Parts parts_from(double bytes, double flops, RateOf const& rate) {
  auto const seconds = [&](char const* name, double amount) { return rate(name) > 0 ? amount / rate(name) : 0; };
  return {seconds("h2d", bytes), seconds("kernel", flops), seconds("d2h", bytes), seconds("copy", 2 * bytes),
          seconds("launch", 1)};
}
Parts parts_of(Case const& c, Ceilings const& ceilings) {
  return parts_from(array_bytes(c), work(c).flops, [&](std::string const& name) {
    auto const it = ceilings.by_name.find(name);
    return it == ceilings.by_name.end() ? 0 : it->second;
  });
}
Parts parts_of(Result const& result) {
  double const bytes = result.work.bytes / (copies_back(*result.planned) ? 2 : 1);
  return parts_from(bytes, result.work.flops, [&](std::string const& name) { return result.median_rate(name); });
}

/// Nothing overlaps.
Model sequence_model(Case const& c, Ceilings const& ceilings) {
  Parts const parts = parts_of(c, ceilings);
  if (parts.kernel == 0) return {};
  Cut const cut = cut_of(c, copies_back(c));
  return {in_sequence(parts, cut) + static_cast<double>(cut.chunks) * parts.launch, "sum"};
}

Model pipeline_model(Case const& c, Ceilings const& ceilings) {
  Parts const parts = parts_of(c, ceilings);
  if (parts.kernel == 0) return {};
  Cut const cut = cut_of(c, copies_back(c));
  double const time = pipeline_time(parts, cut);
  if (cut.streams == 1) return {time, "sum"};
  if (too_few_streams(parts, cut)) return {time, "streams"};
  return {time, parts.kernel == overlap_bound(parts, cut) ? "kernel" : "link"};
}

Model default_stream_model(Case const& c, Ceilings const& ceilings) {
  Parts const parts = parts_of(c, ceilings);
  if (parts.kernel == 0) return {};
  return {rounds_time(parts, cut_of(c, true)), "sum"};
}

/// Two things that have nothing to do with each other.
Model apart_model(Case const& c, Ceilings const& ceilings) {
  Parts const parts = parts_of(c, ceilings);
  if (parts.kernel == 0) return {};
  return {std::max(parts.h2d, parts.kernel) + parts.launch, parts.kernel > parts.h2d ? "kernel" : "link"};
}

Quantities derive(Result const& result) {
  Case const& c = *result.planned;
  Parts const parts = parts_of(result);
  Cut const cut = cut_of(c, copies_back(c));
  double const bound = overlap_bound(parts, cut);
  Quantities columns{{"h2d ms", 1e3 * parts.h2d}, {"kernel ms", 1e3 * parts.kernel},
                     {"d2h ms", 1e3 * parts.d2h}, {"both ms", 1e3 * parts.both},
                     {"bound ms", 1e3 * bound},   {"of bound", bound / result.statistics().time.median}};
  if (c.find("streams") != nullptr) columns.emplace_back("tutorial ms", 1e3 * tutorial_estimate(parts, cut));
  return columns;
}

double measured(Result const& result, std::string_view name) {
  for (auto const& [known, value] : result.measured) {
    if (known == name) return value;
  }
  return 0;
}

/// Beyond what the parts, measured in the same rounds, and the cost of enqueuing (50 us a chunk and a stream are
/// plenty) leave room for. Both directions at once share the link as they please, so their bound gets more room than
/// that of a part alone.
std::string implausible(Result const& result) {
  Cut const cut = cut_of(*result.planned, copies_back(*result.planned));
  Parts const parts = parts_of(result);
  Estimate const time = result.statistics().time;
  double const bound = overlap_bound(parts, cut);
  double const longest = std::max({parts.h2d, parts.kernel, cut.back ? parts.d2h : 0});
  if (time.high < std::max(0.9 * bound, 0.97 * longest) - 20e-6)
    return fmt::format("{} is below the bound of {}: the measurement is wrong", short_time(time.median),
                       short_time(bound));
  double const sum = in_sequence(parts, cut) + 1e-3 * measured(result, "host ms");
  if (time.low > 1.1 * sum + 50e-6 * static_cast<double>(cut.chunks + cut.streams))
    return fmt::format("{} is above the {} of all parts one after the other: something else was measured",
                       short_time(time.median), short_time(sum));
  return "";
}

/// The passed results of one problem.
using Group = std::vector<Result const*>;

Result const* fastest(Group const& group, std::string_view variant) {
  Result const* best = nullptr;
  for (Result const* result : group) {
    if (result->planned->variant->name == variant && (best == nullptr || result->rate() > best->rate())) best = result;
  }
  return best;
}

double seconds(Result const& result) { return result.statistics().time.median; }

std::string cut_text(Case const& c) {
  Cut const cut = cut_of(c, true);
  return fmt::format("{} streams, {} chunks, {} first", cut.streams, cut.chunks, c.choice("order"));
}

/// "three_stage is fastest with 4 streams, 64 chunks, depth first: 5.4 ms, 0.97 of the bound (link), …"
std::string best_schedule(Group const& group, std::string const& variant, std::string const& kokkos) {
  Result const* best = fastest(group, variant);
  if (best == nullptr) return "";
  Parts const parts = parts_of(*best);
  Cut const cut = cut_of(*best->planned, copies_back(*best->planned));
  double const time = seconds(*best);
  std::string text = fmt::format(
      "{} is fastest with {}: {}, {:.3f} of the bound ({}), {:.2f}x the parts in sequence; the tutorial's estimate is "
      "{}, the pipeline's {}",
      variant, cut_text(*best->planned), short_time(time), overlap_bound(parts, cut) / time,
      parts.kernel >= overlap_bound(parts, cut) ? "kernel" : "link", in_sequence(parts, cut) / time,
      short_time(tutorial_estimate(parts, cut)), short_time(pipeline_time(parts, cut)));
  if (Result const* other = fastest(group, kokkos))
    text +=
        fmt::format("; Kokkos reaches {:.3f} of that speed with {}", time / seconds(*other), cut_text(*other->planned));
  return text;
}

/// What `variant` makes of the same chunks on as many streams, issued in that order; null where it was not asked.
Result const* same_cut(Group const& group, Case const& c, std::string_view variant, std::string_view order) {
  for (Result const* result : group) {
    Case const& other = *result->planned;
    if (other.variant->name == variant && other.choice("order") == order &&
        other.integer("streams") == c.integer("streams") && other.integer("chunks") == c.integer("chunks"))
      return result;
  }
  return nullptr;
}

/// "three_stage with 8 streams and 64 chunks takes 1.1x the time when it is issued breadth first"
std::vector<std::string> orders(Group const& group) {
  std::vector<std::string> sentences;
  for (Result const* breadth : group) {
    Case const& c = *breadth->planned;
    if (c.find("order") == nullptr || c.choice("order") != "breadth") continue;
    Cut const cut = cut_of(c, true);
    if (Result const* depth = same_cut(group, c, c.variant->name, "depth"))
      sentences.push_back(
          fmt::format("{} with {} streams and {} chunks takes {:.2f}x the time when it is issued breadth first",
                      c.variant->name, cut.streams, cut.chunks, seconds(*breadth) / seconds(*depth)));
  }
  return sentences;
}

/// At the fastest schedule that was also run with work in the default stream.
std::string cost_of_default_stream(Group const& group) {
  Result const *best = nullptr, *blocked = nullptr;
  for (Result const* result : group) {
    Case const& c = *result->planned;
    if (c.variant->name != "three_stage" || (best != nullptr && best->rate() >= result->rate())) continue;
    Result const* const other = same_cut(group, c, "default_stream", c.choice("order"));
    if (other == nullptr) continue;
    best = result;
    blocked = other;
  }
  if (best == nullptr) return "";
  return fmt::format("work in the default stream makes three_stage with {} {:.2f}x slower", cut_text(*best->planned),
                     seconds(*blocked) / seconds(*best));
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, Group> groups;
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed) groups[result.planned->problem()].push_back(&result);
  }
  std::vector<std::string> sentences;
  for (auto const& [problem, group] : groups) {
    Parts const parts = parts_of(*group.front());
    sentences.push_back(
        fmt::format("{}: alone, the copy in takes {}, the kernel {}, the copy back {}; both copies at once {}", problem,
                    short_time(parts.h2d), short_time(parts.kernel), short_time(parts.d2h), short_time(parts.both)));
    for (auto const& [native, kokkos] : {std::pair("staged", "kokkos_staged"), {"three_stage", "kokkos_three_stage"}}) {
      if (std::string const text = best_schedule(group, native, kokkos); !text.empty())
        sentences.push_back(problem + ": " + text);
    }
    for (std::string const& text : orders(group)) sentences.push_back(problem + ": " + text);
    if (std::string const text = cost_of_default_stream(group); !text.empty())
      sentences.push_back(problem + ": " + text);
    Result const *serial = fastest(group, "serial"), *host = fastest(group, "host_work");
    if (serial != nullptr && host != nullptr)
      sentences.push_back(fmt::format("{}: {:.1f} ms of the host's own work add {:.1f} % to serial", problem,
                                      measured(*host, "host ms"), 100 * (seconds(*host) / seconds(*serial) - 1)));
  }
  return sentences;
}

Variant on_streams(std::string name, std::string meaning, Role role, ModelOf model) {
  return {std::move(name), std::move(meaning), role, prepare_whole, {"streams", "chunks", "order"}, model};
}

Variant only_there(Variant variant) {
  return std::move(variant).only_on_devices("on a host there is no second memory to copy to");
}

}  // namespace

Pattern overlap_pattern() {
  Pattern pattern{
      "overlap",
      "copies to and from the device beside a kernel: how much of them can be hidden, and by which schedule?",
      {Type::f32, Type::f64},
      Figure::bandwidth,
      "from parts measured in the same rounds: h2d, kernel, d2h alone, both copies at once (`copy`; h2d + d2h where "
      "there is one copy engine), launch (a copy of one element). "
      "bound: max(kernel, both), without the copy back max(kernel, h2d). "
      "c chunks over s streams, with c - 1 = q s + r: (sum + q max(sum, s bound) + r bound)/c + c launch. "
      "serial, host_work: sum + launch. two_streams: max(kernel, h2d) + launch. "
      "default_stream: depth first sum + 2 c launch, breadth first s chunks over s streams again and again. "
      "tutorial: max + (sum - max)/s",
      {
          {"bytes", KeyKind::bytes, "256 MiB", {}, "size of the array that is copied in"},
          {"intensity", KeyKind::integer, "2048", {}, "multiply-adds of the kernel on each element"},
          {"streams", KeyKind::integer, "4", {}, "how many, each doing one thing at a time; at most 64"},
          {"chunks", KeyKind::integer, "0", {}, "parts that the array is cut into; 0: as many as streams", 0},
          {"order",
           KeyKind::choice,
           "depth",
           {"depth", "breadth"},
           "what is issued next: the next stage of the same chunk, or the same stage of the next stream"},
      },
      {
          only_there({"kokkos_serial",
                      "copy, kernel, copy back on one instance",
                      Role::solution,
                      prepare_whole,
                      {},
                      sequence_model}),
          only_there(on_streams("kokkos_staged", "chunks: copy, kernel; instances on non-blocking streams",
                                Role::solution, pipeline_model)),
          only_there(on_streams("kokkos_three_stage",
                                "chunks: copy, kernel, copy back; instances on non-blocking streams", Role::solution,
                                pipeline_model)),
          only_there(on_streams("kokkos_partition", "as kokkos_three_stage, on instances of partition_space",
                                Role::solution, pipeline_model)),
          Variant{"serial", "copy, kernel, copy back in one stream", Role::native, prepare_whole, {}, sequence_model}
              .twin_of("kokkos_serial"),
          {"host_work",
           "as serial, while the host computes for four fifths of that time",
           Role::native,
           prepare_whole,
           {},
           sequence_model},
          {"two_streams", "a copy beside a kernel on other data", Role::native, prepare_whole, {}, apart_model},
          on_streams("staged", "chunks: copy, kernel", Role::native, pipeline_model).twin_of("kokkos_staged"),
          on_streams("three_stage", "chunks: copy, kernel, copy back", Role::native, pipeline_model)
              .twin_of("kokkos_three_stage"),
          on_streams("default_stream", "as three_stage on blocking streams, with work in the default stream in between",
                     Role::native, default_stream_model),
      },
      refuse,
      needs,
      work,
      pipeline_model,
      findings,
  };
  pattern.derive = derive;
  pattern.implausible = implausible;
  return pattern;
}

}  // namespace tilestride
