// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The best rates and latencies of the link between host and device: inputs to the models of `transfer` and `batch`.
// Measured beside the cases, by deep_copy on instances, from and to pinned memory.

#include <algorithm>
#include <cstring>

#include "portable/host_device.hpp"
#include "portable/values.hpp"

namespace tilestride {

template <class Exec>
class LinkProbe {
 public:
  explicit LinkProbe(Exec const& exec) : up_(instance_beside(exec)), down_(instance_beside(exec)) {
    Host const host;
    fill(host, up_from_.data(), words_, Constant<Word>{1});
    fill(host, down_to_.data(), words_, Constant<Word>{1});
    host.fence("tilestride::link_probe::fill");
    fill(exec, down_from_.data(), words_, Constant<Word>{1});
    exec.fence("tilestride::link_probe::fill");
  }

  /// B/s of large copies in a row, up (to the device), down, or both ways at a time (then both are counted).
  double rate(bool up, bool down) const {
    constexpr int copies = 8;
    return copies * bytes_ * (up && down ? 2 : 1) / in_a_row(copies, words_, up, down, 3);
  }

  /// Seconds from the call until one word has arrived, the same way or ways, and what each further one costs that is
  /// copied after it.
  struct Small {
    double first, next;
  };
  Small small(bool up, bool down) const {
    constexpr int copies = 256;
    double const first = in_a_row(1, 1, up, down, 11);
    return {first, std::max(0.0, in_a_row(copies, 1, up, down, 11) - first) / (copies - 1)};
  }

  /// B/s of one thread's std::memcpy (bytes counted once) into a small pinned buffer, or out of it: what pageable
  /// memory goes through on its way to the link or from it.
  double staging_rate(bool up) const {
    constexpr std::size_t piece = (256 << 10) / sizeof(Word);  // stays in the cache of the core
    std::vector<Word> pageable(words_, 1);
    Word* const pinned = up_from_.data();
    auto const by_pieces = [&] {
      for (std::size_t i = 0; i < words_; i += piece)
        std::memcpy(up ? pinned : &pageable[i], up ? &pageable[i] : pinned, piece * sizeof(Word));
    };
    return bytes_ / seconds_of(by_pieces, 5);
  }

 private:
  using Word = std::int32_t;
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Pinned = PinnedArray<Exec, Word>;
  using OnDevice = DeviceArray<Exec, Word>;

  /// Seconds from the first call of as many copies, each way, until all of them are done.
  double in_a_row(int copies, std::size_t words, bool up, bool down, int samples) const {
    Window<typename Pinned::memory_space, Word> const up_from(up_from_.data(), words), down_to(down_to_.data(), words);
    Window<typename OnDevice::memory_space, Word> const up_to(up_to_.data(), words),
        down_from(down_from_.data(), words);
    return seconds_of(
        [&] {
          for (int i = 0; i < copies; ++i) {
            if (up) Kokkos::deep_copy(up_, up_to, up_from);
            if (down) Kokkos::deep_copy(down_, down_to, down_from);
          }
          if (up) up_.fence("tilestride::link_probe::up");
          if (down) down_.fence("tilestride::link_probe::down");
        },
        samples);
  }

  static constexpr std::size_t words_ = 8 << 20;
  static constexpr double bytes_ = double(words_ * sizeof(Word));
  Exec up_, down_;
  Pinned up_from_ = uninitialized<Pinned>("tilestride::link_probe::up_from", words_);
  Pinned down_to_ = uninitialized<Pinned>("tilestride::link_probe::down_to", words_);
  OnDevice up_to_ = uninitialized<OnDevice>("tilestride::link_probe::up_to", words_);
  OnDevice down_from_ = uninitialized<OnDevice>("tilestride::link_probe::down_from", words_);
};

}  // namespace tilestride
