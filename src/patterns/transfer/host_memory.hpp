// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The kinds of host memory that a transfer can start from or end in.

#include <fmt/format.h>

#include <algorithm>

#include "machine/host.hpp"
#include "model/units.hpp"
#include "patterns/transfer/native.hpp"
#include "patterns/transfer/pin.hpp"
#include "portable/host_device.hpp"
#include "portable/memory.hpp"

namespace tilestride::transfer {

using Word = std::int32_t;
using Host = Kokkos::DefaultHostExecutionSpace;

/// Bytes that `much_pinned` pins beside what is copied: a quarter of what the host has free, so that it never runs
/// short.
inline double much_host_memory() { return std::min(free_host_memory() / 4, double(std::int64_t(16) << 30)); }
constexpr double least_of_much = 1 << 30;

/// Why there is no host memory of this kind for the device of that instance; nothing where there is.
inline std::optional<Skip> why_not(std::string const& memory, void const* exec) {
  Launchers const vendor = Launchers::on_device();
  bool const is_registered = memory == "registered";
  if ((is_registered && vendor.registered == nullptr) ||
      (memory == "write_combined" && vendor.write_combined == nullptr))
    return Skip{SkipReason::not_built,
                fmt::format("{} memory is not available in Kokkos; this program has no CUDA", memory)};
  if (memory == "much_pinned" && much_host_memory() < least_of_much)
    return Skip{SkipReason::limit, fmt::format("a quarter of the host's free memory is {}: too little to be much",
                                               short_bytes(much_host_memory()))};
  return is_registered ? vendor.why_not_registered(exec) : std::nullopt;
}

struct HostWords {
  Pages pages;
  Word* data = nullptr;
};

/// So many bytes in Kokkos' space of pinned memory.
template <class Exec>
std::shared_ptr<void> in_pinned_space(std::size_t bytes) {
  auto const array =
      uninitialized<PinnedArray<Exec, char>>("tilestride::transfer::pinned", static_cast<std::int64_t>(bytes));
  return {array.data(), [array](void*) {}};
}

/// n words of that kind, whose values are those of the salt.
template <class Exec>
HostWords host_words(std::string const& memory, std::int64_t n, std::uint64_t salt) {
  auto const bytes = static_cast<std::size_t>(n) * sizeof(Word);
  HostWords words;
  Launchers const vendor = Launchers::on_device();
  if (memory == "pinned" || memory == "much_pinned") {
    words.pages = pin_repeatedly([bytes] { return in_pinned_space<Exec>(bytes); });
  } else if (memory == "write_combined") {
    words.pages = pin_repeatedly([&] { return vendor.write_combined(bytes); });
  } else {
    words.pages.owner = whole_pages(bytes);
  }
  words.data = static_cast<Word*>(words.pages.owner.get());
  fill(Host(), words.data, n, Values<Word>{salt});
  Host().fence("tilestride::transfer::fill");
  if (memory == "registered")  // pages that are there already: what is timed is pinning alone
    words.pages = pin_repeatedly([&, plain = words.pages.owner] { return vendor.registered(plain, bytes); });
  return words;
}

}  // namespace tilestride::transfer
