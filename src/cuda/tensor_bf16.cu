// SPDX-License-Identifier: BSD-3-Clause
// C = A B of bf16, summed in f32, on Hopper's matrix units, which read both operands from shared memory. One thread of
// a block's last warpgroup starts the copies (TMA) of A and B, as many stages ahead as fit; the other warpgroups
// multiply and hold their sums in registers. The units multiply 64 rows of one operand by a width that can be
// chosen freely: those rows are of A, or, in a turned tile (Ct = Bt At), columns of B. The warpgroups of a block work
// on the same tile, or each on its own in turns, so that one's stores are hidden behind the other's products.
#include "cuda/tensor_bf16.hpp"
#include "cuda/tensor_launchers.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

/// `together`: warpgroups on the same tile. 0: two, in turns. `deep`: a step takes so many times 64 of K. Small tiles
/// wait less often with more, since each step has a wait and an arrival of the fetching warp and of those that
/// multiply.
template <bool turned_, int m, int n, int together, int down, int across, int deep, bool streams, bool divides>
struct Bf16Stage : TensorStage<std::uint16_t, m, n, 1, down, across, streams, divides, deep> {
  static constexpr bool turned = turned_;
  static constexpr int teams = together == 0 ? 2 : 1, groups = together == 0 ? 1 : together;  ///< groups: of a team
  static constexpr int rows = turned ? n : m, width = turned ? m : n;
  static constexpr int units = rows / 64 / groups, sums = width / 2;  ///< products of a warpgroup, sums of each
};

template <class Stage>
using Bf16Threads = TensorThreads<Stage, Stage::teams * Stage::groups>;

/// Where a thread stores its sums. Of every 16 rows of A x 16 columns of B, `x` to store(), lane l has rows l / 4 and 8
/// more, columns l % 4 * 2, the next one, and 8 more.
struct Bf16Rows {
  float* to;
  std::int64_t pitch;
  int rows, columns;  ///< of C, from `to` on

  __device__ Bf16Rows(float* c, int row, int column, int m, int n) : pitch(n) {
    row += threadIdx.x % 32 / 4;
    // Lanes with even l take their own and the next two columns of the first eight, the others the two before and their
    // own of the second.
    column += threadIdx.x % 2 * 8 + threadIdx.x % 4 / 2 * 4;
    to = c + row * pitch + column, rows = m - row, columns = n - column;
  }
  __device__ void store(float const* x, int row, int column) const {
    bool const odd = threadIdx.x % 2 != 0;
#pragma unroll
    for (int h = 0; h < 2; ++h, x += 2) {
      float const u = __shfl_xor_sync(~0u, odd ? x[0] : x[4], 1);
      float const v = __shfl_xor_sync(~0u, odd ? x[1] : x[5], 1);
      float4 const four = odd ? float4{u, v, x[4], x[5]} : float4{x[0], x[1], u, v};
      if (row + 8 * h < rows && column < columns)
        *reinterpret_cast<float4*>(to + (row + 8 * h) * pitch + column) = four;
    }
  }
};

/// The same of a turned tile: rows and columns are exchanged.
struct Bf16Columns {
  float* to;
  std::int64_t pitch;
  int rows, columns;

  __device__ Bf16Columns(float* c, int row, int column, int m, int n) : pitch(n) {
    // Lanes of even columns take the first of two rows, of their own and the next column; the others the second.
    int const own = threadIdx.x % 32 / 4, odd = own % 2;
    row += threadIdx.x % 4 * 2 + odd, column += own - odd;
    to = c + row * pitch + column, rows = m - row, columns = n - column;
  }
  __device__ void store(float const* x, int column, int row) const {
    bool const odd = threadIdx.x / 4 % 2 != 0;
#pragma unroll
    for (int j = 0; j < 4; ++j, x += 2) {  // columns + 8 (j % 2), rows + 8 (j / 2)
      float const other = __shfl_xor_sync(~0u, odd ? x[0] : x[1], 4);
      float2 const two = odd ? float2{other, x[1]} : float2{x[0], other};
      int const r = row + 8 * (j / 2), k = column + 8 * (j % 2);
      if (r < rows && k < columns) *reinterpret_cast<float2*>(to + r * pitch + k) = two;
    }
  }
};

template <class Stage>
__global__ void __launch_bounds__(Bf16Threads<Stage>::all, 1)
    tensor_bf16(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, float* __restrict__ c,
                __grid_constant__ TensorProblem const p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = *reinterpret_cast<TensorRing<Stage>*>(hopper::kept(shared));
  TensorBlock<Stage> const block(p);
  block.init(ring, Stage::groups * 4, a, b);
  // The shuffle tells nvcc that all lanes of a warp have the same number. Otherwise it takes the loop for divergent and
  // has the lanes meet at each step.
  int const warpgroup = __shfl_sync(~0u, threadIdx.x / 128, 0);

  if (warpgroup == Stage::teams * Stage::groups) {
    Bf16Threads<Stage>::release_registers();
    if (threadIdx.x % 128 < 32 && hopper::elected()) block.fill(ring, a, b);
    return;
  }

  Bf16Threads<Stage>::claim_registers();
  constexpr int threads = Stage::groups * 128, sums = Stage::units * Stage::sums;  // of a team, of a thread
  TensorTurns<Stage::teams> turns(warpgroup / Stage::groups);
  int const first = warpgroup % Stage::groups * Stage::units;  // of the team's units
  typename TensorRing<Stage>::At at;
  block.for_each_piece([&](TensorPiece const& piece) {
    if (!turns.next()) return at.advance(piece.last - piece.first);
    float d[Stage::units][Stage::sums];
    block.template begin<threads, sums>(d[0], piece);
#pragma unroll
    for (auto& unit : d) hopper::settle(unit);
    turns.await();
    int previous = 0;
    for (int s = piece.first; s < piece.last; ++s, at.advance()) {
      Stage const& from = ring.filled(at);
      hopper::fence();
#pragma unroll
      for (int u = 0; u < Stage::units; ++u) {
        std::uint64_t const of_a = hopper::operand(from.a[Stage::turned ? 0 : (first + u) * 64], 16, 8 * 128);
        std::uint64_t const of_b = hopper::operand(from.b[Stage::turned ? first + u : 0], Stage::k * 128, 8 * 128);
#pragma unroll
        for (int i = 0; i < Stage::k / 16; ++i) {
          constexpr int of_chunk = Stage::chunk / 16;  // products
          std::uint64_t const left = hopper::further(of_a, i / of_chunk * Stage::m * 128 + i % of_chunk * 32);
          std::uint64_t const right = hopper::further(of_b, i * 16 * 128);
          hopper::multiply_bf16<Stage::turned>(d[u], Stage::turned ? right : left, Stage::turned ? left : right);
        }
      }
      hopper::commit();
      hopper::wait_products<1>();  // those of the stage before
      if (s > piece.first) block.release(ring, previous);
      previous = at.stage;
    }
    turns.pass();
    hopper::wait_products<0>();
#pragma unroll
    for (auto& unit : d) hopper::settle(unit);
    block.release(ring, previous);

    auto const [top, left] = block.corner(piece.group);
    int const beside = first * 64 + threadIdx.x % 128 / 32 * 16;  // rows of A or columns of B before this warp's
    std::conditional_t<Stage::turned, Bf16Columns, Bf16Rows> const own(c, Stage::turned ? top : top + beside,
                                                                       Stage::turned ? left + beside : left, p.m, p.n);
    block.template finish<threads, sums>(d[0], piece, [&](int i, float const* x) {
      own.store(x, i / (Stage::width / 16) * 64, i % (Stage::width / 16) * 16);
    });
  });
}

template <bool turned, int m, int n, int together, int down, int across, int deep = 1>
TensorKernel<float> bf16_kernel() {
  constexpr bool teams = together == 0;
  using Whole = Bf16Stage<turned, m, n, together, down, across, deep, false, false>;
  using Other = Bf16Stage<turned, m, n, together, down, across, deep, teams, !teams>;
  return tensor_kernel<Whole>(tensor_bf16<Whole>, teams ? nullptr : tensor_bf16<Other>,
                              teams ? tensor_bf16<Other> : nullptr, Bf16Threads<Whole>::all, Whole::teams);
}

// Kernels of tiles of m x n, `down` x `across` of which share what they fetch, with steps of `deep` times 64 of K. K
// can be divided where the warpgroups work together; the steps of tiles can be shared by clusters where they work in
// turns. Four warpgroups would have too few registers.
constexpr int warpgroups_for(int rows) { return rows == 256 ? 2 : rows / 64; }

template <int m, int n, int down = 1, int across = 1, int deep = 1>
TensorKernel<float> together() {
  return bf16_kernel<false, m, n, warpgroups_for(m), down, across, deep>();
}
template <int m, int n, int down = 1, int across = 1, int deep = 1>
TensorKernel<float> turned() {
  return bf16_kernel<true, m, n, warpgroups_for(n), down, across, deep>();
}
template <int m, int n, int down = 1, int across = 1>
TensorKernel<float> in_turns() {
  return bf16_kernel<false, m, n, 0, down, across>();
}
template <int m, int n, int down = 1, int across = 1>
TensorKernel<float> turned_in_turns() {
  return bf16_kernel<true, m, n, 0, down, across>();
}

}  // namespace

std::vector<TensorKernel<float>> const& bf16_kernels() {
  static std::vector const kernels{together<256, 208, 1, 2>(),
                                   together<256, 192, 1, 2>(),
                                   together<256, 160, 1, 2>(),
                                   together<192, 192, 1, 2>(),
                                   together<128, 224, 2, 1>(),
                                   together<192, 144, 2, 2>(),
                                   together<192, 128>(),
                                   together<256, 64, 2, 1>(),
                                   together<128, 128>(),
                                   together<128, 128, 1, 2>(),
                                   together<64, 256>(),
                                   together<64, 192>(),
                                   together<64, 192, 4, 1>(),
                                   together<64, 192, 2, 4>(),
                                   together<128, 64, 1, 4>(),
                                   together<64, 128>(),
                                   together<64, 128, 4, 1>(),
                                   together<64, 128, 8, 1>(),
                                   together<64, 96, 8, 1>(),
                                   together<64, 64>(),
                                   together<64, 64, 1, 4>(),
                                   together<64, 64, 1, 4, 2>(),
                                   together<64, 64, 4, 1, 2>(),
                                   together<64, 64, 1, 8, 2>(),
                                   turned<192, 256, 1, 2>(),
                                   turned<176, 256, 2, 1>(),
                                   turned<160, 256, 2, 1>(),
                                   turned<144, 256, 1, 2>(),
                                   turned<144, 192, 2, 1>(),
                                   turned<112, 128, 2, 2>(),
                                   turned<112, 128, 4, 1>(),
                                   turned<96, 128, 4, 1>(),
                                   turned<96, 128, 2, 4>(),
                                   turned<96, 128, 8, 1, 2>(),
                                   turned<80, 128, 2, 2, 2>(),
                                   turned<80, 128, 4, 1>(),
                                   turned<128, 64, 1, 8, 2>(),
                                   turned<112, 64>(),
                                   turned<112, 64, 1, 4, 2>(),
                                   turned<112, 64, 4, 2>(),
                                   turned<96, 64>(),
                                   turned<96, 64, 1, 8, 2>(),
                                   turned<80, 64>(),
                                   turned<80, 64, 2, 4, 2>(),
                                   turned<80, 64, 4, 2, 2>(),
                                   turned<48, 64>(),
                                   turned<48, 64, 2, 1, 2>(),
                                   turned<48, 64, 2, 2, 2>(),
                                   turned<48, 64, 4, 1, 2>(),
                                   turned<32, 64>(),
                                   turned<32, 64, 2, 1, 2>(),
                                   turned<32, 64, 2, 2, 2>(),
                                   turned<32, 64, 4, 1, 2>(),
                                   turned<16, 64>(),
                                   turned<16, 64, 1, 1, 4>(),
                                   turned<16, 64, 2, 1, 4>(),
                                   turned<16, 64, 2, 2, 4>(),
                                   turned<16, 64, 4, 1>(),
                                   in_turns<128, 208, 4, 2>(),
                                   in_turns<192, 128, 1, 2>(),
                                   in_turns<128, 192>(),
                                   in_turns<128, 192, 1, 2>(),
                                   in_turns<128, 192, 2, 1>(),
                                   in_turns<128, 192, 2, 2>(),
                                   in_turns<128, 192, 4, 1>(),
                                   in_turns<128, 192, 1, 8>(),
                                   in_turns<128, 192, 4, 2>(),
                                   in_turns<128, 176, 2, 2>(),
                                   in_turns<128, 128>(),
                                   in_turns<128, 128, 4, 1>(),
                                   in_turns<128, 128, 1, 8>(),
                                   in_turns<128, 128, 4, 2>(),
                                   in_turns<64, 256, 4, 1>(),
                                   in_turns<128, 96, 8, 1>(),
                                   in_turns<64, 176, 4, 1>(),
                                   turned_in_turns<208, 128, 2, 2>(),
                                   turned_in_turns<192, 128, 1, 4>(),
                                   turned_in_turns<128, 192, 2, 1>(),
                                   turned_in_turns<176, 128, 1, 2>(),
                                   turned_in_turns<176, 128, 2, 1>(),
                                   turned_in_turns<176, 128, 2, 2>(),
                                   turned_in_turns<112, 192, 2, 1>(),
                                   turned_in_turns<160, 128, 2, 2>(),
                                   turned_in_turns<96, 192, 4, 1>(),
                                   turned_in_turns<80, 192, 2, 2>(),
                                   turned_in_turns<160, 64, 1, 4>(),
                                   turned_in_turns<80, 128, 8, 1>(),
                                   turned_in_turns<96, 64, 1, 4>()};
  return kernels;
}

TensorCosts const& bf16_costs() {
  static TensorCosts const costs = [] {
    TensorCosts c{1730, 41, 2962};
    c.fetched = 65.4, c.latency = 459, c.across_lines = 0.45, c.in_sector = 1.29, c.stored = 18.9, c.added_up = 6.8;
    c.shared = 656, c.divided = 5134, c.divided_more = 90, c.handed = 498;
    c.least_step[0] = 250, c.least_step[1] = 712, c.least_step[2] = 309, c.deeper = 0.29, c.of_many = 1.08;
    c.multiply_adds_in_turns = 1869, c.tile_in_turns = 1188, c.shared_in_turns = 601, c.turn = 1773;
    return c;
  }();
  return costs;
}

NativeKernel launch_tensor_bf16(NativeContext const& context, Arguments const& p) {
  return launcher_of(context, p, bf16_kernels(), bf16_costs(), CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2);
}

}  // namespace tilestride::matmul
