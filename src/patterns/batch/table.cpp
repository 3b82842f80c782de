// SPDX-License-Identifier: BSD-3-Clause
// Many small copies to the device against one of the same bytes.
#include <fmt/format.h>

#include <map>

#include "model/result.hpp"
#include "model/units.hpp"
#include "patterns/batch/crossover.hpp"
#include "patterns/batch/many.hpp"
#include "patterns/batch/packed.hpp"
#include "patterns/common/findings.hpp"

namespace tilestride::batch {
namespace {

double all_bytes(Case const& c) {
  return static_cast<double>(c.integer("chunks")) * static_cast<double>(c.integer("chunk_bytes"));
}

std::string refuse(Case const& c) { return refuse_bytes(c.integer("chunk_bytes"), c.type); }

/// The packed chunks, and each in its slot: at most 256 bytes lie between two.
double needs(Case const& c) { return 2 * all_bytes(c) + 256.0 * static_cast<double>(c.integer("chunks")); }

Work work(Case const& c) { return {all_bytes(c), 0, static_cast<double>(c.integer("chunks"))}; }

/// Two ways to be compared: the first is the one that may pay.
struct Pair {
  char const *contender, *champion;
};
constexpr Pair pairs[] = {{"packed", "many"},
                          {"native_packed", "native_many"},
                          {"native_batched", "native_many"},
                          {"native_batched", "native_packed"}};

using ByChunks = std::map<std::int64_t, double>;  // seconds

void tell(Pair const& pair, double size, std::map<std::string, ByChunks> const& ways,
          std::vector<std::string>& sentences) {
  auto const contender = ways.find(pair.contender), champion = ways.find(pair.champion);
  if (contender == ways.end() || champion == ways.end()) return;
  std::vector<Race> races;
  for (auto const& [chunks, seconds] : contender->second) {
    if (auto const it = champion->second.find(chunks); it != champion->second.end())
      races.push_back({chunks, seconds, it->second});
  }
  if (races.empty()) return;
  Race const& most = races.back();
  auto const from = wins_from(races);
  std::string const verdict = from ? fmt::format("wins from {} chunks on", *from) : "does not win";
  sentences.push_back(fmt::format("chunks of {}: {} {} against {}; {:.2f}x its speed at {} chunks", short_bytes(size),
                                  pair.contender, verdict, pair.champion, most.champion / most.contender, most.chunks));
}

std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<double, std::map<std::string, ByChunks>> sizes;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed) continue;
    std::int64_t const chunks = result.planned->integer("chunks");
    double const size = result.work.bytes / static_cast<double>(chunks);
    sizes[size][result.planned->variant->name][chunks] = result.statistics().time.median;
  }
  std::vector<std::string> sentences;
  for (auto const& [size, ways] : sizes) {
    for (Pair const& pair : pairs) tell(pair, size, ways, sentences);
  }
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "batch";
  p.meaning = "many small pieces for the device: a copy each, or packed into one?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "in the columns, from parts measured when the case is prepared: `model us` = `first` (the smallest copy alone) + "
      "bytes / `link` (deep_copy on an instance in a row), and for n copies (n - 1) `next` (what each further copy "
      "costs: a small one on the stream, or one of a batch without its bytes) besides; packed: `pack` and `unpack` "
      "besides; `achieved` = model / time. `host us`: how long the host is held, the median over the samples. Bytes "
      "are those of the chunks, in pinned memory, counted once";
  p.keys = {
      {"chunks", KeyKind::integer, "256", {}, "how many pieces, which lie apart on both sides"},
      {"chunk_bytes", KeyKind::bytes, "4 KiB", {}, "size of one"},
  };
  p.variants = {
      portable("many", "a deep_copy on an instance for each", prepare_over_link<Many>).only_on_devices(no_link),
      portable("packed", "packed by the host's threads, one deep_copy, unpacked by a kernel", prepare_over_link<Packed>)
          .only_on_devices(no_link),
      native("native_many", "a cudaMemcpyAsync for each", prepare_whole<&Launchers::many>).twin_of("many"),
      native("native_packed", "packed by the host's threads, one cudaMemcpyAsync, unpacked by a kernel",
             prepare_whole<&Launchers::packed>)
          .twin_of("packed"),
      native("native_batched", "one cudaMemcpyBatchAsync for all", prepare_whole<&Launchers::batched>),
  };
  p.on_hosts = "a host has one memory: nothing to send, every case is skipped";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::batch
