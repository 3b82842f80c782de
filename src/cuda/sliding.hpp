// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the variants of an l2_window problem share. For sources of the CUDA compiler.

#include <Kokkos_Core.hpp>

#include "cuda/owners.hpp"
#include "portable/values.hpp"
#include "portable/yardsticks.hpp"

namespace tilestride::l2_window {

/// Element i of array `salt` before the update: the bit is down.
struct Lowered {
  std::uint64_t salt;
  KOKKOS_FUNCTION int operator()(std::int64_t i) const { return 2 * value_at<int>(salt, i); }
};

/// Both arrays after the update, one after the other. What the walk does not come to must be as it was.
struct IsRaised {
  int const *streamed, *persistent;
  std::int64_t n;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    if (i < n) return streamed[i] == Lowered{1}(i) + 1;
    std::int64_t const j = i - n;
    return persistent[j] == Lowered{2}(j) + (j < n ? 1 : 0);
  }
};

/// The buffers of one problem, and the stream whose policy the variants set. Destroyed from the last to the first.
struct Sliding {
  using Exec = Kokkos::Cuda;
  using Array = Kokkos::View<int*, Exec>;

  Exec exec;  ///< of the bench: no window is ever set on its stream
  cuda::Stream stream = cuda::make_stream();
  Exec instance{stream.get()};
  Array streamed, persistent, elsewhere;

  Sliding(Exec const& of_bench, Case const& c)
      : exec(of_bench),
        streamed(allocate(instance, "stream", c.integer("stream"))),
        persistent(allocate(instance, "persistent", c.integer("persistent"))),
        elsewhere(allocate(instance, "elsewhere", c.integer("stream"))) {
    poison();
  }

  static Array allocate(Kokkos::Cuda const& instance, std::string const& name, std::int64_t bytes) {
    return Array(Kokkos::view_alloc(instance, Kokkos::WithoutInitializing, "tilestride::l2_window::" + name),
                 static_cast<std::size_t>(bytes / 4));
  }

  void poison() const {
    fill(instance, streamed.data(), static_cast<std::int64_t>(streamed.extent(0)), Lowered{1});
    fill(instance, persistent.data(), static_cast<std::int64_t>(persistent.extent(0)), Lowered{2});
    instance.fence("tilestride::l2_window::poison");
  }

  Check verify() const {
    auto const n = static_cast<std::int64_t>(streamed.extent(0));
    auto const m = static_cast<std::int64_t>(persistent.extent(0));
    return check_all(instance, n + m, IsRaised{streamed.data(), persistent.data(), n}, "every element exactly");
  }

  std::vector<Yardstick> yardsticks() const {
    auto const bytes = static_cast<std::int64_t>(streamed.size() * sizeof(int));
    return {copy_yardstick(exec, elsewhere.data(), streamed.data(), bytes)};
  }
};

}  // namespace tilestride::l2_window
