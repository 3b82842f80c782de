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

/// The same words where they arrive.
struct IsCopied {
  Word const *from, *to;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return to[i] == from[i]; }
};

/// Copies of this process alone, from its device to those of the ranks that it sends to: into memory of its own there.
struct PeerCopies {
  struct Target {
    int device;
    DeviceMemory memory;
    Stream stream;
    Word* words() const { return static_cast<Word*>(memory.get()); }
  };
  std::shared_ptr<OnCuda> p;
  int device;
  std::vector<Target> targets;  ///< by slot
  std::unique_ptr<PeerAccess> access;

  void poison() const {
    for (Target const& target : targets) tilestride::poison(p->exec, target.words(), p->n);
  }

  void send(Round const& round) const {
    OnDevice const own(device);
    for (Post const& post : round.sends) {
      Target const& to = targets[static_cast<std::size_t>(post.from_slot)];
      check(cudaMemcpyPeerAsync(to.words(), to.device, p->out(post), device, p->bytes(), to.stream.get()),
            "cudaMemcpyPeerAsync");
    }
    for (Post const& post : round.sends)
      check(cudaStreamSynchronize(targets[static_cast<std::size_t>(post.from_slot)].stream.get()), "a copy to a peer");
  }

  Check verify() const {
    Check all{true, 0, 0, "every element exactly"};
    for (std::size_t slot = 0; slot < targets.size() && all.passed; ++slot) {
      double const before = all.elements;
      Word const* const from = p->outbox.data() + static_cast<std::int64_t>(slot) * p->n;
      all = check_all(p->exec, p->n, IsCopied{from, targets[slot].words()}, "every element exactly");
      all.elements += before;
    }
    return all;
  }
};

/// CUDA's numbers, in this process, of the devices of all ranks; -1 where one is not visible. Collective.
std::vector<int> devices_of(Ranks& ranks, int own) {
  char address[32] = {};
  check(cudaDeviceGetPCIBusId(address, sizeof address, own), "cudaDeviceGetPCIBusId");
  std::vector<int> devices;
  for (std::string const& one : ranks.of_all(host_facts().name + " " + address)) {
    int device = -1;
    std::size_t const space = one.find(' ');
    bool const here = one.substr(0, space) == host_facts().name;
    if (!here || cudaDeviceGetByPCIBusId(&device, one.substr(space + 1).c_str()) != cudaSuccess) device = -1;
    cudaGetLastError();  // what is not visible is no error of ours
    devices.push_back(device);
  }
  return devices;
}

Trial prepare_peer_copies(Bench& bench, Case const& c) {
  if (auto const skip = why_no_ranks(bench)) return skipped(skip->reason, skip->words);
  auto const p = problem_on<OnCuda>(bench, c);
  auto const copies = std::make_shared<PeerCopies>();
  copies->p = p;
  copies->device = p->exec.cuda_device();
  std::vector<int> const devices = devices_of(*bench.ranks, copies->device);
  std::vector<int> used{copies->device};
  std::optional<Skip> skip;
  for (Round const& round : p->rounds) {
    for (Post const& post : round.sends) {
      int const device = devices[static_cast<std::size_t>(post.to)];
      if (device < 0 || device == copies->device || !can_access(copies->device, device)) {
        skip = Skip{SkipReason::hardware, "a rank has no device of its own that this process can use"};
        continue;
      }
      if (std::find(used.begin(), used.end(), device) == used.end()) used.push_back(device);
      OnDevice const there(device);
      DeviceMemory memory = device_memory(p->bytes());
      OnDevice const own(copies->device);
      copies->targets.push_back({device, std::move(memory), make_stream()});
    }
  }
  skip = of_any_rank(*bench.ranks, skip);
  if (skip) return skipped(skip->reason, skip->words);
  copies->access = std::make_unique<PeerAccess>(used, true);
  Trial trial = trial_of_rounds<Kokkos::Cuda>(p, bench, [copies](Round const& round) { copies->send(round); });
  auto const buffers = std::make_shared<Buffers>(*trial.buffers);
  buffers->push_back({"target", Buffer::Role::output, nullptr, 0, [copies] { copies->poison(); }});
  trial.buffers = buffers;
  trial.verify = [copies] { return copies->verify(); };
  return trial;
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
  table.peer_copies = prepare_peer_copies;
  table.nccl = prepare_nccl;
  table.by_nccl = cuda::by_nccl;
  return table;
}

}  // namespace tilestride::exchange
