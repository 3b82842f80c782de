// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the kernels of products on Hopper's matrix units share. A cluster of blocks works on a group of neighbouring
// tiles of C, one for each block: blocks that lie side by side need the same rows of A, and blocks below each other the
// same columns of B, so each fetches its share of those and the copy engine hands it to all. Where there are too few
// tiles for all multiprocessors, a cluster has several blocks for each tile, which divide K among them and add up their
// sums through each other's shared memory, always in the same order. Otherwise clusters are persistent.

#include "cuda/cluster.hpp"
#include "cuda/hopper.hpp"

namespace tilestride::cuda {

/// The groups of tiles of C, counted in bands of `band` rows of them, column by column: those that are under way at the
/// same time then share rows of A and columns of B in L2.
struct TensorTiles {
  int down, across, band;

  __host__ __device__ int count() const { return down * across; }
  /// Which row of groups (x) and which column of them (y).
  __device__ int2 operator[](int group) const {
    int const first = group / (band * across) * band;
    int const height = min(band, down - first);
    int const inside = group % (band * across);
    return {first + inside % height, inside / height};
  }
};

/// A cluster: `down` x `across` neighbouring tiles, and `splits` blocks for each of them that divide K.
struct TensorCluster {
  int down = 1, across = 1, splits = 1;

  __host__ __device__ int group() const { return down * across; }
  __host__ __device__ int size() const { return group() * splits; }
};

/// What the kernels get besides A, B and C.
struct TensorProblem {
  int m, n, k;
  TensorTiles groups;
  TensorCluster cluster;
  int stages;  ///< of the ring
};

__host__ __device__ inline int divided_up(std::int64_t n, int by) { return static_cast<int>((n + by - 1) / by); }

/// What one step of a tile of C takes: m rows of A and n columns of B, of both as many of the K elements as make 128
/// bytes. `resident`: blocks on a multiprocessor at once. Columns of B come in boxes of k, the last of which may be
/// more than are multiplied.
template <class T, int rows, int columns, int resident_>
struct TensorStage {
  using Element = T;
  static constexpr int m = rows, n = columns, k = 128 / int(sizeof(T)), boxes = (n + k - 1) / k, resident = resident_;
  T a[m][k], b[boxes][k][k];
};

/// Bytes of shared memory that a block may use, of those that a multiprocessor has; the system takes 1 KiB of each.
__host__ __device__ constexpr int shared_memory_of(int resident) { return 228 * 1024 / resident - 1024; }

/// As many stages as fit, where so many blocks shall be resident; `others`: bytes besides them.
__host__ __device__ constexpr int stages_of(int resident, std::size_t stage, int others) {
  return (shared_memory_of(resident) - others) / static_cast<int>(stage);
}

constexpr int ring_others = 1024;  ///< bytes of a ring besides its stages

template <class Stage>
using TensorRing = hopper::Ring<Stage, stages_of(1, sizeof(Stage), ring_others)>;

/// Threads of a block: `groups` warpgroups that multiply, and one warp that fetches. Where that warp has a warpgroup of
/// its own, `fetching` registers of each of its threads are enough and the others get the rest: only whole warpgroups
/// can hand over registers.
template <class Stage, int groups, bool handed_over = Stage::resident == 1, int fetching = 24>
struct TensorThreads {
  static constexpr int multiply = groups * 128, all = multiply + (handed_over ? 128 : 32);
  static constexpr int at_launch = 65536 / (all * Stage::resident) / 8 * 8;  ///< registers of each
  static constexpr int left = (at_launch * (groups + 1) - fetching) / groups / 8 * 8;
  static constexpr int claimed = left < 240 ? left : 240;

  __device__ static void release_registers() {
    if constexpr (handed_over) hopper::release_registers<fetching>();
  }
  __device__ static void claim_registers() {
    if constexpr (handed_over) hopper::claim_registers<claimed>();
  }
};

/// This block among those of its cluster and of the grid.
template <class Stage>
struct TensorBlock {
  TensorProblem const& p;
  int cluster, clusters;  ///< which, of how many
  int first;              ///< rank of the first block of this one's group
  int row, column;        ///< of this block in the group
  int part;               ///< of K
  bool alone;             ///< in its group
  /// Ranks from `first` on, a bit for each: the blocks that need the same rows of A, and the same columns of B.
  unsigned side_by_side, below;

  __device__ explicit TensorBlock(TensorProblem const& problem) : p(problem) {
    dim3 const at = cluster::block_index();
    row = at.x, column = at.y, part = at.z;
    cluster = cluster::index_x(), clusters = cluster::count_x();
    first = part * p.cluster.group();
    alone = p.cluster.group() == 1;
    below = ((1u << p.cluster.down) - 1) << (column * p.cluster.down);
    side_by_side = 0;
    for (int i = 0; i < p.cluster.across; ++i) side_by_side |= 1u << (row + i * p.cluster.down);
  }

  /// Calls body(g) for the groups that hold this block's tiles.
  template <class Body>
  __device__ void for_each_tile(Body const& body) const {
    for (int g = cluster; g < p.groups.count(); g += clusters) body(g);
  }
  /// The first row (x) and column (y) of C that are of this block's tile in that group.
  __device__ int2 corner(int g) const {
    int2 const group = p.groups[g];
    return {(group.x * p.cluster.down + row) * Stage::m, (group.y * p.cluster.across + column) * Stage::n};
  }

  /// The steps of this block's part of K.
  __device__ int begin() const { return divided_up(p.k, Stage::k) * part / p.cluster.splits; }
  __device__ int end() const { return divided_up(p.k, Stage::k) * (part + 1) / p.cluster.splits; }
  __device__ int steps() const { return end() - begin(); }

  /// All threads; `readers` are warps of this block.
  template <int most>
  __device__ void init(hopper::Ring<Stage, most>& ring, int readers, CUtensorMap const& a, CUtensorMap const& b) const {
    if (threadIdx.x == 0) hopper::prefetch(a), hopper::prefetch(b);
    ring.init(p.stages, readers * (p.cluster.down + p.cluster.across - 1));
    if (!alone) cluster::sync();
  }

  /// The loop of the thread that starts the copies into the stages. Blocks side by side share the rows of A, and blocks
  /// below each other the rows of B: each copies its share of them to all.
  template <int most>
  __device__ void fill(hopper::Ring<Stage, most>& ring, CUtensorMap const& a, CUtensorMap const& b) const {
    int const down = p.cluster.down, across = p.cluster.across;
    int const a_row = column * (Stage::m / across), b_row = row * (Stage::k / down);
    hopper::Place at;
    for_each_tile([&](int g) {
      auto const [top, left] = corner(g);
      for (int s = begin(); s < end(); ++s, at.advance(p.stages)) {
        Stage& to = ring.claim(at);
        copy(to.a[a_row], a, s * Stage::k, top + a_row, ring.full[at.stage], across, side_by_side << first);
#pragma unroll
        for (int i = 0; i < Stage::boxes; ++i)
          copy(to.b[i][b_row], b, left + i * Stage::k, s * Stage::k + b_row, ring.full[at.stage], down, below << first);
      }
    });
  }

  /// This warp has read the stage: each lane tells one of the blocks that fetched it.
  template <int most>
  __device__ void release(hopper::Ring<Stage, most>& ring, int s) const {
    int const lane = threadIdx.x % 32;
    if (alone)
      ring.release(s);
    else if ((side_by_side | below) >> lane & 1)
      hopper::arrive_in_block(ring.empty[s], first + lane);
  }

  /// Calls store(i, part) for 32 bytes at a time of the sums of a thread, `count` elements; where K is divided, of the
  /// blocks' sums added up, and then only for this block's share of them. All of the first `threads` threads; all
  /// stages of the ring have been read.
  template <int threads, int count, int most, class T, class Store>
  __device__ void finish(T const* sums, hopper::Ring<Stage, most>& ring, Store const& store) const {
    constexpr int size = 32 / sizeof(T), parts = count / size;
    static_assert(threads * count * sizeof(T) <=
                  stages_of(Stage::resident, sizeof(Stage), ring_others) * sizeof(Stage));
    if (p.cluster.splits == 1) {
#pragma unroll
      for (int i = 0; i < parts; ++i) store(i, sums + i * size);
      return;
    }
    int const splits = p.cluster.splits;
    auto* const own = reinterpret_cast<uint4*>(ring.stage) + threadIdx.x;
    asm volatile("bar.sync 1, %0;" ::"n"(threads) : "memory");  // all have read the ring
#pragma unroll
    for (int i = 0; i < 2 * parts; ++i) memcpy(own + i * threads, sums + i * (size / 2), 16);
    cluster::sync();
    for (int i = parts * part / splits; i < parts * (part + 1) / splits; ++i) {
      T sum[size] = {};
#pragma unroll 4
      for (int s = 0; s < splits; ++s) {
        uint4 const* const there =
            cluster::in_block(own + 2 * i * threads, s * p.cluster.group() + column * p.cluster.down + row);
        uint4 const both[2] = {there[0], there[threads]};
        T x[size];
        memcpy(x, both, 32);
#pragma unroll
        for (int j = 0; j < size; ++j) sum[j] += x[j];
      }
      store(i, sum);
    }
  }

  /// The end of a kernel: others may be reading this block's shared memory or arriving at its barriers. All warps that
  /// have not returned.
  __device__ void leave() const {
    if (p.cluster.size() > 1) cluster::sync();
  }

 private:
  static __device__ void copy(void* to, CUtensorMap const& map, int column, int row, hopper::Barrier& b, int receivers,
                              unsigned ranks) {
    if (receivers == 1)
      hopper::copy_box(to, map, column, row, b);
    else
      hopper::copy_box(to, map, column, row, b, static_cast<std::uint16_t>(ranks));
  }
};

}  // namespace tilestride::cuda
