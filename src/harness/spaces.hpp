// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From the name of an execution space in a deck to its type: the only place where they are listed or switched on.

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string>

#include "harness/choices.hpp"
#include "spaces_built.hpp"

namespace tilestride {

/// A space that the host's own code can read the memory of: one core's loops, caches instead of banks.
template <class Exec>
constexpr bool is_host = Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;

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
