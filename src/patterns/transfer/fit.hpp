// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Fits latency and rate of a link to transfers of different sizes: time = latency + bytes / rate. Also computes how
// often a buffer must be copied before pinning pays off.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace tilestride::transfer {

struct TimedTransfer {
  double bytes;
  double seconds;
};

struct LinkFit {
  double latency;  ///< s, not below 0
  double rate;     ///< B/s
  double error;    ///< half of the transfers are nearer to the line than this share of their time
};

/// The line with the smallest sum of |deviation| / time: every size has the same weight, and sizes at which the driver
/// changes its method have little influence. (Least squares, weighted anew from the deviations that remain.) Nothing
/// where the time does not grow with the bytes, or with fewer than three sizes.
inline std::optional<LinkFit> fit_link(std::vector<TimedTransfer> const& transfers) {
  if (transfers.size() < 3) return {};
  std::vector<double> weights(transfers.size(), 1.0);
  std::vector<double> errors(transfers.size());
  LinkFit fit{};
  for (int round = 0; round < 100; ++round) {
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;  // of deviations as shares: each row is divided by its time
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      auto const [bytes, seconds] = transfers[i];
      double const weight = weights[i] / (seconds * seconds);
      w += weight;
      x += weight * bytes;
      y += weight * seconds;
      xx += weight * bytes * bytes;
      xy += weight * bytes * seconds;
    }
    double const spread = xx - x * x / w;
    if (!(spread > 1e-12 * xx)) return {};  // one size only
    double slope = (xy - x * y / w) / spread;
    double latency = (y - slope * x) / w;
    if (latency < 0) {
      latency = 0;
      slope = xy / xx;
    }
    if (!(slope > 0)) return {};
    fit = {latency, 1 / slope, 0};
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      errors[i] = std::abs(latency + slope * transfers[i].bytes - transfers[i].seconds) / transfers[i].seconds;
      weights[i] = 1 / std::max(errors[i], 1e-4);
    }
  }
  std::sort(errors.begin(), errors.end());
  fit.error = errors[(errors.size() - 1) / 2];
  return fit;
}

/// The smallest number of copies after which `pin` seconds once and `pinned` a copy are less than `pageable` a copy;
/// nothing where a pinned copy is not faster.
inline std::optional<double> copies_until_pinning_pays(double pin, double pageable, double pinned) {
  if (!(pinned < pageable)) return {};
  return std::floor(pin / (pageable - pinned)) + 1;
}

}  // namespace tilestride::transfer
