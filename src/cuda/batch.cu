// SPDX-License-Identifier: BSD-3-Clause
// Many small pieces copied to the device by CUDA calls: one copy per piece, one copy of a packed buffer, or one call
// for all pieces.
#include <algorithm>
#include <vector>

#include "cuda/owners.hpp"
#include "cuda/range.hpp"
#include "patterns/batch/problem.hpp"

namespace tilestride::batch {
namespace {

using namespace cuda;

template <class E>
__global__ void unpack_kernel(Unpack<E> unpack, std::int64_t n) {
  std::int64_t const i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) unpack(i);
}

struct Launch {
  cudaStream_t stream;
  template <class E>
  void operator()(Unpack<E> const& unpack, std::int64_t n) const {
    auto const blocks = static_cast<unsigned>((n + range_threads - 1) / range_threads);
    unpack_kernel<<<blocks, range_threads, 0, stream>>>(unpack, n);
    check(cudaGetLastError(), "unpack");
  }
};

std::shared_ptr<Batch<Kokkos::Cuda>> batch_of(Bench& bench, Case const& c) {
  return problem_on<Batch<Kokkos::Cuda>>(bench, c);
}

std::shared_ptr<Stream> own_stream() { return std::make_shared<Stream>(make_stream()); }

std::function<void()> wait_for(std::shared_ptr<Stream> const& stream) {
  return [stream] { check(cudaStreamSynchronize(stream->get()), "a batch"); };
}

Trial prepare_many(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  auto const stream = own_stream();
  HostSteps steps;
  steps.calls = [p, stream] {
    for (std::int64_t i = 0; i < p->at.chunks; ++i)
      check(cudaMemcpyAsync(p->to.data() + p->at.to(i), p->from.data() + p->at.from(i), p->chunk_bytes(),
                            cudaMemcpyHostToDevice, stream->get()),
            "a chunk");
  };
  steps.wait = wait_for(stream);
  return batch_trial(p, p->copies(p->small.next), p->small.next, 0, steps);
}

Trial prepare_packed(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  auto const stream = own_stream();
  return packed_trial(
      bench, p, Launch{p->exec.cuda_stream()}, Launch{stream->get()},
      [p, stream] {
        check(cudaMemcpyAsync(p->staged.data(), p->staging.data(), p->bytes(), cudaMemcpyHostToDevice, stream->get()),
              "the packed chunks");
      },
      wait_for(stream));
}

/// Copies of one call, in the order of the stream as those of cudaMemcpyAsync are.
struct Copies {
  std::vector<void*> to;
  std::vector<void const*> from;
  std::vector<std::size_t> bytes;

  Copies(Batch<Kokkos::Cuda> const& p, std::size_t count, std::size_t bytes_of_each) : bytes(count, bytes_of_each) {
    for (std::size_t i = 0; i < count; ++i) {
      auto const chunk = static_cast<std::int64_t>(i) % p.at.chunks;
      to.push_back(p.to.data() + p.at.to(chunk));
      from.push_back(p.from.data() + p.at.from(chunk));
    }
  }

  cudaError_t send(cudaStream_t stream) const {
    cudaMemcpyAttributes as_ordered{};
    as_ordered.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first = 0;  // of the copies that have these attributes
    return cudaMemcpyBatchAsync(to.data(), from.data(), bytes.data(), bytes.size(), &as_ordered, &first, 1, stream);
  }
};

/// What each further copy of a batch costs beside its bytes, in seconds.
double next_of_batch(Batch<Kokkos::Cuda> const& p, cudaStream_t stream) {
  auto const seconds = [&](std::size_t count) {
    Copies const copies(p, count, p.chunk_bytes());
    return tilestride::seconds_of([&] {
      check(copies.send(stream), "cudaMemcpyBatchAsync");
      check(cudaStreamSynchronize(stream), "a batch");
    });
  };
  constexpr int more = 63;
  return std::max(0.0, (seconds(1 + more) - seconds(1)) / more - static_cast<double>(p.chunk_bytes()) / p.link);
}

/// One call with the addresses of all chunks, which a program that sends them again would keep.
Trial prepare_batched(Bench& bench, Case const& c) {
  auto const p = batch_of(bench, c);
  auto const stream = own_stream();
  cudaError_t const status = Copies(*p, 1, sizeof(Word)).send(stream->get());
  if (status == cudaErrorNotSupported || status == cudaErrorCallRequiresNewerDriver) {
    cudaGetLastError();  // clears the error, which the next check would find
    return skipped(SkipReason::hardware, fmt::format("cudaMemcpyBatchAsync: {}", cudaGetErrorString(status)));
  }
  check(status, "cudaMemcpyBatchAsync");
  HostSteps steps;
  steps.calls = [copies = Copies(*p, static_cast<std::size_t>(p->at.chunks), p->chunk_bytes()), stream] {
    check(copies.send(stream->get()), "cudaMemcpyBatchAsync");
  };
  steps.wait = wait_for(stream);
  steps.wait();
  double const next = next_of_batch(*p, stream->get());
  return batch_trial(p, p->copies(next), next, 0, steps);
}

}  // namespace

Launchers Launchers::on_device() {
  Launchers table;
  table.many = prepare_many;
  table.packed = prepare_packed;
  table.batched = prepare_batched;
  return table;
}

}  // namespace tilestride::batch
