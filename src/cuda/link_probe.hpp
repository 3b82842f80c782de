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

  /// Seconds from the call until one word has arrived, the same way or ways, and what each further one costs that is
  /// copied after it.
  struct Small {
    double first, next;
  };
  Small small(bool up, bool down) const;

  /// B/s of one thread's std::memcpy (bytes counted once) into a small pinned buffer, or out of it: what pageable
  /// memory goes through on its way to the link or from it.
  double staging_rate(bool up) const;

 private:
  /// Seconds from the first call of as many copies, each way, until all of them are done.
  double in_a_row(int copies, std::size_t bytes, bool up, bool down, int samples) const;

  static constexpr std::size_t bytes_ = 32 << 20;
  Stream up_ = make_stream(), down_ = make_stream();
  PinnedMemory up_from_ = pinned_memory(bytes_), down_to_ = pinned_memory(bytes_);
  DeviceMemory up_to_ = device_memory(bytes_), down_from_ = device_memory(bytes_);
};

}  // namespace tilestride::cuda
