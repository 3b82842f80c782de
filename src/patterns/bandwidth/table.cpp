// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "model/result.hpp"
#include "patterns/bandwidth/placed.hpp"
#include "patterns/bandwidth/scratch.hpp"
#include "patterns/bandwidth/storing.hpp"
#include "patterns/common/banks.hpp"
#include "patterns/common/findings.hpp"
#include "portable/host_space.hpp"

namespace tilestride::bandwidth {
namespace {

std::optional<Skip> why_no_readers(Case const& c) {
  if (reader_count(c) > 0) return {};
  return Skip{SkipReason::hardware, "how many multiprocessors the device has is not known: give readers"};
}

/// What a trial of prepare() does not note.
Trial noted(Trial trial, Case const& c) {
  if (trial.skip) return trial;
  trial.notes["readers"] = std::to_string(reader_count(c));
  trial.notes["passes"] = std::to_string(pass_count(c));
  return trial;
}

template <Prepare make>
Trial where_readers_are_known(Bench& bench, Case const& c) {
  if (auto const skip = why_no_readers(c)) return skipped(skip->reason, skip->words);
  return noted(make(bench, c), c);
}

template <Prepare make>
Trial where_parts_are_read(Bench& bench, Case const& c) {
  if (!reads_parts(c)) return skipped(SkipReason::not_applicable, "readers store to parts of their own: reads = part");
  return make(bench, c);
}

/// A host's scratch is memory of its own, of which Kokkos has a limit too.
Trial prepare_scratch(Bench& bench, Case const& c) {
  return with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    auto const p = problem_on<Bandwidth<Exec, std::int32_t>>(bench, c);
    auto const most = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
    if (std::size_t const needed = Scratch::shape(*p).scratch; needed > most)
      return skipped(SkipReason::limit,
                     fmt::format("needs {} of team scratch; a team has {}", short_bytes(static_cast<double>(needed)),
                                 short_bytes(static_cast<double>(most))));
    return prepare_on<Bandwidth<Exec, std::int32_t>, Scratch>(bench, c);
  });
}

Trial prepare_unaligned(Bench& bench, Case const& c) {
  return with_host_space(c, "a device's vectors lie at multiples of their size", [&](auto space) {
    return prepare_on<Bandwidth<typename decltype(space)::type, std::int32_t>, Unaligned>(bench, c);
  });
}

constexpr Prepare global = where_readers_are_known<prepare<Bandwidth, Global, std::int32_t>>;
constexpr Prepare words = where_readers_are_known<prepare<Bandwidth, Words, std::int32_t>>;
constexpr Prepare unaligned = where_readers_are_known<prepare_unaligned>;
template <class Kernel>
constexpr Prepare stores = where_parts_are_read<where_readers_are_known<prepare<Storing, Kernel, std::int32_t>>>;
constexpr Prepare scratch = where_readers_are_known<prepare_scratch>;
constexpr Prepare mapped = where_readers_are_known<prepare_over_link<Mapped>>;
template <bool remote>
constexpr Prepare node = where_readers_are_known<on_node<remote>>;
template <auto Launcher>
constexpr Prepare raw = where_readers_are_known<prepare_native<Bandwidth, Launcher, std::int32_t>>;

std::string refuse(Case const& c) {
  auto const& [key, n, percent] = *c.find("bytes");
  if (percent == 0 && n[0] % pack_bytes != 0)
    return fmt::format("{} bytes are no whole number of packs of {}", n[0], pack_bytes);
  if (c.integer("readers") > 65535) return "at most 65535 readers";
  std::int64_t const readers = reads_parts(c) ? reader_count(c) : 1;  // 0: not known yet
  if (readers > 0 && n[0] / readers >= std::int64_t(1) << 31) return "what a reader reads is below 2 GiB";
  if (c.integer("passes") > 1'000'000'000) return "at most 1000000000 passes";
  return "";
}

/// The set, and a sum for each thread.
double needs(Case const& c) {
  return static_cast<double>(c.integer("bytes")) + static_cast<double>(reader_count(c)) * team_threads * 4;
}

/// What is stored, too.
double storing_needs(Case const& c) { return needs(c) + static_cast<double>(c.integer("bytes")); }

Work work(Case const& c) { return {bytes_read(c)}; }

Work copy_work(Case const& c) { return {2 * bytes_read(c)}; }

/// Readers that come to the same place at the same time share what comes from memory.
double from_memory(Case const& c) { return static_cast<double>(pass_count(c) * c.integer("bytes")); }

constexpr char const* stream_has_it = "stream/blocked copies arrays as small";

/// Scratch of a multiprocessor serves a wavefront per clock, a word of every bank.
Model scratch_model(Case const& c, Ceilings const& ceilings) {
  auto const rules = bank_rules(c.hardware);
  if (!rules || ceilings.clock == 0) return {};
  auto const busy = static_cast<double>(std::min<std::int64_t>(reader_count(c), c.hardware.multiprocessors));
  return {work(c).bytes / (rules->banks * rules->bank_bytes * ceilings.clock * busy), "scratch"};
}

/// For each space and way of reading the rate as the set grows.
std::vector<std::string> findings(std::vector<Result> const& results) {
  std::map<std::string, std::vector<std::string>> growth;
  for (Result const& result : results) {
    if (result.outcome != Outcome::passed || result.planned->variant->role != Role::portable) continue;
    Case const& c = *result.planned;
    growth[fmt::format("bandwidth/{}/{} (readers: {}, each its {})", c.variant->name, c.space,
                       result.notes.at("readers"), c.choice("reads"))]
        .push_back(fmt::format("{:.1f} GB/s in {}", result.rate() / 1e9, c.find("bytes")->text()));
  }
  std::vector<std::string> sentences;
  for (auto const& [name, rates] : growth) sentences.push_back(fmt::format("{}: {}", name, fmt::join(rates, ", ")));
  return sentences;
}

}  // namespace

Pattern pattern() {
  Pattern p;
  p.name = "bandwidth";
  p.meaning = "a working set is read again and again: how fast is each kind of memory, and each cache before it?";
  p.types = {Type::i32};
  p.figure = Figure::bandwidth;
  p.formula =
      "scratch, native_shared: bytes / (128 B x multiprocessors that read x clock); none for the others: their rate is "
      "measured. Bytes are those that the readers ask for, from wherever they come";
  p.keys = {
      {"bytes", KeyKind::bytes, "64 MiB", {}, "the working set, in packs of 16 bytes"},
      {"reads",
       KeyKind::choice,
       "set",
       {"set", "part"},
       "each reader the whole set, from a place of its own on; or its own part, so that a pass of all is one of the "
       "set"},
      {"readers",
       KeyKind::integer,
       "0",
       {},
       "teams of 1024 threads, on hosts threads; 0: one for each multiprocessor, or all threads",
       0},
      {"passes", KeyKind::integer, "0", {}, "of each reader in a call; 0: as many as make 64 MiB", 0},
  };
  p.variants = {
      portable("global", "through the space's own memory and its caches", global),
      portable("global_words", "the same, 4 bytes per thread and load instead of 16", words)
          .only_on_devices("a compiler for hosts makes vectors of them"),
      portable("unaligned",
               "the same by vectors that begin 4 bytes past their place: they cross lines of a host's cache",
               unaligned),
      portable("copy", "packs are loaded and stored to another place; loads and stores are counted", stores<Copy>)
          .only_on_devices(stream_has_it)
          .with_needs(storing_needs)
          .with_work(copy_work),
      portable("one_by_one", "copy by words; each thread waits for its load before the next", stores<OneByOne>)
          .only_on_devices(stream_has_it)
          .with_needs(storing_needs)
          .with_work(copy_work),
      portable("scattered", "stores of 4 bytes, those of a warp far from each other; what is stored is counted",
               stores<Scattered>)
          .only_on_devices("a host's cache takes whole lines")
          .with_needs(storing_needs),
      portable("scratch", "team scratch, which each team fills once", scratch).with_model(scratch_model),
      portable("mapped", "memory of the host that the device maps", mapped).only_on_devices(no_link),
      portable("local", "memory that was first touched on the NUMA node of the threads", node<false>),
      portable("remote", "memory that was first touched on another NUMA node", node<true>),
      native("native_global", "the same: global memory", raw<&Launchers::global>).twin_of("global"),
      native("native_read_only", "global memory by ld.global.nc, the path of read-only data",
             raw<&Launchers::read_only>),
      native("native_texture", "a texture over the same global memory", raw<&Launchers::texture>),
      native("native_shared", "shared memory, which each block fills once", raw<&Launchers::shared>)
          .twin_of("scratch")
          .with_model(scratch_model),
      native("native_cluster", "shared memory of the other block of a cluster of two", raw<&Launchers::cluster>),
      native("native_constant",
             "constant memory, 64 KiB at most: all lanes of a warp ask for the same 16 bytes, which are counted once",
             raw<&Launchers::constant>),
      native("native_peer", "loads from the memory of another GPU", raw<&Launchers::peer>),
      native("native_peer_store", "stores to the memory of another GPU", raw<&Launchers::peer_store>),
  };
  p.on_hosts = "a reader is a thread: readers = 1 shows a core's caches, readers = 0 those of all cores together";
  p.refuse = refuse;
  p.needs = needs;
  p.work = work;
  p.from_memory = from_memory;
  p.model = no_model;
  p.findings = findings;
  return p;
}

}  // namespace tilestride::bandwidth
