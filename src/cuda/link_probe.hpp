// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the host's link does at its best, asked as plainly as CUDA allows: the parts that the models of `transfer` and
// `batch` are made of, measured beside the cases.

#include <cstddef>
#include <functional>

#include "cuda/owners.hpp"

namespace tilestride::cuda {

/// Seconds of one call of `body`, which waits until its work is done: the median of a few, after one to warm up.
double seconds_of(std::function<void()> const& body, int calls = 11);

/// Seconds between two events on the stream around what `enqueue` puts there.
double device_seconds_of(cudaStream_t stream, std::function<void()> const& enqueue);

/// Plain cudaMemcpyAsync from and to pinned memory.
class LinkProbe {
 public:
  LinkProbe();

  /// B/s of large copies in a row, up (to the device), down, or both ways at a time (then both are counted).
  double rate(bool up, bool down) const;

  /// Seconds from the call until one word has arrived, and what each further one costs that is copied after it on the
  /// same stream.
  struct Small {
    double first, next;
  };
  Small small() const;

  /// B/s of one thread's std::memcpy (bytes counted once): what pageable memory goes through on its way to the link.
  double staging_rate() const;

 private:
  static constexpr std::size_t bytes_ = 32 << 20;
  Stream up_ = make_stream(), down_ = make_stream();
  PinnedMemory up_from_ = pinned_memory(bytes_), down_to_ = pinned_memory(bytes_);
  DeviceMemory up_to_ = device_memory(bytes_), down_from_ = device_memory(bytes_);
};

}  // namespace tilestride::cuda
