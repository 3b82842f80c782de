// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Maps the names and numbers of a deck to types and compile-time constants: element types, tile sizes. The only place
// that selects them. No Kokkos here.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/pattern.hpp"

namespace tilestride {

template <class T>
struct Tag {
  using type = T;
};

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
