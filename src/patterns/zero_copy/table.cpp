// SPDX-License-Identifier: BSD-3-Clause
// A kernel uses words of the host's memory: over the link, each time that it reads them or once, or after a copy.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "model/result.hpp"
#include "patterns/common/findings.hpp"
#include "patterns/zero_copy/copied.hpp"
#include "patterns/zero_copy/kokkos.hpp"
#include "patterns/zero_copy/mapped.hpp"
#include "patterns/zero_copy/overlapped.hpp"

namespace tilestride::zero_copy {
namespace {

/// Calls make(problem) for the space of the case, where that is a device.
template <class Make>
Trial over_problem(Bench& bench, Case const& c, Make const& make) {
  return over_link(c, [&](auto space) { return make(problem_on<ZeroCopy<typename decltype(space)::type>>(bench, c)); });
}

Trial prepare_mapped(Bench& bench, Case const& c) {
  return over_problem(bench, c, [&](auto const& p) { return mapped<ByKokkos>(bench, p, c); });
}

Trial prepare_kept(Bench& bench, Case const& c) {
  return over_problem(bench, c, [&](auto const& p) { return kept<ByKokkos>(bench, p, c); });
}

Trial prepare_mapped_write(Bench& bench, Case const& c) {
  return over_problem(bench, c, [&](auto const& p) { return mapped_write<ByKokkos>(bench, p, c); });
}

Trial prepare_uncoalesced(Bench& bench, Case const& c) {
  return over_problem(bench, c, [&](auto const& p) { return uncoalesced<ByKokkos>(bench, p, c); });
}

Trial prepare_copy_then_compute(Bench& bench, Case const& c) {
  return over_problem(bench, c, [&](auto const& p) { return copy_then_compute<ByKokkos>(bench, p, c); });
}

Trial prepare_overlapped(Bench& bench, Case const& c) {
  return over_problem(bench, c, [&](auto const& p) { return overlapped(bench, p, c); });
}

constexpr std::int64_t most_uses = 64;

std::int64_t lines_of(Case const& c) { return c.integer("bytes") / line_bytes; }

std::string refuse(Case const& c) {
  auto const& [key, n, percent] = *c.find("bytes");
  std::int64_t const bytes = n[0];
  if (percent == 0 && bytes % line_bytes != 0)
    return fmt::format("{} bytes are no whole number of lines of {}", bytes, line_bytes);
  if (bytes >= line_bytes << 32) return "the lines of a buffer are counted below 2^32";
  if (c.integer("touched") > 100) return "touched is a percentage: at most 100";
  if (c.integer("reuse") > most_uses) return fmt::format("reuse is at most {}", most_uses);
  return "";
}

double touched_bytes(Case const& c) {
  return static_cast<double>(touched_lines(lines_of(c), c.integer("touched")) * line_bytes);
}

double buffer_bytes(Case const& c) { return static_cast<double>(lines_of(c) * line_bytes); }

double needs(Case const& c) { return buffer_bytes(c) + touched_bytes(c); }

/// With the values that are written.
double needs_of_writing(Case const& c) { return needs(c) + buffer_bytes(c); }

/// What has to cross the link, once.
Work work(Case const& c) { return {touched_bytes(c)}; }

// What sets the time, as the models call it: the link, to the device or to the host, as far as the kernel drives it,
// or to the device for the first use alone; the sectors that single words are carried in; a copy of the whole buffer.
constexpr char const *inward = "link", *inward_once = "link once", *outward = "d2h", *in_sectors = "sectors",
                     *whole_buffer = "copy";

/// Until the first word has come over the link; 0 where no card says.
double first_word(Case const& c) { return c.card_seconds(fmt::format("latency/mapped/{}/i32/bytes=16MiB", c.space)); }

/// After the first word has come, the link is never idle, and nothing is kept on this side of it: each use of a word
/// crosses it again.
Model mapped_model(Case const& c, Ceilings const& ceilings) {
  double const latency = first_word(c);
  if (ceilings.copy == 0 || latency == 0) return {};
  return {latency + static_cast<double>(c.integer("reuse")) * touched_bytes(c) / ceilings.copy, inward};
}

/// The first use crosses the link; beside that, storing what it reads takes no time. The later uses and the sums so far
/// are read from device memory and the sums are written there, all at the rate of the card's reads.
Model kept_model(Case const& c, Ceilings const& ceilings) {
  double const latency = first_word(c);
  double const of_a_byte =
      c.card_seconds(fmt::format("bandwidth/global/{}/i32/bytes=1GiB/reads=part/readers=0/passes=0", c.space));
  if (ceilings.copy == 0 || latency == 0 || of_a_byte == 0) return {};
  auto const uses = static_cast<double>(c.integer("reuse"));
  double const later = uses > 1 ? (uses + 1) * touched_bytes(c) * of_a_byte : 0;
  return {latency + touched_bytes(c) / ceilings.copy + later, inward_once};
}

/// The other way.
Model written_model(Case const& c, Ceilings const& ceilings) {
  auto const it = ceilings.by_name.find("d2h");
  if (it == ceilings.by_name.end() || it->second == 0) return {};
  return {static_cast<double>(c.integer("reuse")) * touched_bytes(c) / it->second, outward};
}

Model uncoalesced_model(Case const& c, Ceilings const& ceilings) {
  std::int64_t const sector_words = c.hardware.sector / std::int64_t(sizeof(Word));
  if (ceilings.copy == 0 || sector_words == 0) return {};
  auto const carried = static_cast<double>(std::min(c.integer("stride"), sector_words));
  return {carried * touched_bytes(c) / ceilings.copy, in_sectors};
}

/// All words are copied, and the kernel takes no time.
Model copied_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  return {buffer_bytes(c) / ceilings.copy, whole_buffer};
}

Quantities derive(Result const& result) {
  double const out = result.median_rate("d2h");
  if (result.model.limiter != outward || out == 0) return {};
  return {{"d2h GB/s", out / 1e9}, {"of d2h", result.rate() / out}};
}

double seconds(Result const& result) { return result.statistics().time.median; }

/// In the order of their bytes, and as the deck wrote them.
using Size = std::pair<std::int64_t, std::string>;
/// bytes, touched, reuse.
using Problem = std::tuple<Size, std::int64_t, std::int64_t>;
/// The fastest result of each variant, in the order of the table.
using Fastest = std::map<Variant const*, Result const*>;
using Best = std::map<Problem, Fastest>;

Best best_of(std::vector<Result> const& results) {
  Best best;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Case const& c = *result.planned;
    Value const& bytes = *c.find("bytes");
    Problem const problem{{bytes.n[0], bytes.text()}, c.integer("touched"), c.integer("reuse")};
    Result const*& at = best[problem][c.variant];
    if (at == nullptr || result.rate() > at->rate()) at = &result;
  }
  return best;
}

bool in_chunks(Result const& result) { return result.planned->find("chunks") != nullptr; }

/// Of that role: where the kernel reads over the link, and where all is copied first; null where it was not measured.
Result const* find(Fastest const& fastest, Role role, char const* limiter) {
  auto const it = std::find_if(fastest.begin(), fastest.end(), [&](auto const& entry) {
    return entry.first->role == role && entry.second->model.limiter == limiter && !in_chunks(*entry.second);
  });
  return it == fastest.end() ? nullptr : it->second;
}

/// "mapped reads at 0.93 of the pinned copy's rate (blocks 66)".
void tell_the_rates(Problem const& problem, Fastest const& fastest, std::vector<std::string>& sentences) {
  auto const& [bytes, touched, reuse] = problem;
  if (touched != 100 || reuse != 1) return;
  std::string const& size = bytes.second;
  for (auto const& [variant, result] : fastest) {
    if (result->model.limiter == inward)
      sentences.push_back(fmt::format("{} read once: {} reaches {:.3f} of the pinned copy's rate (blocks: {})", size,
                                      variant->name, result->rate() / result->ceiling(),
                                      result->planned->find("blocks")->text()));
    if (result->model.limiter == outward)
      sentences.push_back(fmt::format("{} written once: {} reaches {:.3f} of the rate of a pinned copy to the host",
                                      size, variant->name, result->measured_value("of d2h")));
    if (Result const* mapped = find(fastest, variant->role, inward); mapped != nullptr && in_chunks(*result))
      sentences.push_back(
          fmt::format("{} read once: {} chunks, copied beside the kernel ({}), take {:.2f}x the time of {}", size,
                      result->planned->find("chunks")->text(), variant->name, seconds(*result) / seconds(*mapped),
                      mapped->planned->variant->name));
  }
}

/// Where mapping of that kind stops to win along one of touched and reuse, the other held at `held`; among variants of
/// that role.
void tell_the_crossover(Best const& best, Role role, char const* limiter, bool along_reuse,
                        std::vector<std::string>& sentences) {
  std::map<std::pair<Size, std::int64_t>, std::vector<Ways>> series;  // by bytes and the key that is held
  std::string names;
  for (auto const& [problem, fastest] : best) {
    auto const& [bytes, touched, reuse] = problem;
    Result const *mapped = find(fastest, role, limiter), *copied = find(fastest, role, whole_buffer);
    if (mapped == nullptr || copied == nullptr) continue;
    names = mapped->planned->variant->name + " against " + copied->planned->variant->name;
    series[{bytes, along_reuse ? touched : reuse}].push_back(
        {along_reuse ? reuse : touched, seconds(*mapped), seconds(*copied)});
  }
  for (auto const& [where, ways] : series) {
    if (ways.size() < 2) continue;
    auto const& [bytes, held] = where;
    auto const last = mapping_wins_to(ways);
    auto const most =
        std::max_element(ways.begin(), ways.end(), [](Ways const& a, Ways const& b) { return a.at < b.at; });
    std::string const problem = along_reuse ? fmt::format("{}, {} % touched", bytes.second, held)
                                            : fmt::format("{}, each word used {}", bytes.second,
                                                          held == 1 ? "once" : fmt::format("{} times", held));
    std::string const unit = along_reuse ? "uses" : "% touched";
    sentences.push_back(fmt::format("{}: {} {}", problem, names,
                                    !last ? "never wins"
                                    : *last == most->at
                                        ? fmt::format("wins up to {} {}, the most that was tried", *last, unit)
                                        : fmt::format("wins up to {} {}; beyond, copy first", *last, unit)));
  }
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  Best const best = best_of(results);
  for (auto const& [problem, fastest] : best) tell_the_rates(problem, fastest, sentences);
  for (Role const role : {Role::portable, Role::native}) {
    for (char const* const limiter : {inward, inward_once}) {
      tell_the_crossover(best, role, limiter, true, sentences);
      tell_the_crossover(best, role, limiter, false, sentences);
    }
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "zero_copy";
  p.meaning = "kernels that use the host's memory where it lies: when is that better than copying first?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "bytes that must cross the link / `copy`, a pinned copy of the whole buffer in the same rounds. mapped: the "
      "card's latency, and reuse x touched (nothing is kept on this side); kept: as mapped with reuse 1, and, where it "
      "is more, (reuse + 1) x touched in device memory at the rate of the card's reads of 1 GiB; uncoalesced: touched "
      "x min(stride, words of a sector) (a sector is carried for a word); copying: the whole buffer, and the kernel "
      "takes no time (`kernel us`: what it takes alone). Writing: reuse x touched / `d2h`, a pinned copy of the whole "
      "buffer to the host in the same rounds. The figure counts touched bytes once, whatever crossed the link";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "size of the host's buffer"},
      {"touched", KeyKind::integer, "100", {}, "percent of it that the kernel uses: lines of 128 bytes, spread out"},
      {"reuse", KeyKind::integer, "1", {}, "how often it reads (writes) each of them; at most 64"},
      {"blocks", KeyKind::integer, "0", {}, "of 256 threads; 0: as many as the device holds", 0},
      {"stride", KeyKind::integer, "32", {}, "words between those that neighbouring threads read"},
      {"chunks", KeyKind::integer, "16", {}, "that the copy is cut into"},
  };
  p.variants = {
      portable("mapped", "a kernel reads a View in SharedHostPinnedSpace, 16 bytes a thread", prepare_mapped)
          .with_keys({"blocks"}),
      portable("kept", "as mapped at the first use, which keeps what it reads in device memory for the later ones",
               prepare_kept)
          .with_keys({"blocks"})
          .with_model(kept_model),
      portable("mapped_write", "a kernel writes a View in SharedHostPinnedSpace, 16 bytes a thread",
               prepare_mapped_write)
          .with_keys({"blocks"})
          .with_needs(needs_of_writing)
          .with_model(written_model),
      portable("uncoalesced", "as mapped, in single words that lie apart", prepare_uncoalesced)
          .with_keys({"stride"})
          .with_model(uncoalesced_model),
      portable("copy_then_compute", "deep_copy on an instance, then the kernel", prepare_copy_then_compute)
          .with_model(copied_model),
      portable("overlapped", "chunks, copied and computed on two instances in turn; the host waits for both",
               prepare_overlapped)
          .with_keys({"chunks"})
          .with_model(copied_model),
      native("native_mapped", "mapped in raw CUDA", prepare_whole<&Launchers::mapped>)
          .twin_of("mapped")
          .with_keys({"blocks"}),
      native("native_kept", "kept in raw CUDA", prepare_whole<&Launchers::kept>)
          .twin_of("kept")
          .with_keys({"blocks"})
          .with_model(kept_model),
      native("native_mapped_write", "mapped_write in raw CUDA", prepare_whole<&Launchers::mapped_write>)
          .twin_of("mapped_write")
          .with_keys({"blocks"})
          .with_needs(needs_of_writing)
          .with_model(written_model),
      native("native_uncoalesced", "uncoalesced in raw CUDA", prepare_whole<&Launchers::uncoalesced>)
          .twin_of("uncoalesced")
          .with_keys({"stride"})
          .with_model(uncoalesced_model),
      native("native_copy_then_compute", "cudaMemcpyAsync, then the kernel in raw CUDA",
             prepare_whole<&Launchers::copy_then_compute>)
          .twin_of("copy_then_compute")
          .with_model(copied_model),
      native("native_overlapped", "overlapped in raw CUDA, its streams joined by events: the host does not wait",
             prepare_whole<&Launchers::overlapped>)
          .twin_of("overlapped")
          .with_keys({"chunks"})
          .with_model(copied_model),
  };
  for (Variant& variant : p.variants) variant.not_on_hosts = "on a host there is no link to cross";
  p.on_hosts = "a host has one memory: every case is skipped";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.model = mapped_model;
  p.findings = findings;
  p.derive = derive;
  return p;
}

}  // namespace tilestride::zero_copy
