// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What is read, by whom and how often, for Kokkos and raw CUDA alike. A set of packs of 16 bytes is read by `readers`: a
// team on each multiprocessor, or a thread of a host. Each of them reads the whole set or its own part of it, `passes`
// times: from a place of its own on, and around.

#include <cstdint>

#include "patterns/common/pack.hpp"
#include "portable/native.hpp"

namespace tilestride::bandwidth {

using Pack = Piece<std::uint32_t, 4>;

constexpr std::int64_t pack_bytes = sizeof(Pack);
constexpr int team_threads = 1024;  ///< of a reader on a device
constexpr int in_flight = 4;        ///< packs that a thread asks for before it waits for the first

/// The packs that one reader reads: `count` from `begin` on, of which it reads number `start` first.
struct Range {
  std::int64_t begin;
  std::uint32_t count, start;
};

struct Reading {
  std::int64_t packs;  ///< of the set; a range has less than 2 GiB of them
  int readers;
  bool parts;  ///< each reader has its own part; else all have the whole set
  std::int64_t passes;
  int threads;  ///< of a reader
  /// Added to every word that a team puts into scratch: 0, but for the probe. A sum without it does not come from there.
  std::uint32_t mark = 0;

  KOKKOS_FUNCTION Range range(int reader) const {
    std::int64_t const first = packs * reader / readers;
    if (!parts) return {0, static_cast<std::uint32_t>(packs), static_cast<std::uint32_t>(first)};
    return {first, static_cast<std::uint32_t>(packs * (reader + 1) / readers - first), 0};
  }
};

/// Which packs one thread of a reader reads: of all passes together, one after the other, every `threads`-th. In bytes of
/// 32 bits, since a first level of cache leaves few instructions for finding the next place.
struct Share {
  std::uint32_t end, step, at;  ///< of the range; from one of the thread's packs to the next; its next one
  std::int64_t left;            ///< packs

  KOKKOS_FUNCTION Share(Reading const& r, Range const& range, int thread)
      : end(static_cast<std::uint32_t>(pack_bytes) * range.count),
        step(range.count == 0 ? 0 : static_cast<std::uint32_t>(pack_bytes * (r.threads % range.count))),
        at(range.count == 0 ? 0 : static_cast<std::uint32_t>(pack_bytes * ((range.start + thread) % range.count))),
        left((r.passes * range.count - thread + r.threads - 1) / r.threads) {}

  /// Where in the range its next pack is. Of the place one step further and that place less the range the smaller one is
  /// right: the other is past the end, or below 0 and so above all.
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

struct Arguments {
  Reading reading;
  Pack const* set;
  std::uint32_t* out;  ///< a sum for each thread of each reader
};

struct Launchers {
  Launcher<Arguments> global = nullptr, read_only = nullptr, texture = nullptr, shared = nullptr, cluster = nullptr,
                      constant = nullptr, peer = nullptr, peer_store = nullptr;
  static Launchers on_device();
  static Launchers on_host() { return {}; }
};

}  // namespace tilestride::bandwidth
