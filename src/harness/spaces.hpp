// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From the names of a deck to the types of the compiler: execution spaces, element types, tile sizes. The only place
// where either is listed or switched on.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "plan/plan.hpp"
#include "spaces_built.hpp"

namespace tilestride {

template <class T>
struct Tag {
  using type = T;
};

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

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, double>) return Type::f64;
  if constexpr (std::is_same_v<T, float>) return Type::f32;
  return Type::i32;
}

/// Calls body(Tag<T>) for the one of Ts that `type` names.
template <class... Ts, class Body>
auto with_type(Type type, Body&& body) {
  using R = decltype(body(Tag<std::tuple_element_t<0, std::tuple<Ts...>>>{}));
  R (*chosen)(Body&) = nullptr;
  ((type_of<Ts>() == type ? void(chosen = [](Body& b) -> R { return b(Tag<Ts>{}); }) : void()), ...);
  if (chosen == nullptr) throw std::logic_error("this type is not built in");
  return chosen(body);
}

/// Calls body(std::integral_constant<int, N>) for the one of Ns that equals `n`.
template <int... Ns, class Body>
auto with_int(std::integer_sequence<int, Ns...>, std::int64_t n, Body&& body) {
  using R = decltype(body(std::integral_constant<int, std::max({Ns...})>{}));
  R (*chosen)(Body&) = nullptr;
  ((Ns == n ? void(chosen = [](Body& b) -> R { return b(std::integral_constant<int, Ns>{}); }) : void()), ...);
  if (chosen == nullptr) throw std::logic_error("this number is not built in");
  return chosen(body);
}

/// The same numbers, as the choices of a key.
template <int... Ns>
std::vector<std::string> choices_of(std::integer_sequence<int, Ns...>) {
  return {std::to_string(Ns)...};
}

}  // namespace tilestride
