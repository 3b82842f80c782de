// SPDX-License-Identifier: BSD-3-Clause
// The transposes in raw CUDA, over the same tiles and blocks as the portable ones, so that the two differ in nothing
// but their spelling. A thread has all its loads under way before its first store.
#include <fmt/format.h>

#include "cuda/blas.hpp"
#include "cuda/instance.hpp"
#include "patterns/common/mark.hpp"
#include "patterns/common/tiling.hpp"
#include "patterns/transpose/native.hpp"
#include "portable/dispatch.hpp"

namespace tilestride::transpose {
namespace {

using namespace cuda;

/// A block has a row of threads for a row of the tile, and as many rows as fill it.
template <int Tile>
constexpr int block_threads = tile_threads<Tile, 32>;
template <int Tile>
constexpr int block_rows = block_threads<Tile> / Tile;

/// How many elements of the tile a thread has: it strides down the tile in steps of the block's rows.
template <int Tile>
constexpr int held_elements = Tile / block_rows<Tile>;

/// Blocks lie in one dimension, which is long enough for any matrix; the second and third end at 65535.
template <int Tile>
__device__ std::int64_t first_row(std::int64_t cols) {
  return std::int64_t(blockIdx.x / unsigned((cols + Tile - 1) / Tile)) * Tile;
}
template <int Tile>
__device__ std::int64_t first_col(std::int64_t cols) {
  return std::int64_t(blockIdx.x % unsigned((cols + Tile - 1) / Tile)) * Tile;
}

template <int Tile, class T>
__global__ void __launch_bounds__(block_threads<Tile>)
    copy(T const* __restrict__ in, T* __restrict__ out, std::int64_t rows, std::int64_t cols) {
  std::int64_t const row = first_row<Tile>(cols) + threadIdx.y;
  std::int64_t const col = first_col<Tile>(cols) + threadIdx.x;
  T held[held_elements<Tile>];
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const r = row + i * block_rows<Tile>;
    if (r < rows && col < cols) held[i] = in[r * cols + col];
  }
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const r = row + i * block_rows<Tile>;
    if (r < rows && col < cols) out[r * cols + col] = held[i];
  }
}

/// Lanes along the rows of `in`: every store of a warp falls into another row of `out`.
template <int Tile, class T>
__global__ void __launch_bounds__(block_threads<Tile>)
    row_read(T const* __restrict__ in, T* __restrict__ out, std::int64_t rows, std::int64_t cols) {
  std::int64_t const row = first_row<Tile>(cols) + threadIdx.y;
  std::int64_t const col = first_col<Tile>(cols) + threadIdx.x;
  T held[held_elements<Tile>];
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const r = row + i * block_rows<Tile>;
    if (r < rows && col < cols) held[i] = in[r * cols + col];
  }
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const r = row + i * block_rows<Tile>;
    if (r < rows && col < cols) out[col * rows + r] = held[i];
  }
}

/// Lanes along the rows of `out`: every load of a warp comes from another row of `in`.
template <int Tile, class T>
__global__ void __launch_bounds__(block_threads<Tile>)
    row_write(T const* __restrict__ in, T* __restrict__ out, std::int64_t rows, std::int64_t cols) {
  std::int64_t const col = first_row<Tile>(rows) + threadIdx.y;  // a row of out is a column of in
  std::int64_t const row = first_col<Tile>(rows) + threadIdx.x;
  T held[held_elements<Tile>];
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const c = col + i * block_rows<Tile>;
    if (row < rows && c < cols) held[i] = in[row * cols + c];
  }
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const c = col + i * block_rows<Tile>;
    if (row < rows && c < cols) out[c * rows + row] = held[i];
  }
}

/// Into the tile by rows and out of it by columns; Pitch is the distance of its rows.
template <int Tile, int Pitch, bool marked, class T>
__device__ void through(T* tile, T const* __restrict__ in, T* __restrict__ out, std::int64_t rows, std::int64_t cols) {
  std::int64_t const row = first_row<Tile>(cols);
  std::int64_t const col = first_col<Tile>(cols);
  int const x = threadIdx.x;
  int const y = threadIdx.y;
  T held[held_elements<Tile>];
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const r = row + y + i * block_rows<Tile>;
    if (r < rows && col + x < cols) held[i] = in[r * cols + col + x];
  }
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) tile[(y + i * block_rows<Tile>)*Pitch + x] = held[i];
  __syncthreads();
  if constexpr (marked) {
    for (int i = y; i < Tile; i += block_rows<Tile>) tile[i * Pitch + x] *= mark_of<T>(i * Tile + x);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) held[i] = tile[x * Pitch + y + i * block_rows<Tile>];
#pragma unroll
  for (int i = 0; i < held_elements<Tile>; ++i) {
    std::int64_t const c = col + y + i * block_rows<Tile>;
    if (row + x < rows && c < cols) out[c * rows + row + x] = held[i];
  }
}

template <int Tile, int Pad, bool marked, class T>
__global__ void __launch_bounds__(block_threads<Tile>)
    through_static(T const* __restrict__ in, T* __restrict__ out, std::int64_t rows, std::int64_t cols) {
  __shared__ T tile[Tile * (Tile + Pad)];
  through<Tile, Tile + Pad, marked>(tile, in, out, rows, cols);
}

/// The same, but the size of the tile is given at the launch.
template <int Tile, int Pad, bool marked, class T>
__global__ void __launch_bounds__(block_threads<Tile>)
    through_dynamic(T const* __restrict__ in, T* __restrict__ out, std::int64_t rows, std::int64_t cols) {
  extern __shared__ double words[];  // one name has one type: of the strictest alignment
  through<Tile, Tile + Pad, marked>(reinterpret_cast<T*>(words), in, out, rows, cols);
}

/// The tutorials' own kernels: blocks of 32 x 32 / PerThread threads in a grid of two dimensions, element by element.
template <int PerThread, class T>
__global__ void literal_row_read(T const* in, T* out, std::int64_t rows, std::int64_t cols) {
  std::int64_t const col = std::int64_t(blockIdx.x) * literal_tile + threadIdx.x;
  std::int64_t const row = std::int64_t(blockIdx.y) * literal_tile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < literal_tile; j += literal_tile / PerThread) {
    if (col < cols && row + j < rows) out[col * rows + row + j] = in[(row + j) * cols + col];
  }
}

template <int PerThread, class T>
__global__ void literal_row_write(T const* in, T* out, std::int64_t rows, std::int64_t cols) {
  std::int64_t const row = std::int64_t(blockIdx.x) * literal_tile + threadIdx.x;
  std::int64_t const col = std::int64_t(blockIdx.y) * literal_tile + threadIdx.y;
#pragma unroll
  for (int j = 0; j < literal_tile; j += literal_tile / PerThread) {
    if (row < rows && col + j < cols) out[(col + j) * rows + row] = in[row * cols + col + j];
  }
}

template <int PerThread, int Pad, bool marked, class T>
__global__ void literal_through(T const* in, T* out, std::int64_t rows, std::int64_t cols) {
  __shared__ T tile[literal_tile][literal_tile + Pad];
  constexpr int step = literal_tile / PerThread;
  std::int64_t const row = std::int64_t(blockIdx.y) * literal_tile;
  std::int64_t const col = std::int64_t(blockIdx.x) * literal_tile;
  int const x = threadIdx.x;
  int const y = threadIdx.y;
#pragma unroll
  for (int j = 0; j < literal_tile; j += step) {
    if (row + y + j < rows && col + x < cols) tile[y + j][x] = in[(row + y + j) * cols + col + x];
  }
  __syncthreads();
  if constexpr (marked) {
    for (int j = y; j < literal_tile; j += step) {
      if (row + j < rows && col + x < cols) tile[j][x] *= mark_of<T>(j * literal_tile + x);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < literal_tile; j += step) {
    if (row + x < rows && col + y + j < cols) out[(col + y + j) * rows + row + x] = tile[x][y + j];
  }
}

template <class T>
using Kernel = void (*)(T const*, T*, std::int64_t, std::int64_t);

/// One block per tile of a rows x cols matrix.
template <int Tile, class T>
NativeKernel launcher(NativeContext const& context, Kernel<T> kernel, Arguments const& p, std::int64_t rows,
                      std::int64_t cols, std::size_t dynamic = 0) {
  cudaStream_t const stream = stream_of(context.exec);
  auto const blocks = static_cast<unsigned>(Tiling<Tile>{rows, cols}.count());
  NativeKernel native;
  native.run = [=] {
    kernel<<<blocks, dim3(Tile, block_rows<Tile>), dynamic, stream>>>(static_cast<T const*>(p.in),
                                                                      static_cast<T*>(p.out), p.rows, p.cols);
    check(cudaGetLastError(), "a transpose");
  };
  return native;
}

/// The same for a kernel that goes through shared memory: as it is timed, or marked (common/mark.hpp).
template <int Tile, class T>
NativeKernel staged(NativeContext const& context, Kernel<T> timed, Kernel<T> marked, Arguments const& p,
                    std::size_t dynamic = 0) {
  NativeKernel native = launcher<Tile, T>(context, p.marked ? marked : timed, p, p.rows, p.cols, dynamic);
  native.through_scratch = true;
  return native;
}

/// body(Tag<T>) for the element type of the case.
template <class Body>
NativeKernel with_element(NativeContext const& context, Body&& body) {
  return with_type<float, double, std::int32_t>(context.type, body);
}

/// body(Tag<T>, std::integral_constant<int, Tile>) for the type and the tile of the case.
template <class Body>
NativeKernel with_tile(NativeContext const& context, Arguments const& p, Body&& body) {
  return with_element(
      context, [&](auto type) { return with_int(Tiles{}, p.tile, [&](auto tile) { return body(type, tile); }); });
}

NativeKernel launch_copy(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return launcher<32, T>(context, copy<32, T>, p, p.rows, p.cols);
  });
}

NativeKernel launch_row_read(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return launcher<32, T>(context, row_read<32, T>, p, p.rows, p.cols);
  });
}

NativeKernel launch_row_write(NativeContext const& context, Arguments const& p) {
  return with_element(context, [&](auto type) {
    using T = typename decltype(type)::type;
    return launcher<32, T>(context, row_write<32, T>, p, p.cols, p.rows);
  });
}

NativeKernel launch_tiled(NativeContext const& context, Arguments const& p) {
  return with_tile(context, p, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return staged<Tile, T>(context, through_static<Tile, 0, false, T>, through_static<Tile, 0, true, T>, p);
  });
}

NativeKernel launch_padded(NativeContext const& context, Arguments const& p) {
  return with_tile(context, p, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return staged<Tile, T>(context, through_static<Tile, 1, false, T>, through_static<Tile, 1, true, T>, p);
  });
}

NativeKernel launch_dynamic(NativeContext const& context, Arguments const& p) {
  return with_tile(context, p, [&](auto type, auto tile) {
    using T = typename decltype(type)::type;
    constexpr int Tile = decltype(tile)::value;
    return staged<Tile, T>(context, through_dynamic<Tile, 1, false, T>, through_dynamic<Tile, 1, true, T>, p,
                           Tile * (Tile + 1) * sizeof(T));
  });
}

/// A grid of one block per tile of a down x across matrix, which it may not have more than 65535 of downwards.
template <class T>
NativeKernel literal_launcher(NativeContext const& context, Kernel<T> kernel, Arguments const& p, std::int64_t down,
                              std::int64_t across) {
  constexpr std::int64_t most = 65535;
  std::int64_t const tiles_down = (down + literal_tile - 1) / literal_tile;
  if (tiles_down > most)
    return no_kernel(SkipReason::limit,
                     fmt::format("needs a grid of {} blocks in its second dimension; it ends at {}", tiles_down, most));
  cudaStream_t const stream = stream_of(context.exec);
  dim3 const grid(static_cast<unsigned>((across + literal_tile - 1) / literal_tile), static_cast<unsigned>(tiles_down));
  dim3 const block(literal_tile, static_cast<unsigned>(literal_tile / p.per_thread));
  NativeKernel native;
  native.run = [=] {
    kernel<<<grid, block, 0, stream>>>(static_cast<T const*>(p.in), static_cast<T*>(p.out), p.rows, p.cols);
    check(cudaGetLastError(), "a literal transpose");
  };
  return native;
}

/// body(Tag<T>, std::integral_constant<int, PerThread>) for the type and the elements per thread of the case.
template <class Body>
NativeKernel with_per_thread(NativeContext const& context, Arguments const& p, Body&& body) {
  return with_element(context, [&](auto type) {
    return with_int(PerThreadCounts{}, p.per_thread, [&](auto per_thread) { return body(type, per_thread); });
  });
}

NativeKernel launch_literal_row_read(NativeContext const& context, Arguments const& p) {
  return with_per_thread(context, p, [&](auto type, auto per_thread) {
    using T = typename decltype(type)::type;
    return literal_launcher<T>(context, literal_row_read<decltype(per_thread)::value, T>, p, p.rows, p.cols);
  });
}

NativeKernel launch_literal_row_write(NativeContext const& context, Arguments const& p) {
  return with_per_thread(context, p, [&](auto type, auto per_thread) {
    using T = typename decltype(type)::type;
    return literal_launcher<T>(context, literal_row_write<decltype(per_thread)::value, T>, p, p.cols, p.rows);
  });
}

template <int Pad>
NativeKernel launch_literal_through(NativeContext const& context, Arguments const& p) {
  return with_per_thread(context, p, [&](auto type, auto per_thread) {
    using T = typename decltype(type)::type;
    constexpr int PerThread = decltype(per_thread)::value;
    Kernel<T> const timed = literal_through<PerThread, Pad, false, T>,
                    marked = literal_through<PerThread, Pad, true, T>;
    NativeKernel native = literal_launcher<T>(context, p.marked ? marked : timed, p, p.rows, p.cols);
    native.through_scratch = true;
    return native;
  });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.copy = launch_copy;
  table.row_read = launch_row_read;
  table.row_write = launch_row_write;
  table.tiled = launch_tiled;
  table.padded = launch_padded;
  table.dynamic = launch_dynamic;
  table.literal_row_read = launch_literal_row_read;
  table.literal_row_write = launch_literal_row_write;
  table.literal_tiled = launch_literal_through<0>;
  table.literal_padded = launch_literal_through<1>;
  table.vendor = geam;
  return table;
}

}  // namespace tilestride::transpose
