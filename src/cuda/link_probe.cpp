// SPDX-License-Identifier: BSD-3-Clause
#include "cuda/link_probe.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/machine.hpp"
#include "harness/statistics.hpp"

namespace tilestride::cuda {

double seconds_of(std::function<void()> const& body, int calls) {
  body();
  std::vector<double> samples;
  for (int i = 0; i < calls; ++i) {
    double const begin = monotonic_now();
    body();
    samples.push_back(monotonic_now() - begin);
  }
  return estimate(samples).median;
}

double device_seconds_of(cudaStream_t stream, std::function<void()> const& enqueue) {
  Event const begin = make_event(), end = make_event();
  enqueue();
  std::vector<double> samples;
  for (int i = 0; i < 11; ++i) {
    check(cudaEventRecord(begin.get(), stream), "cudaEventRecord");
    enqueue();
    check(cudaEventRecord(end.get(), stream), "cudaEventRecord");
    check(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
    samples.push_back(1e-3 * static_cast<double>(milliseconds));
  }
  return estimate(samples).median;
}

LinkProbe::LinkProbe() {
  std::memset(up_from_.get(), 1, bytes_);
  std::memset(down_to_.get(), 1, bytes_);
  check(cudaMemset(down_from_.get(), 1, bytes_), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaMemset");
}

double LinkProbe::in_a_row(int copies, std::size_t bytes, bool up, bool down, int samples) const {
  return seconds_of(
      [&] {
        for (int i = 0; i < copies; ++i) {
          if (up)
            check(cudaMemcpyAsync(up_to_.get(), up_from_.get(), bytes, cudaMemcpyHostToDevice, up_.get()), "upload");
          if (down)
            check(cudaMemcpyAsync(down_to_.get(), down_from_.get(), bytes, cudaMemcpyDeviceToHost, down_.get()),
                  "download");
        }
        if (up) check(cudaStreamSynchronize(up_.get()), "upload");
        if (down) check(cudaStreamSynchronize(down_.get()), "download");
      },
      samples);
}

double LinkProbe::rate(bool up, bool down) const {
  constexpr int copies = 8;
  return static_cast<double>(copies * bytes_) * (up && down ? 2 : 1) / in_a_row(copies, bytes_, up, down, 3);
}

LinkProbe::Small LinkProbe::small(bool up, bool down) const {
  constexpr int copies = 256;
  constexpr std::size_t word = 4;
  double const first = in_a_row(1, word, up, down, 11);
  return {first, std::max(0.0, in_a_row(copies, word, up, down, 11) - first) / (copies - 1)};
}

double LinkProbe::staging_rate(bool up) const {
  constexpr std::size_t piece = 256 << 10;  // stays in the cache of the core
  std::vector<char> pageable(bytes_, 1);
  char* const pinned = static_cast<char*>(up_from_.get());
  auto const by_pieces = [&] {
    for (std::size_t i = 0; i < bytes_; i += piece)
      std::memcpy(up ? pinned : &pageable[i], up ? &pageable[i] : pinned, piece);
  };
  return static_cast<double>(bytes_) / seconds_of(by_pieces, 5);
}

}  // namespace tilestride::cuda
