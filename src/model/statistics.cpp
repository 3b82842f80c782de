// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace tilestride {
namespace {

double median_of_sorted(std::vector<double> const& sorted) {
  std::size_t const half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

std::pair<std::size_t, std::size_t> median_ranks(std::size_t n) {
  // The largest k with P(Binomial(n, 1/2) < k) <= 2.5 %: the k-th smallest and k-th largest bound the median.
  double term = std::pow(0.5, static_cast<double>(n));  // P(Binomial = 0); 0 by underflow beyond 1074 samples
  if (term == 0) {
    double const k = static_cast<double>(n) / 2 - 0.98 * std::sqrt(static_cast<double>(n)) - 0.5;
    auto const rank = static_cast<std::size_t>(std::floor(k));
    return {rank, n - 1 - rank};
  }
  std::size_t k = 0;
  for (double below = term; below <= 0.025; below += term) {
    ++k;
    term *= static_cast<double>(n - k + 1) / static_cast<double>(k);
  }
  std::size_t const rank = k == 0 ? 0 : k - 1;
  return {rank, n - 1 - rank};
}

double median_of(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return median_of_sorted(numbers);
}

Estimate estimate(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  auto const [low, high] = median_ranks(samples.size());
  return {median_of_sorted(samples), samples[low], samples[high]};
}

Statistics summarize(std::vector<double> const& samples) {
  Statistics s;
  s.time = estimate(samples);
  s.count = samples.size();
  auto const [min, max] = std::minmax_element(samples.begin(), samples.end());
  s.min = *min;
  s.max = *max;
  std::vector<double> distance;
  for (double const x : samples) distance.push_back(std::abs(x - s.time.median));
  std::sort(distance.begin(), distance.end());
  s.mad = median_of_sorted(distance);
  return s;
}

Estimate speed_ratio(std::vector<double> const& mine, std::vector<double> const& other, double work_ratio,
                     bool paired) {
  if (!paired) {
    Estimate const a = estimate(mine);
    Estimate const b = estimate(other);
    return {work_ratio * b.median / a.median, work_ratio * b.low / a.high, work_ratio * b.high / a.low};
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(mine.size(), other.size()); ++i)
    ratios.push_back(work_ratio * other[i] / mine[i]);
  return estimate(std::move(ratios));
}

}  // namespace tilestride
