// SPDX-License-Identifier: BSD-3-Clause
// One rank's copies and kernels on the memory of another, which it has opened. Addresses are all that they need: the
// links carry what a copy engine or a thread asks for.
#include "cuda/instance.hpp"
#include "cuda/ipc.hpp"
#include "cuda/nccl.hpp"
#include "cuda/owners.hpp"
#include "patterns/common/pack.hpp"
#include "patterns/exchange/native.hpp"
#include "patterns/exchange/problem.hpp"

namespace tilestride::exchange {
namespace {

using namespace cuda;
using OnCuda = Exchange<Kokkos::Cuda>;
using Pack = Piece<Word, 4>;

constexpr int copy_threads = 512, copy_blocks = 4;  ///< of a multiprocessor: all threads that it holds
constexpr int under_way = 4;                        ///< loads of a thread at a time

/// Packs by a grid that strides over them.
__global__ void __launch_bounds__(copy_threads)
    move(Pack const* __restrict__ from, Pack* __restrict__ to, std::int64_t n) {
  std::int64_t const step = std::int64_t(gridDim.x) * copy_threads;
  std::int64_t i = std::int64_t(blockIdx.x) * copy_threads + threadIdx.x;
  for (; i + (under_way - 1) * step < n; i += under_way * step) {
    Pack held[under_way];
#pragma unroll
    for (int k = 0; k < under_way; ++k) held[k] = from[i + k * step];
#pragma unroll
    for (int k = 0; k < under_way; ++k) to[i + k * step] = held[k];
  }
  for (; i < n; i += step) to[i] = from[i];
}

/// Who moves the words of a message: its sender into the other's inbox, or its receiver out of the other's outbox.
enum class Side { sender, receiver };

/// The opened boxes of all ranks, and a stream for each message of a round.
struct Boxes {
  std::shared_ptr<OnCuda> p;
  std::shared_ptr<SharedMemory const> shared;
  std::vector<Stream> streams;
  int blocks;

  template <Side side>
  Posts const& own(Round const& round) const {
    return side == Side::sender ? round.sends : round.receives;
  }
  template <Side side>
  Word const* from(Post const& post) const {
    return side == Side::sender ? p->out(post) : shared->of<Word>(post.from) + post.from_slot * p->n;
  }
  template <Side side>
  Word* to(Post const& post) const {
    return side == Side::sender ? shared->of<Word>(post.to) + post.to_slot * p->n : p->in(post);
  }
};

void copy(Boxes const& boxes, Word const* from, Word* to, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, boxes.p->bytes(), cudaMemcpyDefault, stream), "cudaMemcpyAsync between ranks");
}

void launch(Boxes const& boxes, Word const* from, Word* to, cudaStream_t stream) {
  move<<<unsigned(boxes.blocks), copy_threads, 0, stream>>>(reinterpret_cast<Pack const*>(from),
                                                            reinterpret_cast<Pack*>(to), boxes.p->n / Pack::size);
  check(cudaGetLastError(), "a kernel on another rank's memory");
}

using Move = void (*)(Boxes const&, Word const* from, Word* to, cudaStream_t);

template <Side side, Move one>
Trial prepare_on_memory(Bench& bench, Case const& c) {
  if (auto const skip = why_no_ranks(bench)) return skipped(skip->reason, skip->words);
  auto const p = problem_on<OnCuda>(bench, c);
  OnDevice const here(p->exec.cuda_device());
  auto const opened = OpenedMemory::open(*bench.ranks, side == Side::sender ? p->inbox.data() : p->outbox.data());
  if (opened.skip) return skipped(opened.skip->reason, opened.skip->words);
  auto const boxes = std::make_shared<Boxes>();
  boxes->p = p;
  boxes->shared = opened.memory;
  boxes->blocks = attribute(p->exec.cuda_device(), cudaDevAttrMultiProcessorCount) * copy_blocks;
  for (Round const& round : p->rounds) {
    while (boxes->streams.size() < boxes->own<side>(round).size()) boxes->streams.push_back(make_stream());
  }
  return trial_of_rounds<Kokkos::Cuda>(p, bench, [boxes](Round const& round) {
    OnDevice const own(boxes->p->exec.cuda_device());
    Posts const& posts = boxes->own<side>(round);
    for (std::size_t i = 0; i < posts.size(); ++i)
      one(*boxes, boxes->from<side>(posts[i]), boxes->to<side>(posts[i]), boxes->streams[i].get());
    for (std::size_t i = 0; i < posts.size(); ++i)
      check(cudaStreamSynchronize(boxes->streams[i].get()), "a message between ranks");
  });
}

Trial prepare_nccl(Bench& bench, Case const& c) {
  if (auto const skip = why_no_ranks(bench)) return skipped(skip->reason, skip->words);
  return trial_by<Kokkos::Cuda>(by_nccl(bench.exec.get(), *bench.ranks), bench, c);
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.ipc = prepare_on_memory<Side::sender, copy>;
  table.ipc_loads = prepare_on_memory<Side::receiver, launch>;
  table.ipc_stores = prepare_on_memory<Side::sender, launch>;
  table.nccl = prepare_nccl;
  table.by_nccl = cuda::by_nccl;
  return table;
}

}  // namespace tilestride::exchange
