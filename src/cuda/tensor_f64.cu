// SPDX-License-Identifier: BSD-3-Clause
// C = A B of f64 on matrix units, which take f64 from registers alone (mma.sync). The copy engine fills the stages as
// in tensor_bf16.cu; each multiplying warp has a part of 32 rows of the tile of C.
//
// The product is turned, Ct = Bt At: the registers of an operand come in pairs of neighbouring rows of Bt, or of
// neighbouring k of At, and both are neighbours in memory, so that loads of 16 bytes put all in place. The other way
// round every operand costs eight moves.
#include "cuda/tensor_launch.hpp"
#include "cuda/tensor_launchers.hpp"

namespace tilestride::matmul {
namespace {

using namespace cuda;

template <int m, int n, int resident, bool streams, bool divides>
using F64Tile = TensorStage<double, m, n, resident, 1, 1, streams, divides>;

/// d (16 x 8) += x (16 x 16) y (16 x 8). Lane l, with g = l / 4 and q = l % 4, has column q + 4 i of x in x[i], rows g
/// and g + 8 of it, and of y rows q + 4 i of column g; of d columns 2 q and 2 q + 1, d[0] and d[1] in row g, d[2] and
/// d[3] in row g + 8.
__device__ inline void multiply(double (&d)[4], double2 const (&x)[4], double2 const (&y)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(x[0].x), "d"(x[0].y), "d"(x[1].x), "d"(x[1].y), "d"(x[2].x), "d"(x[2].y), "d"(x[3].x), "d"(x[3].y),
        "d"(y[0].x), "d"(y[0].y), "d"(y[1].x), "d"(y[1].y));
}

/// Warps have parts of 32 x `part_n` of a tile.
template <class Stage, int part_n>
using F64Threads = TensorThreads<Stage, Stage::m / 32 * (Stage::n / part_n) / 4>;

template <class Stage, int part_n>
__global__ void __launch_bounds__(F64Threads<Stage, part_n>::all, Stage::resident)
    tensor_f64(__grid_constant__ CUtensorMap const a, __grid_constant__ CUtensorMap const b, double* __restrict__ c,
               __grid_constant__ TensorProblem const p) {
  using Threads = F64Threads<Stage, part_n>;
  constexpr int part_m = 32;                                 // of a warp
  constexpr int downs = part_m / 8, acrosses = part_n / 16;  // a product's 8 rows and 16 columns of C
  extern __shared__ __align__(1024) unsigned char shared[];
  auto& ring = *reinterpret_cast<TensorRing<Stage>*>(shared);
  TensorBlock<Stage> const block(p);
  block.init(ring, Threads::multiply / 32, a, b);

  if (threadIdx.x >= Threads::multiply) {
    Threads::release_registers();
    if (threadIdx.x / 32 == Threads::multiply / 32 && hopper::elected()) block.fill(ring, a, b);
    return;
  }

  Threads::claim_registers();
  typename TensorRing<Stage>::At at;
  // k is permuted: columns q and q + 4 of x are k = 2 q and 2 q + 1, columns q + 8 and q + 12 k = 2 q + 8 and 2 q + 9.
  // So are the rows of A, columns of y: the eight lanes that are served together then lie in eight different chunks of
  // 16 bytes of the swizzled rows.
  int const g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
  int const own_row = (g & 1) * 4 + g / 2;
  int const warp = threadIdx.x / 32;
  int const part_row = warp % (Stage::m / part_m) * part_m, part_column = warp / (Stage::m / part_m) * part_n;
  block.for_each_piece([&](TensorPiece const& piece) {
    constexpr int sums = acrosses * downs * 4;  // of a thread
    double d[acrosses][downs][4];
    block.template begin<Threads::multiply, sums>(&d[0][0][0], piece);
    int previous = 0;
    for (int s = piece.first; s < piece.last; ++s, at.advance()) {
      Stage const& from = ring.filled_for_warp(at);
      // Not earlier: a warp's loads may still be on their way when it arrives at a barrier. Products wait for them.
      if (s > piece.first) block.release(ring, previous);
      previous = at.stage;
      double2 y[downs][2];
#pragma unroll
      for (int i = 0; i < downs; ++i) {
        double const(&row)[Stage::k] = from.a[part_row + 8 * i + own_row];
#pragma unroll
        for (int j = 0; j < 2; ++j) y[i][j] = *reinterpret_cast<double2 const*>(&row[((4 * j + q) ^ own_row) * 2]);
      }
#pragma unroll
      for (int i = 0; i < acrosses; ++i) {
        double2 x[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          int const row = j / 2 * 8 + 2 * q + j % 2;
          x[j] = *reinterpret_cast<double2 const*>(&from.b[part_column / 16 + i][row][(g ^ row % 8) * 2]);
        }
#pragma unroll
        for (int j = 0; j < downs; ++j) multiply(d[i][j], x, y[j]);
      }
    }
    block.release(ring, previous);

    int const top = block.corner(piece.group).x, left = block.corner(piece.group).y;
    int const row = top + part_row + q, column = left + part_column + g * 2;
    block.template finish<Threads::multiply, sums>(&d[0][0][0], piece, [&](int i, double const* part) {
      int const to_column = column + i / downs * 16;
#pragma unroll
      for (int j = 0; j < 2; ++j) {  // rows q and q + 4 of every eight
        int const to_row = row + i % downs * 8 + 4 * j;
        if (to_row < p.m && to_column < p.n)
          *reinterpret_cast<double2*>(c + std::int64_t(to_row) * p.n + to_column) = {part[j], part[2 + j]};
      }
    });
  });
}

template <int m, int n, int resident, int part_n>
TensorKernel<double> f64_kernel() {
  using Whole = F64Tile<m, n, resident, false, false>;
  using Divided = F64Tile<m, n, resident, false, true>;
  using Streamed = F64Tile<m, n, resident, true, false>;
  return tensor_kernel<Whole>(tensor_f64<Whole, part_n>, tensor_f64<Divided, part_n>, tensor_f64<Streamed, part_n>,
                              F64Threads<Whole, part_n>::all);
}

}  // namespace

NativeKernel launch_tensor_f64(NativeContext const& context, Arguments const& p) {
  if (context.type != Type::f64)
    return no_kernel(SkipReason::not_applicable,
                     "no matrix unit multiplies f32: native_tensor_3xtf32 splits it, _tf32 and _bf16 round it");
  static std::vector const kernels{f64_kernel<128, 128, 1, 64>(), f64_kernel<64, 64, 2, 32>(),
                                   f64_kernel<64, 64, 1, 32>(), f64_kernel<64, 128, 1, 32>(),
                                   f64_kernel<128, 64, 1, 32>()};
  static TensorCosts const costs = [] {
    TensorCosts c{131, 110, 60, 1.23};
    c.divided = 4500, c.divided_more = 11, c.added_up = 18;
    return c;
  }();
  return launcher_of(context, p, kernels, costs, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8);
}

}  // namespace tilestride::matmul
