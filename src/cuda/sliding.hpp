// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the variants of an l2_window problem share. For sources of the CUDA compiler.

#include <Kokkos_Core.hpp>

#include "cuda/owners.hpp"
#include "portable/memory.hpp"
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
  Memory memory{"tilestride::l2_window"};
  Array streamed, persistent, elsewhere;

  Sliding(Exec const& of_bench, Case const& c)
      : exec(of_bench),
        streamed(memory.preset_output<Array>(instance, "stream", c.integer("stream") / 4, Lowered{1})),
        persistent(memory.preset_output<Array>(instance, "persistent", c.integer("persistent") / 4, Lowered{2})),
        elsewhere(Kokkos::view_alloc(instance, Kokkos::WithoutInitializing, "tilestride::l2_window::elsewhere"),
                  static_cast<std::size_t>(c.integer("stream") / 4)) {}

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
