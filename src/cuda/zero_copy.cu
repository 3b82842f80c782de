// SPDX-License-Identifier: BSD-3-Clause
// The same walks launched by raw CUDA, and the same words copied by it. Everything here runs on the stream of the
// bench's instance, but for the two streams of `overlapped`.
#include <Kokkos_Core.hpp>
#include <array>

#include "cuda/instance.hpp"
#include "cuda/owners.hpp"
#include "patterns/zero_copy/copied.hpp"
#include "patterns/zero_copy/mapped.hpp"

namespace tilestride::zero_copy {
namespace {

using namespace cuda;

template <class Body>
__global__ void __launch_bounds__(walk_threads, walk_resident) walk_kernel(Body body) {
  body(static_cast<int>(blockIdx.x), static_cast<int>(threadIdx.x));
}

struct ByCuda {
  static cudaStream_t lane(Kokkos::Cuda const& exec) { return exec.cuda_stream(); }

  /// Kokkos pins with cudaHostAlloc; with unified addressing all of that is mapped, no flag is needed, and this is the
  /// host's own address.
  template <class View>
  static Word* mapped_address(View const& words) {
    void* address = nullptr;
    check(cudaHostGetDevicePointer(&address, words.data(), 0), "cudaHostGetDevicePointer");
    return static_cast<Word*>(address);
  }

  template <class Body>
  static void launch(cudaStream_t stream, Body const& body) {
    walk_kernel<<<static_cast<unsigned>(body.blocks), walk_threads, 0, stream>>>(body);
    check(cudaGetLastError(), "zero_copy");
  }

  static void copy_in(ZeroCopy<Kokkos::Cuda> const& p, cudaStream_t stream, std::int64_t begin, std::int64_t end) {
    check(cudaMemcpyAsync(p.copy.data() + begin, p.host.data() + begin,
                          static_cast<std::size_t>(end - begin) * sizeof(Word), cudaMemcpyHostToDevice, stream),
          "cudaMemcpyAsync to the device");
  }
};

using Problem = std::shared_ptr<ZeroCopy<Kokkos::Cuda>>;

Problem problem_of(Bench& bench, Case const& c) { return problem_on<ZeroCopy<Kokkos::Cuda>>(bench, c); }

/// A variant that reads or writes the host's memory, where the device can.
template <class Make>
Trial where_mapped(Bench& bench, Case const& c, Make const& make) {
  if (attribute_of(bench.exec.get(), cudaDevAttrCanMapHostMemory) == 0)
    return skipped(SkipReason::hardware, "this device cannot map the host's memory");
  return make(bench, problem_of(bench, c), c);
}

Trial prepare_mapped(Bench& bench, Case const& c) { return where_mapped(bench, c, mapped<ByCuda, Kokkos::Cuda>); }
Trial prepare_kept(Bench& bench, Case const& c) { return where_mapped(bench, c, kept<ByCuda, Kokkos::Cuda>); }
Trial prepare_mapped_write(Bench& bench, Case const& c) {
  return where_mapped(bench, c, mapped_write<ByCuda, Kokkos::Cuda>);
}
Trial prepare_uncoalesced(Bench& bench, Case const& c) {
  return where_mapped(bench, c, uncoalesced<ByCuda, Kokkos::Cuda>);
}

Trial prepare_copy_then_compute(Bench& bench, Case const& c) {
  return copy_then_compute<ByCuda>(bench, problem_of(bench, c), c);
}

/// Streams that start after the previous work of the bench's stream, and for which the bench's stream waits.
class Fork {
 public:
  explicit Fork(cudaStream_t stream) : stream_(stream) {
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = streams_[i].get();
  }
  void begin() const {
    check(cudaEventRecord(fork_.get(), stream_), "cudaEventRecord");
    for (cudaStream_t const lane : lanes) check(cudaStreamWaitEvent(lane, fork_.get()), "cudaStreamWaitEvent");
  }
  void end() const {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      check(cudaEventRecord(joins_[i].get(), lanes[i]), "cudaEventRecord");
      check(cudaStreamWaitEvent(stream_, joins_[i].get()), "cudaStreamWaitEvent");
    }
  }

  std::array<cudaStream_t, 2> lanes{};

 private:
  cudaStream_t stream_;
  std::array<Stream, 2> streams_{make_stream(), make_stream()};
  Event fork_ = make_event(cudaEventDisableTiming);
  std::array<Event, 2> joins_{make_event(cudaEventDisableTiming), make_event(cudaEventDisableTiming)};
};

/// The streams wait for each other by events: the bench's clock sees all of it, and the host does not wait.
Trial prepare_overlapped(Bench& bench, Case const& c) {
  if (auto const skip = why_not_in_chunks(c)) return skipped(skip->reason, skip->words);
  Problem const p = problem_of(bench, c);
  auto const fork = std::make_shared<Fork>(p->exec.cuda_stream());
  std::int64_t const chunks = c.integer("chunks");
  int const blocks = blocks_for(bench, *p, c);
  return gathering_trial(p, [p, fork, chunks, blocks] {
    fork->begin();
    enqueue_chunks<ByCuda>(*p, fork->lanes, chunks, blocks);
    fork->end();
  });
}

std::map<std::string, std::string> notes_of(void const* exec) {
  auto const answer = [&](cudaDeviceAttr which) { return attribute_of(exec, which) != 0 ? "yes" : "no"; };
  return {{"canMapHostMemory", answer(cudaDevAttrCanMapHostMemory)},
          {"integrated", answer(cudaDevAttrIntegrated)},
          {"canUseHostPointerForRegisteredMem", answer(cudaDevAttrCanUseHostPointerForRegisteredMem)}};
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.mapped = prepare_mapped;
  table.kept = prepare_kept;
  table.mapped_write = prepare_mapped_write;
  table.uncoalesced = prepare_uncoalesced;
  table.copy_then_compute = prepare_copy_then_compute;
  table.overlapped = prepare_overlapped;
  table.notes = notes_of;
  return table;
}

}  // namespace tilestride::zero_copy
