// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tilestride {

/// The processes that measure the same cases of a deck, on one machine or on many. What is marked collective returns
/// when every rank has called it, and sleeps until then. A rank that ends takes all others with it.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;        ///< of this process, from 0
  virtual int count() const = 0;       ///< of all
  virtual int local_rank() const = 0;  ///< among the ranks of this host

  /// Collective: all have arrived.
  virtual void meet() = 0;
  /// Collective: the largest of what the ranks give.
  virtual double largest(double mine) = 0;
  /// Collective: what rank 0 gives.
  virtual std::string from_first(std::string text) = 0;
  /// Collective: what each rank gives, in their order.
  virtual std::vector<std::string> of_all(std::string const& text) = 0;
  /// Collective: seconds to add to monotonic_now() of this host to get that of rank 0, from the fastest of several
  /// messages both ways. It is wrong by half the time that this message took at the most.
  virtual double clock_offset() = 0;

  /// Whether a condition holds on every rank. Collective.
  bool everywhere(bool here) { return largest(here ? 0 : 1) == 0; }

  /// Called with true when this rank has waited for the others for half a second, and with false when it goes on.
  std::function<void(bool waits)> on_wait{};
};

}  // namespace tilestride
