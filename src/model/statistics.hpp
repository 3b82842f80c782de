// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace tilestride {

constexpr std::size_t samples_of_an_interval = 6;

/// A median and the interval that holds the true one with at least 95 % probability.
///
/// The interval is that of order statistics (binomial with p = 1/2; David & Nagaraja, Order Statistics, 3rd ed., 7.1):
/// it needs no assumption on the distribution (timings are skewed). With fewer samples than samples_of_an_interval no
/// such interval exists; the range of the samples is used, whose coverage is lower.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// Needs at least one sample. The unit is that of the samples.
Estimate estimate(std::vector<double> samples);

/// Needs at least one.
double median_of(std::vector<double> numbers);

struct Statistics {
  Estimate time;  ///< seconds per repetition
  double min = 0;
  double max = 0;
  double mad = 0;  ///< median absolute deviation from the median, seconds
  std::size_t count = 0;
};

Statistics summarize(std::vector<double> const& samples);

/// How many times faster `mine` is than `other` (work per second over work per second), where the times are seconds and
/// `work_ratio` is work of mine / work of other. Samples taken in the same rounds are compared pair by pair, so that
/// common disturbances cancel; otherwise the interval is computed from the two separate medians.
Estimate speed_ratio(std::vector<double> const& mine, std::vector<double> const& other, double work_ratio, bool paired);

/// Ranks (from 0) of the order statistics that bound the median of n samples.
std::pair<std::size_t, std::size_t> median_ranks(std::size_t n);

}  // namespace tilestride
