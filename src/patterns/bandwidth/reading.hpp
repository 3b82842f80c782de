// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which packs each thread reads, for Kokkos and raw CUDA alike.

#include "patterns/bandwidth/native.hpp"
#include "patterns/common/pack.hpp"

namespace tilestride::bandwidth {

static_assert(sizeof(Pack) == pack_bytes);

constexpr int team_threads = 1024;  ///< of a reader on a device
constexpr int in_flight = 4;        ///< packs that a thread asks for before it waits for the first

/// The packs that one reader reads: `count` from `begin` on, of which it reads number `start` first.
struct Range {
  std::int64_t begin;
  std::uint32_t count, start;
};

KOKKOS_INLINE_FUNCTION Range range_of(Reading const& r, int reader) {
  std::int64_t const first = r.packs * reader / r.readers;
  if (!r.parts) return {0, static_cast<std::uint32_t>(r.packs), static_cast<std::uint32_t>(first)};
  return {first, static_cast<std::uint32_t>(r.packs * (reader + 1) / r.readers - first), 0};
}

/// Packs of the longest range.
inline std::int64_t longest_range(Reading const& r) {
  return r.parts ? (r.packs + r.readers - 1) / r.readers : r.packs;
}

/// Which packs one thread of a reader reads: of all passes together, one after the other, every `threads`-th. In bytes
/// of 32 bits, since a first level of cache leaves few instructions for finding the next place.
struct Share {
  std::uint32_t end, step, at;  ///< of the range; from one of the thread's packs to the next; its next one
  std::int64_t left;            ///< packs

  KOKKOS_FUNCTION Share(Reading const& r, Range const& range, int thread)
      : end(static_cast<std::uint32_t>(pack_bytes) * range.count),
        step(range.count == 0 ? 0 : static_cast<std::uint32_t>(pack_bytes * (r.threads % std::int64_t(range.count)))),
        at(range.count == 0
               ? 0
               : static_cast<std::uint32_t>(pack_bytes * ((range.start + std::int64_t(thread)) % range.count))),
        left((r.passes * range.count - thread + r.threads - 1) / r.threads) {}

  /// Where in the range its next pack is. Of the place one step further and that place less the range the smaller one
  /// is right: the other is past the end, or below 0 and so above all.
  KOKKOS_FUNCTION std::uint32_t next() {
    std::uint32_t const here = at, further = at + step, around = further - end;
    at = further < around ? further : around;
    return here;
  }
};

/// The pack at that many bytes.
KOKKOS_INLINE_FUNCTION Pack const& pack_at(Pack const* from, std::uint32_t offset) {
  return *reinterpret_cast<Pack const*>(reinterpret_cast<char const*>(from) + offset);
}

/// A pack as it is in scratch.
KOKKOS_INLINE_FUNCTION Pack marked(Pack p, std::uint32_t mark) {
  for (std::uint32_t& word : p.v) word += mark;
  return p;
}

}  // namespace tilestride::bandwidth
