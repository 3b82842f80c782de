// SPDX-License-Identifier: BSD-3-Clause
#include "patterns/bank_stride/bank_stride.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/result.hpp"
#include "patterns/bank_stride/scratch.hpp"
#include "patterns/patterns.hpp"

namespace tilestride {
namespace {

constexpr Prepare scratch = prepare<BankStride, BanksOfScratch, std::int32_t>;
constexpr Prepare native = prepare_native<BankStride, std::int32_t>;

constexpr std::int64_t most_stride = 64;
constexpr std::int64_t most_base = 128;         // one-byte words have then been at every bank
constexpr std::int64_t most_repeats = 100'000;  // a launch stays within seconds

std::string refuse(Case const& c) {
  std::string const& access = c.choice("access");
  std::int64_t const stride = c.integer("stride"), base = c.integer("base");
  if (stride > most_stride || base > most_base || c.integer("repeat") > most_repeats)
    return fmt::format("a stride goes to {}, a base to {}, repeat to {}", most_stride, most_base, most_repeats);
  if (access != "stride" && stride != 1) return "only access = \"stride\" has a stride: leave it 1";
  if (access == "partition" && (c.integer("word") != 4 || base != 0))
    return "the three arrays have words of their own: leave word 4 and base 0";
  if (c.choice("measure") == "latency" && c.choice("op") == "store") return "nothing waits for a store: no latency";
  if (c.choice("measure") == "latency" && access == "partition") return "a chain goes through words of one size";
  return "";
}

double needs(Case const& c) { return 3.0 * bytes_reached(requests_of_round(c)) + 4 * 1024 + 4 * warp_lanes; }

double warps(Case const& c) { return c.choice("measure") == "latency" ? 1 : 32; }

Work work(Case const& c) {
  Work work;
  work.operations =
      warps(c) * static_cast<double>(requests_of_round(c).size()) * static_cast<double>(c.integer("repeat"));
  return work;
}

/// Of one request, on average over those of a round.
double wavefronts_of(Case const& c) {
  auto const requests = requests_of_round(c);
  int sum = 0;
  for (BankRequest const& request : requests)
    sum += wavefronts(request.address, request.word, c.choice("op") == "store" ? Direction::store : Direction::load);
  return static_cast<double>(sum) / static_cast<double>(requests.size());
}

Quantities predict(Case const& c) {
  if (is_host_space(c.space)) return {};
  return {{c.choice("op") + " wavefronts", wavefronts_of(c)}};
}

/// Nothing is said of a latency: its conflict-free part is the device's own.
Model model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.clock == 0 || c.choice("measure") == "latency") return {};
  return {work(c).operations * wavefronts_of(c) / ceilings.clock, "scratch"};
}

double cycles(Result const& result) { return result.ceilings.clock / result.rate(); }

/// The cases of one variant that differ in addresses alone.
struct Sweep {
  std::string what;
  std::vector<Result const*> cases;
};

std::vector<Sweep> sweeps_of(std::vector<Result> const& results) {
  std::vector<Sweep> sweeps;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed || result.ceilings.clock == 0) continue;
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
  auto const per_wavefront = [](Result const* r) { return cycles(*r) / wavefronts_of(*r->planned); };
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
  double least = wavefronts_of(*sweep.cases.front()->planned);
  for (Result const* result : sweep.cases) {
    double const w = wavefronts_of(*result->planned);
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

Pattern bank_stride_pattern() {
  Pattern pattern{
      "bank_stride",
      "the lanes of a warp ask scratch for words that lie in different banks, or in the same: what does a request "
      "cost?",
      {Type::i32},
      Figure::latency,
      "throughput: wavefronts of the requests (the most different 4-byte words that one of 32 banks serves, in groups "
      "of "
      "32 lanes, of 16 for 8 B, of 8 for 16 B), one a cycle of the multiprocessor; latency: none",
      {
          {"access",
           KeyKind::choice,
           "stride",
           {"stride", "broadcast", "multicast", "permuted", "partition"},
           "who wants which word: strided, all the same, eight lanes each of four, 32 neighbours in no order; or "
           "short[128], "
           "float[64] and int[256] in one block"},
          {"stride", KeyKind::integer, "1", {}, "words from lane to lane, to 64", 0},
          {"word", KeyKind::integer, "4", choices_of(WordSizes{}), "bytes of a word"},
          {"base", KeyKind::integer, "0", {}, "words before that of lane 0, to 128", 0},
          {"op", KeyKind::choice, "load", {"load", "store"}, "of colliding stores any one may win"},
          {"measure",
           KeyKind::choice,
           "throughput",
           {"throughput", "latency"},
           "32 warps with independent accesses, or one with a chain of loads"},
          {"repeat", KeyKind::integer, "2000", {}, "rounds of 16 requests a warp (partition: 14) in one launch"},
      },
      {
          {"scratch", "in team scratch", Role::solution, scratch, {}},
          Variant{"native_shared", "in dynamic __shared__ memory", Role::native, native, {}}.twin_of("scratch"),
      },
      refuse,
      needs,
      work,
      model,
      findings,
  };
  pattern.on_hosts =
      "one thread does what the lanes do, one after the other: the words lie in its first cache, no banks";
  pattern.predict = predict;
  return pattern;
}

}  // namespace tilestride
