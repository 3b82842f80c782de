// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "machine/host.hpp"
#include "model/statistics.hpp"

namespace tilestride::transfer {

/// Memory of the host.
struct Pages {
  std::shared_ptr<void> owner;
  double pin = 0;  ///< seconds to pin it, or to allocate it pinned; 0 where it is pageable
};

/// What `pin` returns, and the seconds of that one call.
template <class Pin>
Pages pin_once(Pin const& pin) {
  double const begin = monotonic_now();
  auto owner = pin();
  return {std::move(owner), monotonic_now() - begin};
}

/// What the last call of `pin` returns, and the median of the seconds of several calls. The first one is not counted:
/// what the driver sets up then varies a lot. Each result is given back before the next call, so that only one is held.
template <class Pin>
Pages pin_repeatedly(Pin const& pin) {
  constexpr int samples = 5;
  Pages pages{pin()};
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) {
    pages.owner.reset();
    pages = pin_once(pin);
    seconds.push_back(pages.pin);
  }
  pages.pin = median_of(seconds);
  return pages;
}

}  // namespace tilestride::transfer
