// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "model/result.hpp"
#include "model/units.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/overlap/host_work.hpp"
#include "patterns/overlap/schedule.hpp"
#include "patterns/overlap/two_streams.hpp"

namespace tilestride::overlap {
namespace {

/// Calls make(problem) on the space of the case.
template <class Make>
Trial on_a_device(Bench& bench, Case const& c, Make const& make) {
  return over_link(c, [&](auto space) { return over_problem<typename decltype(space)::type>(bench, c, make); });
}

template <class Way, bool back>
Trial prepare_pipeline(Bench& bench, Case const& c) {
  return on_a_device(bench, c, [&](auto p) { return pipeline<Way>(p, c, back); });
}

Trial prepare_host_work(Bench& bench, Case const& c) {
  return on_a_device(bench, c, [](auto p) { return beside_host_work<OnInstances>(p); });
}

Trial prepare_two_streams(Bench& bench, Case const& c) {
  return on_a_device(bench, c, [](auto p) { return beside_other_data<OnInstances>(p); });
}

/// Inputs lie in [-2^21, 2^21), so that f32 counts them up exactly by this many.
constexpr std::int64_t most_steps = 1 << 22;

std::string refuse(Case const& c) {
  if (std::string reason = refuse_bytes(c.integer("bytes"), c.type); !reason.empty()) return reason;
  if (c.integer("intensity") > most_steps)
    return fmt::format("after more than {} steps the kernel's numbers are no longer exact in f32", most_steps);
  return "";
}

template <int arrays>
double needs(Case const& c) {
  return arrays * static_cast<double>(c.integer("bytes"));
}

/// Bytes are those that pass the link, so many times.
template <int times>
Work work(Case const& c) {
  auto const bytes = static_cast<double>(c.integer("bytes"));
  double const elements = bytes / static_cast<double>(size_of(c.type));
  return {times * bytes, 2 * elements * static_cast<double>(c.integer("intensity"))};
}

/// How a case cuts its work, and the parts that it is made of, which are 0 where they were not measured.
struct Pipeline {
  Cut cut;
  Parts parts;
  double sum() const { return in_sequence(parts, cut); }
  double bound() const { return overlap_bound(parts, cut); }
};

/// Of what a repetition does. (In a result bytes may still be a share of the memory: so the array's come from the
/// flops.) The result is copied back where twice as many pass the link.
Pipeline pipeline_of(Case const& c, Work const& work, Ceilings const& ceilings) {
  double const bytes =
      work.flops / (2 * static_cast<double>(c.integer("intensity"))) * static_cast<double>(size_of(c.type));
  auto const seconds = [&](char const* part, double amount) {
    auto const rate = ceilings.by_name.find(part);
    return rate == ceilings.by_name.end() || rate->second == 0 ? 0 : amount / rate->second;
  };
  return {cut_of(c, work.bytes > 1.5 * bytes),
          {seconds("h2d", bytes), seconds("kernel", work.flops), seconds("d2h", bytes), seconds("copy", 2 * bytes),
           seconds("launch", 1)}};
}
Pipeline pipeline_of(Result const& result) { return pipeline_of(*result.planned, result.work, result.ceilings); }

// What sets the time where it is not one of the parts.
constexpr char const *everything = "sum", *default_stream = "default stream", *host_thread = "host thread";

bool is_pageable(Case const& c) { return c.choice("memory") == "pageable"; }

/// Nothing overlaps.
Model sequence_model(Case const& c, Ceilings const& ceilings) {
  Pipeline const p = pipeline_of(c, c.work(), ceilings);
  if (p.parts.kernel == 0) return {};
  return {p.sum() + static_cast<double>(p.cut.chunks) * p.parts.launch, everything};
}

/// The host's own work is hidden unless the copies hold its thread, and how much it is only the run knows.
Model host_work_model(Case const& c, Ceilings const& ceilings) {
  return is_pageable(c) ? Model{} : sequence_model(c, ceilings);
}

Model pipeline_model(Case const& c, Ceilings const& ceilings) {
  Pipeline const p = pipeline_of(c, c.work(), ceilings);
  if (p.parts.kernel == 0) return {};
  if (is_pageable(c)) return {held_time(p.parts, p.cut), host_thread};
  double const time = pipeline_time(p.parts, p.cut);
  if (p.cut.streams == 1) return {time, everything};
  if (too_few_streams(p.parts, p.cut)) return {time, "streams"};
  return {time, p.parts.kernel == p.bound() ? "kernel" : "link"};
}

Model default_stream_model(Case const& c, Ceilings const& ceilings) {
  Pipeline const p = pipeline_of(c, c.work(), ceilings);
  if (p.parts.kernel == 0) return {};
  return {is_pageable(c) ? held_time(p.parts, p.cut) : rounds_time(p.parts, p.cut), default_stream};
}

/// In whatever order they are issued: each copy waits for all that was enqueued before it.
Model blocking_model(Case const& c, Ceilings const& ceilings) {
  Pipeline const p = pipeline_of(c, c.work(), ceilings);
  if (p.parts.kernel == 0) return {};
  return {p.sum() + 2 * static_cast<double>(p.cut.chunks) * p.parts.launch, everything};
}

/// Two things that have nothing to do with each other; the kernel is issued when the call of the copy returns.
Model apart_model(Case const& c, Ceilings const& ceilings) {
  Parts const parts = pipeline_of(c, c.work(), ceilings).parts;
  if (parts.kernel == 0) return {};
  if (is_pageable(c)) return {parts.h2d + parts.kernel + parts.launch, host_thread};
  return {std::max(parts.h2d, parts.kernel) + parts.launch, parts.kernel > parts.h2d ? "kernel" : "link"};
}

Quantities derive(Result const& result) {
  Pipeline const p = pipeline_of(result);
  Quantities columns{{"h2d ms", 1e3 * p.parts.h2d}, {"kernel ms", 1e3 * p.parts.kernel},
                     {"d2h ms", 1e3 * p.parts.d2h}, {"both ms", 1e3 * p.parts.both},
                     {"bound ms", 1e3 * p.bound()}, {"of bound", p.bound() / result.statistics().time.median}};
  if (result.planned->find("streams") != nullptr)
    columns.emplace_back("tutorial ms", 1e3 * tutorial_estimate(p.parts, p.cut));
  return columns;
}

/// Of the host's own work, where it had some: milliseconds.
double host_time(Result const& result) { return result.measured_value("host ms"); }

/// Beyond what the parts, measured in the same rounds, and the cost of enqueuing (100 us a chunk and a stream are
/// plenty) leave room for. Both directions at once share the link as they please, so their bound gets more room than
/// that of a part alone; a thread of the host that copies, more both ways: its caches may like small chunks better than
/// one large copy, and whatever else runs on its cores delays it.
std::string implausible(Result const& result) {
  auto const& [cut, parts] = pipeline_of(result);
  Estimate const time = result.statistics().time;
  double const bound = overlap_bound(parts, cut);
  double const longest = std::max({parts.h2d, parts.kernel, cut.back ? parts.d2h : 0});
  bool const held = is_pageable(*result.planned);
  double const least = held ? std::max(0.5 * bound, 0.97 * parts.kernel) : std::max(0.9 * bound, 0.97 * longest);
  if (time.high < least - 20e-6)
    return fmt::format("{} is below the bound of {}: the measurement is wrong", short_time(time.median),
                       short_time(bound));
  double const sum = in_sequence(parts, cut) + 1e-3 * host_time(result);
  if (time.low > (held ? 1.3 : 1.1) * sum + 100e-6 * static_cast<double>(cut.chunks + cut.streams))
    return fmt::format("{} is above the {} of all parts one after the other: something else was measured",
                       short_time(time.median), short_time(sum));
  return "";
}

/// The passed results of one problem.
using Group = std::vector<Result const*>;

Result const* fastest(Group const& group, Variant const& variant) {
  Result const* best = nullptr;
  for (Result const* result : group) {
    if (result->planned->variant == &variant && (best == nullptr || result->rate() > best->rate())) best = result;
  }
  return best;
}

double seconds(Result const& result) { return result.statistics().time.median; }

std::string cut_text(Case const& c) {
  Cut const cut = cut_of(c, true);
  return fmt::format("{} streams, {} chunks, {} first", cut.streams, cut.chunks, c.choice("order"));
}

/// Whether it is one schedule of many, and nothing else makes its streams wait.
bool is_schedule(Result const& result) {
  return result.planned->find("streams") != nullptr && result.model.limiter != default_stream;
}

/// "three_stage is fastest with 4 streams, 64 chunks, depth first: 5.4 ms, 0.97 of the bound (link), …; its twin
/// native_three_stage …"
std::string best_schedule(Group const& group, Result const& best) {
  Case const& c = *best.planned;
  auto const p = pipeline_of(best);
  double const time = seconds(best);
  std::string text = fmt::format(
      "{} is fastest with {}: {}, {:.3f} of the bound ({}), {:.2f}x the parts in sequence; the tutorial's estimate is "
      "{}, the model's {}",
      c.variant->name, cut_text(c), short_time(time), p.bound() / time, p.parts.kernel >= p.bound() ? "kernel" : "link",
      p.sum() / time, short_time(tutorial_estimate(p.parts, p.cut)), short_time(best.model.seconds));
  for (Variant const& other : c.pattern->variants) {
    if (other.twin != c.variant->name) continue;
    if (Result const* twin = fastest(group, other))
      text += fmt::format("; {} reaches {:.3f} of that speed with {}", other.name, time / seconds(*twin),
                          cut_text(*twin->planned));
  }
  return text;
}

/// Of each variant, its native twins told beside it.
std::vector<std::string> best_schedules(Group const& group) {
  std::vector<std::string> sentences;
  Pattern const& pattern = *group.front()->planned->pattern;
  for (Variant const& variant : pattern.variants) {
    Result const* best = fastest(group, variant);
    if (best == nullptr || !is_schedule(*best)) continue;
    Variant const* const portable = pattern.find_variant(variant.twin);
    if (portable == nullptr || fastest(group, *portable) == nullptr) sentences.push_back(best_schedule(group, *best));
  }
  return sentences;
}

/// Whether both do the same to the same chunks on as many streams.
bool same_cut(Result const& a, Result const& b) {
  Case const &one = *a.planned, &other = *b.planned;
  return a.work.bytes == b.work.bytes && one.find("streams") != nullptr && other.find("streams") != nullptr &&
         one.integer("streams") == other.integer("streams") && one.integer("chunks") == other.integer("chunks");
}

/// "three_stage with 8 streams and 64 chunks takes 1.1x the time when it is issued breadth first"
std::vector<std::string> orders(Group const& group) {
  std::vector<std::string> sentences;
  for (Result const* breadth : group) {
    Case const& c = *breadth->planned;
    if (c.find("order") == nullptr || c.choice("order") != "breadth") continue;
    Cut const cut = cut_of(c, true);
    for (Result const* depth : group) {
      if (depth->planned->variant != c.variant || depth->planned->choice("order") != "depth" ||
          !same_cut(*depth, *breadth))
        continue;
      sentences.push_back(
          fmt::format("{} with {} streams and {} chunks takes {:.2f}x the time when it is issued breadth first",
                      c.variant->name, cut.streams, cut.chunks, seconds(*breadth) / seconds(*depth)));
    }
  }
  return sentences;
}

/// At the fastest schedule that was also run with work in the default stream.
std::string cost_of_default_stream(Group const& group) {
  Result const *best = nullptr, *blocked = nullptr;
  for (Result const* other : group) {
    if (other->model.limiter != default_stream) continue;
    for (Result const* result : group) {
      Case const& c = *result->planned;
      if (!is_schedule(*result) || c.variant->role != other->planned->variant->role || !same_cut(*result, *other) ||
          c.choice("order") != other->planned->choice("order") || (best != nullptr && best->rate() >= result->rate()))
        continue;
      best = result;
      blocked = other;
    }
  }
  if (best == nullptr) return "";
  return fmt::format("work in the default stream makes {} with {} {:.2f}x slower", best->planned->variant->name,
                     cut_text(*best->planned), seconds(*blocked) / seconds(*best));
}

/// "10 ms of the host's own work add 0.1 % to serial"
std::vector<std::string> cost_of_host_work(Group const& group) {
  std::vector<std::string> sentences;
  for (Result const* host : group) {
    if (host_time(*host) == 0) continue;
    for (Result const* alone : group) {  // the same, but for the host
      if (host_time(*alone) == 0 && alone->planned->variant->role == host->planned->variant->role &&
          alone->work.bytes == host->work.bytes && alone->planned->find("streams") == nullptr)
        sentences.push_back(fmt::format("{:.1f} ms of the host's own work add {:.1f} % to {}", host_time(*host),
                                        100 * (seconds(*host) / seconds(*alone) - 1), alone->planned->variant->name));
    }
  }
  return sentences;
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, Group> groups;
  for (Result const& result : results) {
    if (result.outcome == Outcome::passed) groups[result.planned->problem()].push_back(&result);
  }
  std::vector<std::string> sentences;
  for (auto const& [problem, group] : groups) {
    Parts const parts = pipeline_of(*group.front()).parts;
    sentences.push_back(
        fmt::format("{}: alone, the copy in takes {}, the kernel {}, the copy back {}; both copies at once {}", problem,
                    short_time(parts.h2d), short_time(parts.kernel), short_time(parts.d2h), short_time(parts.both)));
    auto const add = [&, &problem = problem](std::vector<std::string> const& texts) {
      for (std::string const& text : texts) sentences.push_back(problem + ": " + text);
    };
    add(best_schedules(group));
    add(orders(group));
    if (std::string const text = cost_of_default_stream(group); !text.empty()) add({text});
    add(cost_of_host_work(group));
  }
  return sentences;
}

/// Chunks on streams.
Variant on_streams(Variant variant) { return std::move(variant).with_keys({"streams", "chunks", "order"}); }

/// The copy in alone: the result stays on the device.
Variant one_way(Variant variant) { return std::move(variant).with_work(work<1>); }

Variant beside_other(Variant variant) {
  return one_way(std::move(variant)).with_needs(needs<3>).with_model(apart_model);
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "overlap";
  p.meaning = "copies to and from the device beside a kernel: how much of them can be hidden, and by which schedule?";
  p.types = {Type::f32, Type::f64};
  p.figure = Figure::bandwidth;
  p.formula =
      "from parts measured in the same rounds: h2d, kernel, d2h alone, both copies at once (`copy`; h2d + d2h where "
      "there is one copy engine), launch (a copy of one element). "
      "bound: max(kernel, both), without the copy back max(kernel, h2d). "
      "c chunks over s streams, with c - 1 = q s + r: (sum + q max(sum, s bound) + r bound)/c + c launch. "
      "serial, host_work: sum + launch. two_streams: max(kernel, h2d) + launch. blocking: sum + 2 c launch. "
      "memory = pageable: copies hold the host's thread until they are done, so that a kernel runs beside those that "
      "are issued after it alone: the schedule played through (depth first in three stages: sum + 2 c launch); "
      "two_streams: h2d + kernel + launch; host_work: none. "
      "native_default_stream: depth first sum + 2 c launch, breadth first s chunks over s streams again and again. "
      "tutorial: max + (sum - max)/s";
  p.keys = {
      {"bytes", KeyKind::bytes, "256 MiB", {}, "size of the array that is copied in"},
      {"intensity", KeyKind::integer, "2048", {}, "multiply-adds of the kernel on each element"},
      {"memory",
       KeyKind::choice,
       "pinned",
       {"pinned", "pageable"},
       "of the host: Kokkos' SharedHostPinnedSpace, or as malloc gives it, HostSpace"},
      {"streams", KeyKind::integer, "4", {}, "how many, each doing one thing at a time; at most 64"},
      {"chunks", KeyKind::integer, "0", {}, "parts that the array is cut into; 0: as many as streams", 0},
      {"order",
       KeyKind::choice,
       "depth",
       {"depth", "breadth"},
       "what is issued next: the next stage of the same chunk, or the same stage of the next stream"},
  };
  p.variants = {
      portable("serial", "copy, kernel, copy back on one instance", prepare_pipeline<OnInstances, true>)
          .with_model(sequence_model),
      portable("host_work", "as serial, while the host computes for four fifths of that time", prepare_host_work)
          .with_model(host_work_model),
      beside_other(
          portable("two_streams", "a copy on one instance beside a kernel on other data", prepare_two_streams)),
      one_way(
          on_streams(portable("staged", "chunks on instances: copy, kernel", prepare_pipeline<OnInstances, false>))),
      on_streams(
          portable("three_stage", "chunks on instances: copy, kernel, copy back", prepare_pipeline<OnInstances, true>)),
      on_streams(portable("blocking", "three_stage by deep_copy without an instance, which waits for all instances",
                          prepare_pipeline<OnInstancesBlocking, true>))
          .with_model(blocking_model),
      on_streams(hybrid("hybrid_three_stage", "three_stage on instances that do not wait for the default stream",
                        "Kokkos kernels and copies; non-blocking streams by raw CUDA",
                        prepare_whole<&Launchers::hybrid_three_stage>)),
      native("native_serial", "serial in raw CUDA", prepare_whole<&Launchers::serial>)
          .twin_of("serial")
          .with_model(sequence_model),
      native("native_host_work", "host_work in raw CUDA", prepare_whole<&Launchers::host_work>)
          .twin_of("host_work")
          .with_model(host_work_model),
      beside_other(native("native_two_streams", "two_streams in raw CUDA", prepare_whole<&Launchers::two_streams>)
                       .twin_of("two_streams")),
      one_way(on_streams(
          native("native_staged", "staged in raw CUDA", prepare_whole<&Launchers::staged>).twin_of("staged"))),
      on_streams(native("native_three_stage", "three_stage in raw CUDA", prepare_whole<&Launchers::three_stage>)
                     .twin_of("three_stage")),
      on_streams(native("native_blocking", "three_stage by cudaMemcpy, on blocking streams",
                        prepare_whole<&Launchers::blocking>)
                     .twin_of("blocking"))
          .with_model(blocking_model),
      on_streams(native("native_default_stream",
                        "native_three_stage on blocking streams, with work in the default stream in between",
                        prepare_whole<&Launchers::default_stream>))
          .with_model(default_stream_model),
  };
  for (Variant& variant : p.variants) variant.not_on_hosts = "on a host there is no second memory to copy to";
  p.refuse = refuse;
  p.needs = needs<2>;
  p.work = work<2>;
  p.requested = needs<2>;  // of the device's memory: the kernel loads each element and stores what becomes of it
  p.model = pipeline_model;
  p.findings = findings;
  p.derive = derive;
  p.implausible = implausible;
  return p;
}

}  // namespace tilestride::overlap
