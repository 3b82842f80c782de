// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the kernels do, for raw CUDA and Kokkos alike. The touched lines of a buffer, one after the other, are `count`
// packs of 16 bytes:
//
//   gather    out[p] = sum over r < reuse of in[place of pack (p + r shift) mod count]
//   scatter   out[place of pack (p + r shift) mod count] = in[same place], for each r < reuse
//   keep      the use r = 0 of gather, and kept[place of pack p] = in[same place]
//   later     the other uses of gather, added to what keep has left in out
//
// so that each pack is read (written) `reuse` times, by different threads and at times far apart.

#include <Kokkos_Core.hpp>

#include "patterns/zero_copy/touched.hpp"

namespace tilestride::zero_copy {

using Word = std::int32_t;
struct alignas(16) Pack {
  Word w[4];
};

constexpr int walk_threads = 256;
constexpr int walk_resident = 4;  ///< blocks on a multiprocessor: a thread may then have 64 registers
constexpr int walk_batch = 4;     ///< packs that a thread asks for before it waits for the first

/// Where the touched lines are.
struct Touched {
  std::uint64_t step;
  std::int64_t count;  ///< packs
  std::int64_t shift;  ///< packs between two uses of one
  int reuse;

  Touched(std::int64_t lines, std::int64_t percent, int times)
      : step(step_between(lines, touched_lines(lines, percent))),
        count(touched_lines(lines, percent) * (line_bytes / 16)),
        shift(count / times),
        reuse(times) {}

  KOKKOS_FUNCTION std::int64_t line(std::int64_t i) const {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(i) * step) >> 32);
  }
  KOKKOS_FUNCTION std::int64_t pack(std::int64_t p) const { return line(p / 8) * 8 + p % 8; }
  KOKKOS_FUNCTION std::int64_t word(std::int64_t w) const { return line(w / 32) * 32 + w % 32; }

  /// Whether a line is touched: the first touched line that is not before it is it.
  KOKKOS_FUNCTION bool holds(std::int64_t l) const {
    auto const i = static_cast<std::int64_t>(((static_cast<std::uint64_t>(l) << 32) + step - 1) / step);
    return i < count / 8 && line(i) == l;
  }
};

KOKKOS_INLINE_FUNCTION Word sum_of(Word a, Word b) {
  return static_cast<Word>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

KOKKOS_INLINE_FUNCTION Pack sum_of(Pack const& a, Pack const& b) {
  return {{sum_of(a.w[0], b.w[0]), sum_of(a.w[1], b.w[1]), sum_of(a.w[2], b.w[2]), sum_of(a.w[3], b.w[3])}};
}

/// Packs [begin, end) by blocks that take a piece each, the next pieces after that, and so on: concurrent accesses are
/// close together in memory.
template <class Step>
struct Walk {
  Pack const* in;
  Pack* out;
  Touched touched;
  std::int64_t begin, end;
  int blocks;
  Pack* kept = nullptr;  ///< of Keep alone

  static constexpr std::int64_t piece = walk_threads * walk_batch;

  KOKKOS_FUNCTION void operator()(int block, int thread) const {
    for (std::int64_t first = begin + block * piece; first < end; first += blocks * piece) {
      std::int64_t at[walk_batch];
      bool inside[walk_batch];
      for (int b = 0; b < walk_batch; ++b) {
        at[b] = first + b * walk_threads + thread;
        inside[b] = at[b] < end;
      }
      Step step{};
      for (int r = 0; r < touched.reuse; ++r) {
        if (r >= Step::first_use) step.use(*this, at, inside);
        for (int b = 0; b < walk_batch; ++b) {
          at[b] += touched.shift;
          if (at[b] >= touched.count) at[b] -= touched.count;
        }
      }
      step.finish(*this, first + thread, inside);
    }
  }
};

struct Gather {
  static constexpr int first_use = 0;
  Pack sum[walk_batch]{};

  template <class Step>
  KOKKOS_FUNCTION void use(Walk<Step> const& walk, std::int64_t const* at, bool const* inside) {
    Pack x[walk_batch]{};
    for (int b = 0; b < walk_batch; ++b) {
      if (inside[b]) x[b] = walk.in[walk.touched.pack(at[b])];
    }
    for (int b = 0; b < walk_batch; ++b) sum[b] = sum_of(sum[b], x[b]);
  }
  KOKKOS_FUNCTION void finish(Walk<Gather> const& walk, std::int64_t p, bool const* inside) const {
    for (int b = 0; b < walk_batch; ++b) {
      if (inside[b]) walk.out[p + b * walk_threads] = sum[b];
    }
  }
};

/// On a walk of one use.
struct Keep : Gather {
  KOKKOS_FUNCTION void finish(Walk<Keep> const& walk, std::int64_t p, bool const* inside) const {
    for (int b = 0; b < walk_batch; ++b) {
      std::int64_t const at = p + std::int64_t(b) * walk_threads;
      if (inside[b]) walk.out[at] = walk.kept[walk.touched.pack(at)] = sum[b];
    }
  }
};

struct Later : Gather {
  static constexpr int first_use = 1;

  KOKKOS_FUNCTION void finish(Walk<Later> const& walk, std::int64_t p, bool const* inside) const {
    Pack so_far[walk_batch]{};
    for (int b = 0; b < walk_batch; ++b) {
      if (inside[b]) so_far[b] = walk.out[p + std::int64_t(b) * walk_threads];
    }
    for (int b = 0; b < walk_batch; ++b) {
      if (inside[b]) walk.out[p + std::int64_t(b) * walk_threads] = sum_of(so_far[b], sum[b]);
    }
  }
};

struct Scatter {
  static constexpr int first_use = 0;

  KOKKOS_FUNCTION void use(Walk<Scatter> const& walk, std::int64_t const* at, bool const* inside) const {
    std::int64_t place[walk_batch]{};
    Pack x[walk_batch]{};
    for (int b = 0; b < walk_batch; ++b) {
      place[b] = walk.touched.pack(at[b]);
      if (inside[b]) x[b] = walk.in[place[b]];
    }
    for (int b = 0; b < walk_batch; ++b) {
      if (inside[b]) walk.out[place[b]] = x[b];
    }
  }
  KOKKOS_FUNCTION void finish(Walk<Scatter> const&, std::int64_t, bool const*) const {}
};

/// Gather of single words, each once: neighbouring threads take words that lie `stride` apart. The words are a table of
/// `rows` x `stride`, which is read column by column.
struct StridedGather {
  Word const* in;
  Word* out;
  Touched touched;
  std::int64_t stride, rows;
  int blocks;

  KOKKOS_FUNCTION void operator()(int block, int thread) const {
    std::int64_t const walkers = std::int64_t(blocks) * walk_threads;
    for (std::int64_t i = std::int64_t(block) * walk_threads + thread; i < rows * stride; i += walkers) {
      std::int64_t const column = i / rows;
      std::int64_t const w = (i - column * rows) * stride + column;
      if (w < touched.count * 4) out[w] = in[touched.word(w)];
    }
  }
};

}  // namespace tilestride::zero_copy
