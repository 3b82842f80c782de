// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "portable/native.hpp"

namespace tilestride {
template <class T, int Count>
struct Piece;  // patterns/common/pack.hpp
}

namespace tilestride::bandwidth {

using Pack = Piece<std::uint32_t, 4>;
constexpr std::int64_t pack_bytes = 16;

/// What is read, by whom and how often (reading.hpp). A set of packs is read by `readers`: a team on each
/// multiprocessor, or a thread of a host. Each of them reads the whole set or its own part of it, `passes` times: from
/// a place of its own on, and around.
struct Reading {
  std::int64_t packs;  ///< of the set; a reader's range of it is less than 2 GiB
  int readers;
  bool parts;  ///< each reader has its own part; else all have the whole set
  std::int64_t passes;
  int threads;  ///< of a reader
  /// Added to every word that a team puts into scratch: 0, but for the probe. A sum without it does not come from
  /// there.
  std::uint32_t mark;
};

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
