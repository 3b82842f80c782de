// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "model/result.hpp"
#include "patterns/bank_stride/scratch.hpp"
#include "patterns/common/whole_warps.hpp"

namespace tilestride::bank_stride {
namespace {

constexpr Prepare shared = prepare_native<BankStride, &Launchers::shared, std::int32_t>;

Trial scratch(Bench& bench, Case const& c) {
  if (auto const skip = why_no_whole_warps(c)) return skipped(skip->reason, skip->words);
  return prepare<BankStride, Scratch, std::int32_t>(bench, c);
}

constexpr std::int64_t most_stride = 64;
constexpr std::int64_t most_base = 128;         // one-byte words have then been at every bank
constexpr std::int64_t most_repeats = 100'000;  // a launch stays within seconds

std::string refuse(Case const& c) {
  std::string const& access = c.choice("access");
  std::int64_t const stride = c.integer("stride"), base = c.integer("base");
  if (stride > most_stride || base > most_base || c.integer("repeat") > most_repeats)
    return fmt::format("a stride goes to {}, a base to {}, repeat to {}", most_stride, most_base, most_repeats);
  if (access != "stride" && stride != 1) return "only access = \"stride\" has a stride: leave it 1";
  if (has_three_arrays(access) && (c.integer("word") != 4 || base != 0))
    return "the three arrays have words of their own: leave word 4 and base 0";
  if (c.choice("measure") == "latency" && c.choice("op") == "store")
    return "nothing waits for a store: it has no latency";
  if (c.choice("measure") == "latency" && has_three_arrays(access)) return "a chain goes through words of one size";
  return "";
}

double needs(Case const& c) {
  int const lanes = lanes_in(c);
  return 3.0 * bytes_reached(requests_of_round(lanes, c)) + 4 * busy_threads + 4 * lanes;
}

double warps(Case const& c) { return c.choice("measure") == "latency" ? 1 : busy_threads / lanes_in(c); }

Work work(Case const& c) {
  Work work;
  work.operations = warps(c) * static_cast<double>(requests_of_round(lanes_in(c), c).size()) *
                    static_cast<double>(c.integer("repeat"));
  return work;
}

/// Wavefronts of one request, on average over those of a round; nothing where the device's rules are not known.
Quantities predict(Case const& c) {
  auto const rules = bank_rules(c.hardware);
  if (!rules) return {};
  auto const requests = requests_of_round(rules->lanes, c);
  int sum = 0;
  for (Request const& request : requests)
    sum += wavefronts(*rules, request.address, request.word,
                      c.choice("op") == "store" ? Direction::store : Direction::load);
  return {{c.choice("op") + " wavefronts", static_cast<double>(sum) / static_cast<double>(requests.size())}};
}

/// No model of a latency: its conflict-free part is the device's own.
Model model(Case const& c, Ceilings const& ceilings) {
  Quantities const wavefronts = predict(c);
  if (ceilings.clock == 0 || wavefronts.empty() || c.choice("measure") == "latency") return {};
  return {work(c).operations * wavefronts.front().second / ceilings.clock, "scratch"};
}

double cycles(Result const& result) { return result.ceilings.clock / result.rate(); }
double wavefronts_of(Result const& result) { return result.predicted.front().second; }

/// The cases of one variant that differ in addresses alone.
struct Sweep {
  std::string what;
  std::vector<Result const*> cases;
};

std::vector<Sweep> sweeps_of(std::vector<Result> const& results) {
  std::vector<Sweep> sweeps;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed || result.ceilings.clock == 0 || result.predicted.empty()) continue;
    Case const& c = *result.planned;
    std::string const what = fmt::format("{}/{}: {} of {}s of {} B", c.variant->name, c.space, c.choice("measure"),
                                         c.choice("op"), c.integer("word"));
    auto it = std::find_if(sweeps.begin(), sweeps.end(), [&](Sweep const& sweep) { return sweep.what == what; });
    if (it == sweeps.end()) it = sweeps.insert(it, Sweep{what, {}});
    it->cases.push_back(&result);
  }
  return sweeps;
}

/// How far throughput is from one wavefront a cycle.
std::string throughput_sentence(Sweep const& sweep) {
  auto const per_wavefront = [](Result const* r) { return cycles(*r) / wavefronts_of(*r); };
  auto const [least, most] =
      std::minmax_element(sweep.cases.begin(), sweep.cases.end(),
                          [&](auto const* a, auto const* b) { return per_wavefront(a) < per_wavefront(b); });
  return fmt::format("{}: {:.2f} to {:.2f} cycles a wavefront in {} cases, most in {}", sweep.what,
                     per_wavefront(*least), per_wavefront(*most), sweep.cases.size(), (*most)->planned->name());
}

/// The straight line through latency over wavefronts, by least squares.
std::string latency_sentence(Sweep const& sweep) {
  double const n = static_cast<double>(sweep.cases.size());
  double x = 0, y = 0, xx = 0, xy = 0;
  double least = wavefronts_of(*sweep.cases.front());
  for (Result const* result : sweep.cases) {
    double const w = wavefronts_of(*result);
    least = std::min(least, w);
    x += w / n;
    y += cycles(*result) / n;
    xx += w * w / n;
    xy += w * cycles(*result) / n;
  }
  if (xx - x * x <= 0) return fmt::format("{}: {:.1f} cycles", sweep.what, y);
  double const slope = (xy - x * y) / (xx - x * x);
  return fmt::format("{}: {:.1f} cycles with {:.0f} wavefronts, and {:.2f} for each more", sweep.what,
                     y + slope * (least - x), least, slope);
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  for (Sweep const& sweep : sweeps_of(results)) {
    bool const latency = sweep.cases.front()->planned->choice("measure") == "latency";
    sentences.push_back(latency ? latency_sentence(sweep) : throughput_sentence(sweep));
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "bank_stride";
  p.meaning =
      "the lanes of a warp access words of scratch that lie in different banks, or in the same: what does a request "
      "cost?";
  p.types = {Type::i32};
  p.figure = Figure::latency;
  p.formula =
      "throughput: wavefronts of the requests (the most different 4-byte words that one of 32 banks serves, in groups "
      "of 32 lanes, of 16 for 8 B, of 8 for 16 B), one a cycle of the multiprocessor; latency: none";
  p.keys = {
      {"access",
       KeyKind::choice,
       "stride",
       {"stride", "broadcast", "multicast", "permuted", "partition", "arrays"},
       "which lane accesses which word: strided, all the same, a quarter of the lanes each of four, neighbours in no "
       "order; or short[128], float[64] and int[256], in one block that is split by hand, or each by itself: a scratch "
       "View, a static __shared__ array"},
      {"stride", KeyKind::integer, "1", {}, "words from lane to lane, to 64", 0},
      {"word", KeyKind::integer, "4", choices_of(WordSizes{}), "bytes of a word"},
      {"base", KeyKind::integer, "0", {}, "words before that of lane 0, to 128", 0},
      {"op", KeyKind::choice, "load", {"load", "store"}, "of colliding stores any one may win"},
      {"measure",
       KeyKind::choice,
       "throughput",
       {"throughput", "latency"},
       "1024 threads with independent accesses, or one warp with a chain of loads"},
      {"repeat", KeyKind::integer, "2000", {}, "rounds of 16 requests per warp (partition, arrays: 14) in one launch"},
  };
  p.variants = {
      portable("scratch", "in team scratch", scratch),
      native("native_shared", "in dynamic __shared__ memory", shared).twin_of("scratch"),
  };
  p.on_hosts = "one thread does what the lanes do, one after the other: the words lie in its first cache, no banks";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = model;
  p.predict = predict;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::bank_stride
