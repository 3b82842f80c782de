// SPDX-License-Identifier: BSD-3-Clause
// A kernel uses words of the host's memory: over the link each time that it reads them, or after a copy. The kernels
// are in walk.hpp, the trials in src/cuda/zero_copy.cu.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "harness/result.hpp"
#include "harness/whole.hpp"
#include "patterns/patterns.hpp"
#include "patterns/zero_copy/touched.hpp"

namespace tilestride {
namespace {

constexpr char const* no_link = "on a host there is no link to cross";
constexpr std::int64_t most_uses = 64;
constexpr int sector_words = 8;  // what the link carries at the least for a word: 32 bytes

std::int64_t lines_of(Case const& c) { return c.find("bytes")->n[0] / line_bytes; }

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

bool writes(Case const& c) { return c.variant->name == "mapped_write" || c.variant->name == "kokkos_mapped_write"; }

double touched_bytes(Case const& c) {
  return static_cast<double>(touched_lines(lines_of(c), c.integer("touched")) * line_bytes);
}

double buffer_bytes(Case const& c) { return static_cast<double>(lines_of(c) * line_bytes); }

double needs(Case const& c) { return (writes(c) ? 2 : 1) * buffer_bytes(c) + touched_bytes(c); }

/// What has to cross the link, once.
Work work(Case const& c) { return {touched_bytes(c)}; }

/// The link is never idle, and nothing is kept on this side of it: each use of a word crosses it again.
Model mapped_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  return {static_cast<double>(c.integer("reuse")) * touched_bytes(c) / ceilings.copy, "link"};
}

/// The other way.
Model written_model(Case const& c, Ceilings const& ceilings) {
  auto const it = ceilings.by_name.find("d2h");
  if (it == ceilings.by_name.end() || it->second == 0) return {};
  return {static_cast<double>(c.integer("reuse")) * touched_bytes(c) / it->second, "link"};
}

Quantities derive(Result const& result) {
  double const out = result.median_rate("d2h");
  if (!writes(*result.planned) || out == 0) return {};
  return {{"d2h GB/s", out / 1e9}, {"of d2h", result.rate() / out}};
}

Model uncoalesced_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  auto const carried = static_cast<double>(std::min<std::int64_t>(c.integer("stride"), sector_words));
  return {carried * touched_bytes(c) / ceilings.copy, "link"};
}

/// All words are copied, and the kernel takes no time.
Model copied_model(Case const& c, Ceilings const& ceilings) {
  if (ceilings.copy == 0) return {};
  return {buffer_bytes(c) / ceilings.copy, "link"};
}

double seconds_of(Result const& result) { return result.statistics().time.median; }

/// In the order of their bytes, and as the deck wrote them.
using Size = std::pair<std::int64_t, std::string>;
/// bytes, touched, reuse.
using Problem = std::tuple<Size, std::int64_t, std::int64_t>;
/// Of each problem, the fastest result of each variant.
using Best = std::map<Problem, std::map<std::string, Result const*>>;

Best best_of(std::vector<Result> const& results) {
  Best best;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    Case const& c = *result.planned;
    Value const& bytes = *c.find("bytes");
    Problem const problem{{bytes.n[0], bytes.text()}, c.integer("touched"), c.integer("reuse")};
    Result const*& at = best[problem][c.variant->name];
    if (at == nullptr || result.rate() > at->rate()) at = &result;
  }
  return best;
}

Result const* find(std::map<std::string, Result const*> const& variants, std::string const& name) {
  auto const it = variants.find(name);
  return it == variants.end() ? nullptr : it->second;
}

double measured(Result const& result, std::string const& name) {
  for (auto const& [known, value] : result.measured) {
    if (known == name) return value;
  }
  return 0;
}

/// "mapped reads at 0.93 of the pinned copy's rate (blocks 66)".
void tell_the_rates(Problem const& problem, std::map<std::string, Result const*> const& variants,
                    std::vector<std::string>& sentences) {
  auto const& [bytes, touched, reuse] = problem;
  if (touched != 100 || reuse != 1) return;
  std::string const& size = bytes.second;
  for (char const* name : {"mapped", "kokkos_mapped"}) {
    if (Result const* r = find(variants, name))
      sentences.push_back(fmt::format("{} read once: {} reaches {:.3f} of the pinned copy's rate (blocks: {})", size,
                                      name, r->rate() / r->ceiling(), r->planned->find("blocks")->text()));
  }
  for (char const* name : {"mapped_write", "kokkos_mapped_write"}) {
    if (Result const* r = find(variants, name))
      sentences.push_back(fmt::format("{} written once: {} reaches {:.3f} of the rate of a pinned copy to the host",
                                      size, name, measured(*r, "of d2h")));
  }
  for (char const* name : {"overlapped", "kokkos_overlapped"}) {
    Result const *chunked = find(variants, name), *mapped = find(variants, "mapped");
    if (chunked != nullptr && mapped != nullptr)
      sentences.push_back(fmt::format(
          "{} read once: {} chunks, copied beside the kernel ({}), take {:.2f}x the time of "
          "mapped memory",
          size, chunked->planned->find("chunks")->text(), name, seconds_of(*chunked) / seconds_of(*mapped)));
  }
}

/// Where mapping stops to win along one of touched and reuse, the other held at `held`.
void tell_the_crossover(Best const& best, std::string const& mapped, std::string const& copied, bool along_reuse,
                        std::vector<std::string>& sentences) {
  std::map<std::pair<Size, std::int64_t>, std::vector<Ways>> series;  // by bytes and the key that is held
  for (auto const& [problem, variants] : best) {
    auto const& [bytes, touched, reuse] = problem;
    Result const *one = find(variants, mapped), *other = find(variants, copied);
    if (one == nullptr || other == nullptr) continue;
    series[{bytes, along_reuse ? touched : reuse}].push_back(
        {along_reuse ? reuse : touched, seconds_of(*one), seconds_of(*other)});
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
    sentences.push_back(fmt::format("{}: {} against {} {}", problem, mapped, copied,
                                    !last ? "never wins"
                                    : *last == most->at
                                        ? fmt::format("wins up to {} {}, the most that was tried", *last, unit)
                                        : fmt::format("wins up to {} {}; beyond, copy first", *last, unit)));
  }
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::vector<std::string> sentences;
  Best const best = best_of(results);
  for (auto const& [problem, variants] : best) tell_the_rates(problem, variants, sentences);
  for (auto const& [mapped, copied] : {std::pair("kokkos_mapped", "kokkos_copy"), {"mapped", "copy_then_compute"}}) {
    tell_the_crossover(best, mapped, copied, true, sentences);
    tell_the_crossover(best, mapped, copied, false, sentences);
  }
  return sentences;
}

Variant kokkos(std::string name, std::string meaning, std::vector<std::string> keys, ModelOf model) {
  return Variant{std::move(name), std::move(meaning), Role::solution, prepare_whole, std::move(keys), model}
      .only_on_devices(no_link);
}

Variant native(std::string name, std::string meaning, std::vector<std::string> keys, ModelOf model) {
  return {std::move(name), std::move(meaning), Role::native, prepare_whole, std::move(keys), model};
}

}  // namespace

Pattern zero_copy_pattern() {
  Pattern pattern{
      "zero_copy",
      "kernels that use the host's memory where it lies: when is that better than copying first?",
      {Type::i32},
      Figure::bandwidth,
      "bytes that must cross the link / `copy`, a pinned copy of the whole buffer in the same rounds. mapped: reuse x "
      "touched (nothing is kept on this side); uncoalesced: touched x min(stride, 8) (32 bytes are carried for a "
      "word); "
      "copying: the whole buffer, and the kernel takes no time (`kernel us`: what it takes alone). Writing: reuse x "
      "touched / `d2h`, a pinned copy of the whole buffer to the host in the same rounds. The figure counts touched "
      "bytes once, whatever crossed the link",
      {
          {"bytes", KeyKind::bytes, "64 MiB", {}, "size of the host's buffer"},
          {"touched",
           KeyKind::integer,
           "100",
           {},
           "percent of it that the kernel uses: lines of 128 bytes, spread out"},
          {"reuse", KeyKind::integer, "1", {}, "how often it reads (writes) each of them; at most 64"},
          {"blocks", KeyKind::integer, "0", {}, "of 256 threads; 0: as many as the device holds", 0},
          {"stride", KeyKind::integer, "32", {}, "words between those that neighbouring threads read"},
          {"chunks", KeyKind::integer, "16", {}, "that the copy is cut into"},
      },
      {
          kokkos("kokkos_mapped", "a kernel reads a View in SharedHostPinnedSpace", {"blocks"}, mapped_model),
          kokkos("kokkos_mapped_write", "a kernel writes a View in SharedHostPinnedSpace", {"blocks"}, written_model),
          kokkos("kokkos_copy", "deep_copy on an instance, then the kernel", {}, copied_model),
          kokkos("kokkos_overlapped", "chunks, copied and computed on two instances in turn", {"chunks"}, copied_model),
          native("mapped", "a kernel reads mapped memory, 16 bytes a thread", {"blocks"}, mapped_model)
              .twin_of("kokkos_mapped"),
          native("mapped_write", "a kernel writes mapped memory, 16 bytes a thread", {"blocks"}, written_model)
              .twin_of("kokkos_mapped_write"),
          native("copy_then_compute", "cudaMemcpyAsync, then the kernel", {}, copied_model).twin_of("kokkos_copy"),
          native("overlapped", "chunks, copied and computed on two streams in turn", {"chunks"}, copied_model)
              .twin_of("kokkos_overlapped"),
          native("uncoalesced", "as mapped, in single words that lie apart", {"stride"}, uncoalesced_model),
      },
      refuse,
      needs,
      work,
      mapped_model,
      findings,
  };
  pattern.derive = derive;
  pattern.on_hosts = "a host has one memory: every case is skipped";
  return pattern;
}

}  // namespace tilestride
