// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the kernels of products on Hopper's matrix units share. A cluster of blocks works on a group of neighbouring
// tiles of C, one for each block: blocks that lie side by side need the same rows of A, and blocks below each other the
// same columns of B, so each fetches its share of those and the copy engine hands it to all. Where there are too few
// tiles for all multiprocessors, several clusters work on a group of tiles: they divide K among them, leave their sums
// in global memory, and when all have come, each adds up its share of them. Otherwise clusters are persistent, and
// where the last round of tiles would leave many idle, all get an even share of the steps of the first tiles
// (stream-K): of a tile whose steps are shared by two clusters the one makes the first steps, and the other goes on
// from its sums, which lie in global memory. Sums are always added in the same order.

#include "cuda/cluster.hpp"
#include "cuda/hopper.hpp"
#include "portable/divisor.hpp"

namespace tilestride::cuda {

/// The groups of tiles of C, counted in bands of `height` rows of them, column by column: those that are under way at
/// the same time then share rows of A and columns of B in L2.
struct TensorTiles {
  int down, across;
  Divisor band, height, height_of_last;  ///< groups in a band, in a column of one, in a column of the last band

  TensorTiles(int groups_down, int groups_across, int height_)
      : down(groups_down),
        across(groups_across),
        band(height_ * groups_across),
        height(height_),
        height_of_last(groups_down - (groups_down - 1) / height_ * height_) {}

  __host__ __device__ int count() const { return down * across; }
  /// Which row of groups (x) and which column of them (y).
  __host__ __device__ int2 operator[](int group) const {
    int const above = band.quotient(group), first = above * height.by, inside = group - above * band.by;
    Divisor const here = down - first > height.by ? height : height_of_last;
    int const column = here.quotient(inside);
    return {first + inside - column * here.by, column};
  }
};

/// What the kernels get besides A, B and C.
struct TensorProblem {
  int m, n, k;
  TensorTiles tiles;
  int splits;                 ///< clusters that divide K among them
  int streamed = 0;           ///< groups of tiles, the first ones, whose steps are shared evenly by all clusters
  uint4* handed = nullptr;    ///< sums for other clusters: one tile of each block
  unsigned* ready = nullptr;  ///< streamed: a flag of each block, 1 when its sums are there. K divided: a word of each
                              ///< tile, in which its blocks count their arrivals
};

/// Steps of a group of tiles that a cluster takes: from `first` to before `last`.
struct TensorPiece {
  int group, first, last;
};

__host__ __device__ inline int divided_up(std::int64_t n, int by) { return static_cast<int>((n + by - 1) / by); }

/// What one step of a tile of C takes: m rows of A and n columns of B, of both as many of the K elements as make `deep`
/// times 128 bytes. `resident`: blocks on a multiprocessor at once. `down` x `across`: a group of tiles. `divides`:
/// clusters may divide K. `streams`: clusters may share the steps of tiles. Both take registers and instructions.
template <class T, int rows, int columns, int resident_, int down_ = 1, int across_ = 1, bool streams_ = true,
          bool divides_ = true, int deep_ = 1>
struct TensorStage {
  using Element = T;
  static constexpr int chunk = 128 / int(sizeof(T));  // elements of a row of a box
  static constexpr int m = rows, n = columns, deep = deep_, k = deep * chunk;
  static constexpr int resident = resident_, down = down_, across = across_, group = down * across;
  static constexpr int share_a = deep * m / across, share_b = k / down;  // rows that a block fetches: of a, of a b[i]
  static constexpr int box_a = share_a < m ? share_a : m;                // rows of a box of A; a share of b is one box
  static constexpr int boxes = (n + chunk - 1) / chunk;                  // of B, side by side
  static constexpr bool streams = streams_, divides = divides_;
  static_assert(share_a * across == deep * m && share_b * down == k, "blocks fetch the whole stage");
  static_assert(share_a % box_a == 0 && m % box_a == 0 && box_a % 8 == 0 && share_b % 8 == 0);
  static_assert(box_a <= 256 && share_b <= 256, "the copy engine's limit");
  T a[deep * m][chunk];  // m rows of the first chunk of K, then m of the next
  T b[boxes][k][chunk];
};

/// Bytes of shared memory that a block may use, of those that a multiprocessor has; the system takes 1 KiB of each.
constexpr int shared_memory_of(int resident) { return 228 * 1024 / resident - 1024; }

/// As many stages as fit, with their barriers.
template <class Stage>
using TensorRing = hopper::Ring<Stage, (shared_memory_of(Stage::resident) - 256) / int(sizeof(Stage))>;

/// Threads of a block: `groups` warpgroups that multiply, and one warp that fetches. Where that warp has a warpgroup of
/// its own, `fetching` registers of each of its threads are enough and the others get the rest: only whole warpgroups
/// can hand over registers.
template <class Stage, int groups, bool handed_over = Stage::resident == 1, int fetching = 24>
struct TensorThreads {
  static constexpr int multiply = groups * 128, all = multiply + (handed_over ? 128 : 32);
  static constexpr int at_launch = 65536 / (all * Stage::resident) / 8 * 8;  ///< registers of each
  static constexpr int claimed = (at_launch * (groups + 1) - fetching) / groups / 8 * 8;

  __device__ static void release_registers() {
    if constexpr (handed_over) hopper::release_registers<fetching>();
  }
  __device__ static void claim_registers() {
    if constexpr (handed_over) hopper::claim_registers < claimed<240 ? claimed : 240>();
  }
};

/// Two teams of one warpgroup each multiply in turns: while one does, the other stores the sums of its tile. Only the
/// one whose turn it is waits for stages, since a barrier's parity does not tell a phase from the one two later.
template <int teams>
struct TensorTurns {
  int team;
  int tile = 0;  ///< of the block, counted

  __device__ explicit TensorTurns(int of) : team(of) {
    if (teams > 1 && team == 1) pass();
  }
  /// Whether the block's next tile is this team's.
  __device__ bool next() { return teams == 1 || tile++ % teams == team; }
  __device__ void await() const {
    if constexpr (teams > 1) asm volatile("bar.sync %0, 256;" ::"r"(3 + team) : "memory");
  }
  __device__ void pass() const {
    if constexpr (teams > 1) asm volatile("bar.arrive %0, 256;" ::"r"(4 - team) : "memory");
  }
};

/// This block among those of its cluster and of the grid.
template <class Stage>
struct TensorBlock {
  TensorProblem const& p;
  int cluster, clusters;  ///< which, of how many; those that divide K are one
  int row, column;        ///< of this block in the group
  int part;               ///< of K

  __device__ explicit TensorBlock(TensorProblem const& problem) : p(problem) {
    int const rank = blockIdx.x % Stage::group, splits = parts_of_tile();
    cluster = blockIdx.x / Stage::group / splits, clusters = gridDim.x / Stage::group / splits;
    part = blockIdx.x / Stage::group % splits;
    row = rank % Stage::down, column = rank / Stage::down;
  }

  /// Calls body(piece) for each piece that is this block's. Of its share it takes the last steps first: they are the
  /// first ones of a tile, and another cluster goes on from there at the end of its share.
  template <class Body>
  __device__ void for_each_piece(Body const& body) const {
    int const steps = steps_of_tile(), begin = share(cluster), splits = parts_of_tile();
    int end = share(cluster + 1), whole = p.streamed + cluster;
    while (end > begin || whole < p.tiles.count()) {
      TensorPiece piece{whole, steps * part / splits, steps * (part + 1) / splits};
      if (end > begin) {
        piece.group = (end - 1) / steps;
        piece.first = max(begin - piece.group * steps, 0);
        piece.last = end - piece.group * steps;
        end = piece.group * steps + piece.first;
      } else {
        whole += clusters;
      }
      body(piece);
    }
  }
  /// The first row (x) and column (y) of C that are of this block's tile of that group.
  __device__ int2 corner(int t) const {
    int2 const group = p.tiles[t];
    return {(group.x * Stage::down + row) * Stage::m, (group.y * Stage::across + column) * Stage::n};
  }

  /// Whether what this block fetches goes to that one of its group, and the other way round.
  __device__ bool shares_with(int other) const { return other % Stage::down == row || other / Stage::down == column; }

  /// All threads; `readers`: warps of this block that read each stage. The next warp sets up the barriers.
  template <int stages>
  __device__ void init(hopper::Ring<Stage, stages>& ring, int readers, CUtensorMap const& a,
                       CUtensorMap const& b) const {
    if (static_cast<int>(threadIdx.x) / 32 == readers && hopper::elected()) {
      hopper::prefetch(a), hopper::prefetch(b);
      ring.init(readers * (Stage::down + Stage::across - 1), used_stages(stages));
    }
    __syncthreads();
    if constexpr (Stage::group > 1) cluster::sync_relaxed();
  }

  /// The loop of the lane that starts the copies into the stages: hopper::elected().
  template <int stages>
  __device__ void fill(hopper::Ring<Stage, stages>& ring, CUtensorMap const& a, CUtensorMap const& b) const {
    auto const side_by_side = static_cast<std::uint16_t>(across_mask() << row);
    auto const below = static_cast<std::uint16_t>(((1 << Stage::down) - 1) << (column * Stage::down));
    hopper::Place<stages> at;
    for_each_piece([&](TensorPiece const& piece) {
      auto const [top, left] = corner(piece.group);
      for (int s = piece.first; s < piece.last; ++s, at.advance()) {
        Stage& to = ring.claim(at);
        for (int i = 0; i < Stage::share_a; i += Stage::box_a) {
          int const a_row = column * Stage::share_a + i, before = Stage::deep == 1 ? 0 : a_row / Stage::m;  // chunks
          copy<Stage::across>(to.a[a_row], a, s * Stage::k + before * Stage::chunk, top + a_row - before * Stage::m,
                              ring.full[at.stage], side_by_side);
        }
        int const b_row = row * Stage::share_b;
        for (int i = 0; i < Stage::boxes; ++i)
          copy<Stage::down>(to.b[i][b_row], b, left + i * Stage::chunk, s * Stage::k + b_row, ring.full[at.stage],
                            below);
      }
    });
    if constexpr (Stage::group > 1) ring.drain(at, used_stages(stages));
  }

  /// This warp has read the stage.
  template <int stages>
  __device__ void release(hopper::Ring<Stage, stages>& ring, int s) const {
    if constexpr (Stage::group == 1) {
      ring.release(s);
    } else {
      int const other = threadIdx.x % 32;
      if (other < Stage::group && shares_with(other)) hopper::arrive_in_block(ring.empty[s], other);
    }
  }

  /// What a thread's sums begin with: zeros, or the sums of the tile's steps before. All `threads` of a team.
  template <int threads, int count, class T>
  __device__ void begin(T* sums, TensorPiece const& piece) const {
    if (!Stage::streams || (Stage::divides && p.splits > 1) || piece.first == 0) {
#pragma unroll
      for (int i = 0; i < count; ++i) sums[i] = 0;
      return;
    }
    int const block = blockIdx.x - Stage::group;
    if (threadIdx.x % threads == 0) hopper::take_signal(p.ready[block]);
    sync_multiplying<threads>();
    constexpr int size = 16 / sizeof(T);
    uint4 const* const from = handed_by<threads, count / size>(block);
#pragma unroll
    for (int i = 0; i < count / size; ++i) {
      uint4 const x = __ldcg(from + i * threads);
      memcpy(sums + i * size, &x, 16);
    }
  }

  /// Calls store(i, part) for 32 bytes at a time of the sums of a thread, `count` elements. Where K is divided, of the
  /// sums of all parts added up, and then only for this block's share of them; where another cluster goes on with the
  /// tile, not at all. All `threads` of a team.
  template <int threads, int count, class T, class Store>
  __device__ void finish(T const* sums, TensorPiece const& piece, Store const& store) const {
    constexpr int size = 32 / sizeof(T), parts = count / size;
    if (Stage::divides && p.splits > 1) {
      hand_over<threads, count>(sums);
      if (threadIdx.x % threads == 0)
        hopper::arrive_and_wait(p.ready[cluster * Stage::group + rank()], p.splits, part == 0);
      sync_multiplying<threads>();
      add_up<threads, parts, T>(store);
    } else if (Stage::streams && piece.last < steps_of_tile()) {
      hand_over<threads, count>(sums);
      if (threadIdx.x % threads == 0) hopper::signal(p.ready[blockIdx.x]);
    } else {
#pragma unroll
      for (int i = 0; i < parts; ++i) store(i, sums + i * size);
    }
  }

 private:
  __device__ int rank() const { return column * Stage::down + row; }
  __device__ int steps_of_tile() const { return divided_up(p.k, Stage::k); }
  /// A constant in kernels that only take whole tiles, which then begin without divisions. Not in those that share
  /// steps, though it is 1 there: nvcc takes their loops for divergent ones and has their warps meet at each step.
  __device__ int parts_of_tile() const { return Stage::divides || Stage::streams ? p.splits : 1; }
  /// Of a ring's stages: a block with one tile may have fewer steps.
  __device__ int used_stages(int stages) const {
    return p.tiles.count() <= clusters ? min(stages, steps_of_tile()) : stages;
  }
  /// The first of that cluster's steps of the streamed tiles.
  __device__ int share(int of) const {
    if (!Stage::streams) return 0;
    return static_cast<int>(std::int64_t(p.streamed) * steps_of_tile() * of / clusters);
  }

  template <int threads>
  static __device__ void sync_multiplying() {
    asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / threads), "n"(threads) : "memory");
  }

  /// This block's share of the sums of all parts.
  template <int threads, int parts, class T, class Store>
  __device__ void add_up(Store const& store) const {
    constexpr int size = 32 / sizeof(T);
    for (int i = parts * part / p.splits; i < parts * (part + 1) / p.splits; ++i) {
      T sum[size] = {};
#pragma unroll 8
      for (int s = 0; s < p.splits; ++s) {
        uint4 const* const from =
            handed_by<threads, 2 * parts>(blockIdx.x + (s - part) * Stage::group) + 2 * i * threads;
        uint4 const both[2] = {__ldcg(from), __ldcg(from + threads)};
        T x[size];
        memcpy(x, both, 32);
#pragma unroll
        for (int j = 0; j < size; ++j) sum[j] += x[j];
      }
      store(i, sum);
    }
  }

  /// Where that block leaves its sums, `each` times 16 bytes of a thread, those of neighbouring threads side by side.
  template <int threads, int each>
  __device__ uint4* handed_by(int block) const {
    return p.handed + std::int64_t(block) * threads * each + threadIdx.x % threads;
  }
  template <int threads, int count, class T>
  __device__ void hand_over(T const* sums) const {
    constexpr int size = 16 / sizeof(T);
    uint4* const to = handed_by<threads, count / size>(blockIdx.x);
#pragma unroll
    for (int i = 0; i < count / size; ++i) {
      uint4 x;
      memcpy(&x, sums + i * size, 16);
      __stcg(to + i * threads, x);
    }
    sync_multiplying<threads>();
  }

  static __device__ constexpr unsigned across_mask() {
    unsigned mask = 0;
    for (int i = 0; i < Stage::across; ++i) mask |= 1u << (i * Stage::down);
    return mask;
  }

  template <int receivers>
  static __device__ void copy(void* to, CUtensorMap const& map, int column, int row, hopper::Barrier& b,
                              std::uint16_t ranks) {
    if constexpr (receivers == 1)
      hopper::copy_box(to, map, column, row, b);
    else
      hopper::copy_box(to, map, column, row, b, ranks);
  }
};

}  // namespace tilestride::cuda
