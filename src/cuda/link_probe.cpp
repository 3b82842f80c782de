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

double LinkProbe::rate(bool up, bool down) const {
  constexpr int copies = 8;
  double const seconds = seconds_of(
      [&] {
        for (int i = 0; i < copies; ++i) {
          if (up)
            check(cudaMemcpyAsync(up_to_.get(), up_from_.get(), bytes_, cudaMemcpyHostToDevice, up_.get()), "upload");
          if (down)
            check(cudaMemcpyAsync(down_to_.get(), down_from_.get(), bytes_, cudaMemcpyDeviceToHost, down_.get()),
                  "download");
        }
        check(cudaStreamSynchronize(up_.get()), "upload");
        check(cudaStreamSynchronize(down_.get()), "download");
      },
      3);
  return static_cast<double>(copies * bytes_) * (up && down ? 2 : 1) / seconds;
}

LinkProbe::Small LinkProbe::small() const {
  auto const in_a_row = [&](int copies) {
    return seconds_of([&] {
      for (int i = 0; i < copies; ++i)
        check(cudaMemcpyAsync(up_to_.get(), up_from_.get(), 4, cudaMemcpyHostToDevice, up_.get()), "upload");
      check(cudaStreamSynchronize(up_.get()), "upload");
    });
  };
  constexpr int copies = 256;
  double const first = in_a_row(1);
  return {first, std::max(0.0, in_a_row(copies) - first) / (copies - 1)};
}

double LinkProbe::staging_rate() const {
  std::vector<char> pageable(bytes_, 1);
  return static_cast<double>(bytes_) / seconds_of([&] { std::memcpy(up_from_.get(), pageable.data(), bytes_); }, 5);
}

}  // namespace tilestride::cuda
