// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Maps the name of an execution space in a deck to its type: the only place where spaces are listed and selected.

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>

#include "portable/dispatch.hpp"
#include "spaces_built.hpp"

namespace tilestride {

/// A space that runs on the host's cores: loops and caches instead of warps and banks. (Not: one whose memory the host
/// can read. That is true of some devices too, an MI300A say.)
template <class Exec>
constexpr bool is_host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// The name of a space in decks: Kokkos' own in lower case.
template <class Exec>
std::string space_name() {
  std::string name = Exec::name();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

/// Calls body(Tag<Exec>) for the space of that name.
template <class Body>
auto with_space(std::string const& name, Body&& body) {
  using R = decltype(body(Tag<std::tuple_element_t<0, BuiltSpaces>>{}));
  R (*chosen)(Body&) = nullptr;
  auto const offer = [&](auto tag) {
    if (space_name<typename decltype(tag)::type>() == name) chosen = [](Body& b) -> R { return b(decltype(tag){}); };
  };
  std::apply([&](auto... spaces) { (offer(Tag<decltype(spaces)>{}), ...); }, BuiltSpaces{});
  if (chosen == nullptr) throw std::logic_error("space " + name + " is not in this build");
  return chosen(body);
}

}  // namespace tilestride
