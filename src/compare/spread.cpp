// SPDX-License-Identifier: BSD-3-Clause
#include "compare/spread.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "model/statistics.hpp"

namespace tilestride {
namespace {

/// In double throughout: the rounding of long double would be for nothing, and takes most of the time.
using students_t =
    boost::math::students_t_distribution<double,
                                         boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

/// Where the variances differ no more than their estimates would anyway. t has become normal long before.
constexpr double most_degrees = 1e6;

/// With fewer cases a spread of them all is not worth the name.
constexpr std::size_t fewest_cases = 10;

/// Scatter that no clock resolves: medians of less look as if they had this much.
constexpr double least_scatter = 1e-6;

double logarithm(double scatter) { return std::log(std::max(scatter, least_scatter)); }

/// y = level + slope x, by least squares; slope 0 where all x are alike.
struct Line {
  double level = 0, slope = 0;
  double at(double x) const { return level + slope * x; }
};

double mean(std::vector<double> const& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_about(double center, std::vector<double> const& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [&](double sum, double x) { return sum + (x - center) * (x - center); });
}

Line fitted_line(std::vector<double> const& x, std::vector<double> const& y) {
  double const x_mean = mean(x), y_mean = mean(y);
  double const spread = squares_about(x_mean, x);
  double products = 0;
  for (std::size_t i = 0; i < x.size(); ++i) products += (x[i] - x_mean) * (y[i] - y_mean);
  auto const [least, most] = std::minmax_element(x.begin(), x.end());  // of rounding alone, `spread` is not zero
  double const slope = *least < *most ? products / spread : 0;
  return {y_mean - slope * x_mean, slope};
}

/// The x with trigamma(x) = y. trigamma falls monotonously from infinity to 0.
double inverse_trigamma(double y) {
  double low = 1e-6, high = most_degrees;
  for (int step = 0; step < 100; ++step) {
    double const middle = std::sqrt(low * high);
    (boost::math::trigamma(middle) > y ? low : high) = middle;
  }
  return low;
}

double degrees_of(Observed const& c) {
  auto const runs = static_cast<double>(c.mine.size() + c.theirs.size());
  return c.paired ? runs / 2 - 1 : runs - 2;
}

/// Half the variance of the differences of pairs.
double variance_between_pairs(Observed const& c) {
  std::vector<double> apart;
  for (std::size_t i = 0; i < c.mine.size(); ++i) apart.push_back(c.mine[i] - c.theirs[i]);
  return squares_about(mean(apart), apart) / degrees_of(c) / 2;
}

/// Pooled over the two sides.
Variance variance_between_runs(Observed const& c) {
  double const degrees = degrees_of(c);
  if (degrees == 0) return {0, 0, c.scatter};
  if (c.paired) return {variance_between_pairs(c), degrees, c.scatter};
  return {(squares_about(mean(c.mine), c.mine) + squares_about(mean(c.theirs), c.theirs)) / degrees, degrees,
          c.scatter};
}

/// One run a side: half the square of each difference, about their median, is an estimate with one degree of freedom.
std::vector<Variance> variances_of_differences(std::vector<Difference> const& all, std::vector<Observed> const& cases) {
  std::vector<double> ratios;
  for (Difference const& d : all) ratios.push_back(d.log_ratio);
  double const center = ratios.empty() ? 0 : estimate(ratios).median;
  std::vector<Variance> variances;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    variances.push_back({(ratios[i] - center) * (ratios[i] - center) / 2, 1, cases[i].scatter});
  return variances;
}

}  // namespace

double Difference::standard_error() const {
  return deviation * std::sqrt(1 / static_cast<double>(mine) + 1 / static_cast<double>(theirs));
}

Difference Difference::with_more_runs(std::size_t more) const {
  Difference then = *this;
  then.mine += more;
  then.theirs += more;
  then.degrees += static_cast<double>(paired ? more : 2 * more);
  return then;
}

double Difference::p_value(double log_ratio_of_null) const {
  double const distance = std::abs(log_ratio - log_ratio_of_null);
  if (degrees == 0 || distance == 0) return 1;
  if (deviation == 0) return 0;
  return 2 * cdf(complement(students_t(degrees), distance / standard_error()));
}

double Difference::p_value_below(double log_limit) const {
  if (degrees == 0) return 1;
  double const above = log_ratio - log_limit;
  if (deviation == 0) return above < 0 ? 0 : 1;
  return cdf(students_t(degrees), above / standard_error());
}

std::pair<double, double> Difference::interval(double probability) const {
  double const unknown = std::numeric_limits<double>::infinity();
  if (degrees == 0) return {-unknown, unknown};
  double const half = quantile(students_t(degrees), (1 + probability) / 2) * standard_error();
  return {log_ratio - half, log_ratio + half};
}

double CommonSpread::variance(double scatter) const { return std::exp(level + slope * logarithm(scatter)); }

CommonSpread common_spread(std::vector<Variance> const& variances) {
  // log s^2 is log sigma^2 and a term of known mean and variance (Smyth 2004, section 6.2). Runs that agree to the last
  // bit, which the resolution of a clock allows, say nothing of a logarithm and are left out.
  std::vector<double> logs, scatters;
  double known_variance = 0;
  for (auto const& [value, degrees, scatter] : variances) {
    if (value <= 0) continue;
    logs.push_back(std::log(value) - boost::math::digamma(degrees / 2) + std::log(degrees / 2));
    scatters.push_back(logarithm(scatter));
    known_variance += boost::math::trigamma(degrees / 2);
  }
  if (logs.size() < fewest_cases) return {};
  auto const n = static_cast<double>(logs.size());
  Line const line = fitted_line(scatters, logs);
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] -= line.at(scatters[i]);
  double const seen = squares_about(0, logs) / (n - 2);
  // How different the cases are is itself an estimate. Two standard errors are added, so that few cases do not look
  // more alike than they are.
  double const own = seen * (1 + 2 * std::sqrt(2 / (n - 1))) - known_variance / n;
  double const degrees = own <= boost::math::trigamma(most_degrees / 2) ? most_degrees : 2 * inverse_trigamma(own);
  double const shift = boost::math::digamma(degrees / 2) - std::log(degrees / 2);
  return {line.level + shift, line.slope, degrees};
}

std::vector<Difference> differences(std::vector<Observed> const& cases) {
  std::vector<Difference> all;
  std::vector<Variance> variances;
  bool replicated = false;
  for (Observed const& c : cases) {
    all.push_back({mean(c.mine) - mean(c.theirs), 0, 0, c.mine.size(), c.theirs.size(), c.paired});
    variances.push_back(variance_between_runs(c));
    replicated = replicated || variances.back().degrees > 0;
  }
  // Runs that are alone in some cases and not in others: what the others tell holds for all.
  std::vector<Variance> known = replicated ? variances : variances_of_differences(all, cases);
  known.erase(std::remove_if(known.begin(), known.end(), [](Variance const& v) { return v.degrees == 0; }),
              known.end());
  CommonSpread const common = common_spread(known);
  for (std::size_t i = 0; i < all.size(); ++i) {
    double const degrees = common.degrees + variances[i].degrees;
    if (degrees == 0) continue;
    all[i].degrees = degrees;
    all[i].deviation = std::sqrt(
        (common.degrees * common.variance(cases[i].scatter) + variances[i].degrees * variances[i].value) / degrees);
  }
  return all;
}

std::vector<double> q_values(std::vector<double> const& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] > p_values[b]; });
  std::vector<double> q(p_values.size());
  double least = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {  // from the largest p-value down
    auto const rank = static_cast<double>(order.size() - i);
    least = std::min(least, p_values[order[i]] * static_cast<double>(order.size()) / rank);
    q[order[i]] = least;
  }
  return q;
}

}  // namespace tilestride
