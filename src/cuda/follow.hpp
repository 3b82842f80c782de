// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "patterns/latency/native.hpp"

namespace tilestride::cuda {

/// Follows `load` from where the chase stands and notes where it ends. A link is the number of a line times `scale`,
/// and `shift` more.
template <class Load>
__device__ void follow(Chase* chase, std::int64_t steps, std::uint32_t scale, std::uint32_t shift, Load const& load) {
  std::uint32_t link = chase->line * scale + shift;
  std::int64_t const begin = clock64();
  for (std::int64_t s = 0; s < steps; ++s) link = load(link);
  std::int64_t const end = clock64();
  chase->line = (link - shift) / scale;
  chase->steps += steps;
  chase->cycles = end - begin;
}

}  // namespace tilestride::cuda
