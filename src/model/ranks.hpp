// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tilestride {

/// Memory that this rank sends to another one, or that it receives from there.
struct Message {
  int rank;           ///< the other one
  void* data;         ///< of the host; of a device too where Ranks::moves_device_memory()
  std::size_t bytes;  ///< a multiple of message_unit
};
constexpr std::size_t message_unit = 16;  ///< bytes
using Messages = std::vector<Message>;

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
  /// Collective: the same for ranks that work side by side. Nobody sleeps, so that it takes microseconds.
  virtual void in_step() = 0;
  /// Collective: the largest of what the ranks give.
  virtual double largest(double mine) = 0;
  /// Collective: what rank 0 gives.
  virtual std::string from_first(std::string text) = 0;
  /// Collective: what each rank gives, in their order.
  virtual std::vector<std::string> of_all(std::string const& text) = 0;
  /// Collective: seconds to add to monotonic_now() of this host to get that of rank 0, from the fastest of several
  /// messages both ways. It is wrong by half the time that this message took at the most.
  virtual double clock_offset() = 0;

  /// Whether a message may lie in the memory of a device.
  virtual bool moves_device_memory() const = 0;
  /// Sends and receives all of these at a time; returns when what this rank receives is there and what it sends may be
  /// overwritten. Of the messages from one rank to another the k-th that is sent is the k-th that is received.
  virtual void exchange(Messages const& sends, Messages const& receives) = 0;

  /// Whether a condition holds on every rank. Collective.
  bool everywhere(bool here) { return largest(here ? 0 : 1) == 0; }

  /// Called with true when this rank has waited for the others for half a second, and with false when it goes on.
  std::function<void(bool waits)> on_wait{};
};

}  // namespace tilestride
