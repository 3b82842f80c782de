// SPDX-License-Identifier: BSD-3-Clause
// Tiles that go from the memory of one rank to that of another, turned on the way: in shared memory, so that both loads
// and stores are of whole sectors. Nothing is packed, and nobody waits for a message.
#include "cuda/instance.hpp"
#include "cuda/ipc.hpp"
#include "cuda/owners.hpp"
#include "patterns/global_transpose/native.hpp"
#include "patterns/global_transpose/parts.hpp"

namespace tilestride::global_transpose {
namespace {

using namespace cuda;

constexpr int turn_threads = 256, edge = 64;
constexpr int most_ranks = 64;

/// The m x m blocks that a rank turns, one for each rank: rows lie n elements apart, here and there.
template <class T>
struct Blocks {
  T const* from[most_ranks];
  T* to[most_ranks];
  std::int64_t n, m;
  int ranks, first;  ///< the rank to begin with: else all would go to the same one first
};

/// Neighbouring thread blocks have tiles of different ranks, so that all links, and the own memory, are busy at the
/// same time. A thread moves one element at a time: stores of 16 bytes, whose warp has two rows of the tile, go over
/// NVLink at half the rate.
template <class T>
__global__ void __launch_bounds__(turn_threads) turn(__grid_constant__ Blocks<T> const blocks) {
  __shared__ T tile[edge][edge + 1];
  constexpr int down = turn_threads / edge;
  int const rank = int(blockIdx.x + unsigned(blocks.first)) % blocks.ranks;
  int const tiles = int((blocks.m + edge - 1) / edge), index = int(blockIdx.x) / blocks.ranks;
  std::int64_t const row = std::int64_t(index / tiles) * edge, column = std::int64_t(index % tiles) * edge;
  int const x = int(threadIdx.x) % edge, y = int(threadIdx.x) / edge;

  T const* const from = blocks.from[rank] + row * blocks.n + column + x;
  T held[edge / down];
#pragma unroll
  for (int k = 0; k < edge / down; ++k) {
    std::int64_t const r = y + k * down;
    if (row + r < blocks.m && column + x < blocks.m) held[k] = from[r * blocks.n];
  }
#pragma unroll
  for (int k = 0; k < edge / down; ++k) tile[x][y + k * down] = held[k];
  __syncthreads();
  T* const to = blocks.to[rank] + column * blocks.n + row + x;
#pragma unroll
  for (int k = 0; k < edge / down; ++k) {
    std::int64_t const c = y + k * down;
    if (column + c < blocks.m && row + x < blocks.m) to[c * blocks.n] = tile[c][x];
  }
}

template <class T>
void launch(Blocks<T> const& blocks, cudaStream_t stream) {
  std::int64_t const tiles = (blocks.m + edge - 1) / edge;
  turn<<<static_cast<unsigned>(tiles * tiles * blocks.ranks), turn_threads, 0, stream>>>(blocks);
  check(cudaGetLastError(), "a transpose over ranks");
}

/// Whose memory is opened: that of the ranks that the tiles come from, or of those that they go to.
enum class Side { source, target };

template <Side side, class T>
Trial trial_on_memory(Bench& bench, Case const& c) {
  auto const p = problem_on<GlobalTranspose<Kokkos::Cuda, T>>(bench, c);
  OnDevice const here(p->exec.cuda_device());
  auto const opened = OpenedMemory::open(*bench.ranks, side == Side::source ? p->in.data() : p->out.data());
  if (opened.skip) return skipped(opened.skip->reason, opened.skip->words);
  Blocks<T> blocks{};
  blocks.n = p->n;
  blocks.m = p->m;
  blocks.ranks = p->ranks.count();
  blocks.first = p->rank() + 1;
  for (int rank = 0; rank < blocks.ranks; ++rank) {
    T* const other = opened.memory->of<T>(rank);
    blocks.from[rank] = side == Side::source ? other + p->first() : p->in_block(rank);
    blocks.to[rank] = side == Side::source ? p->out_block(rank) : other + p->first();
  }
  return trial_of_all<Kokkos::Cuda, T>(p, bench, [p, blocks, memory = opened.memory] {
    launch(blocks, p->exec.cuda_stream());
    check(cudaStreamSynchronize(p->exec.cuda_stream()), "a transpose over ranks");
  });
}

/// Strips of turned blocks, each carried by a copy engine as rows of the target's matrix while the next is turned.
template <class T>
struct Carried {
  std::shared_ptr<GlobalTranspose<Kokkos::Cuda, T>> p;
  std::shared_ptr<SharedMemory const> out;
  std::int64_t strips;
  Stream turning = make_stream(), carrying = make_stream();
  Event turned = make_event(cudaEventDisableTiming);

  /// Columns [begin, end) of the block that is another rank's.
  void carry(int rank, std::int64_t begin, std::int64_t end) const {
    std::int64_t const n = p->n, m = p->m;
    T* const strip = p->packed.data() + rank * p->block() + begin * m;
    global_transpose::turn<Kokkos::Cuda, T>(instance, {p->in_block(rank) + begin, n}, {strip, m}, m, end - begin);
    check(cudaEventRecord(turned.get(), turning.get()), "cudaEventRecord");
    check(cudaStreamWaitEvent(carrying.get(), turned.get()), "cudaStreamWaitEvent");
    std::size_t const size = sizeof(T), pitch = static_cast<std::size_t>(n) * size,
                      width = static_cast<std::size_t>(m) * size;
    check(cudaMemcpy2DAsync(out->of<T>(rank) + begin * n + p->first(), pitch, strip, width, width,
                            static_cast<std::size_t>(end - begin), cudaMemcpyDefault, carrying.get()),
          "cudaMemcpy2DAsync between ranks");
  }

  void call() const {
    int const own = p->rank(), ranks = p->ranks.count();
    std::int64_t const width = (p->m + strips - 1) / strips;
    for (int step = 1; step < ranks; ++step) {
      for (std::int64_t begin = 0; begin < p->m; begin += width)
        carry((own + step) % ranks, begin, std::min(p->m, begin + width));
    }
    global_transpose::turn<Kokkos::Cuda, T>(instance, {p->in_block(own), p->n}, {p->out_block(own), p->n}, p->m, p->m);
    check(cudaStreamSynchronize(turning.get()), "a transpose over ranks");
    check(cudaStreamSynchronize(carrying.get()), "a transpose over ranks");
  }

  Kokkos::Cuda instance{turning.get()};
};

template <class T>
Trial trial_carried(Bench& bench, Case const& c) {
  auto const p = problem_on<GlobalTranspose<Kokkos::Cuda, T>>(bench, c);
  p->make_blocks();
  OnDevice const here(p->exec.cuda_device());
  auto const opened = OpenedMemory::open(*bench.ranks, p->out.data());
  if (opened.skip) return skipped(opened.skip->reason, opened.skip->words);
  std::shared_ptr<Carried<T>> const carried(new Carried<T>{p, opened.memory, c.integer("pieces")});
  return trial_of_all<Kokkos::Cuda, T>(p, bench, [carried] { carried->call(); });
}

Trial prepare_carried(Bench& bench, Case const& c) {
  if (auto const skip = why_not_shared(bench, c)) return skipped(skip->reason, skip->words);
  return with_type<float, double>(c.type,
                                  [&](auto type) { return trial_carried<typename decltype(type)::type>(bench, c); });
}

template <Side side>
Trial prepare_on_memory(Bench& bench, Case const& c) {
  if (auto const skip = why_not_shared(bench, c)) return skipped(skip->reason, skip->words);
  if (bench.ranks->count() > most_ranks) return skipped(SkipReason::limit, fmt::format("at most {} ranks", most_ranks));
  return with_type<float, double>(
      c.type, [&](auto type) { return trial_on_memory<side, typename decltype(type)::type>(bench, c); });
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.ipc_loads = prepare_on_memory<Side::source>;
  table.ipc_stores = prepare_on_memory<Side::target>;
  table.ipc_copies = prepare_carried;
  return table;
}

}  // namespace tilestride::global_transpose
