// SPDX-License-Identifier: BSD-3-Clause
#include "model/pattern.hpp"

#include <algorithm>

#include "model/units.hpp"

namespace tilestride {

std::string_view name_of(Type type) {
  switch (type) {
    case Type::f32: return "f32";
    case Type::f64: return "f64";
    case Type::i32: return "i32";
  }
  return {};
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::portable: return "portable";
    case Role::hybrid: return "hybrid";
    case Role::native: return "native";
    case Role::bound: return "bound";
    case Role::library: return "library";
  }
  return {};
}

std::string_view name_of(Figure figure) {
  switch (figure) {
    case Figure::bandwidth: return "bandwidth";
    case Figure::compute: return "compute";
    case Figure::latency: return "latency";
  }
  return {};
}

std::string_view unit_of(Figure figure) {
  switch (figure) {
    case Figure::bandwidth: return "GB/s";
    case Figure::compute: return "GFLOP/s";
    case Figure::latency: return "ns";
  }
  return {};
}

std::int64_t size_of(Type type) { return type == Type::f64 ? 8 : 4; }

std::string Value::text() const {
  switch (key->kind) {
    case KeyKind::choice: return key->choices[static_cast<std::size_t>(n[0])];
    case KeyKind::integer: return std::to_string(n[0]);
    case KeyKind::bytes: return percent != 0 ? std::to_string(percent) + "%" : exact_bytes(n[0]);
    case KeyKind::shape: return shape_text(n.data(), static_cast<int>(key->choices.size()));
  }
  return {};
}

namespace {
template <class List>
auto const* find_named(List const& list, std::string_view name) {
  auto const it = std::find_if(list.begin(), list.end(), [&](auto const& element) { return element.name == name; });
  return it == list.end() ? nullptr : &*it;
}
}  // namespace

Variant const* Pattern::find_variant(std::string_view wanted) const { return find_named(variants, wanted); }
Key const* Pattern::find_key(std::string_view wanted) const { return find_named(keys, wanted); }

bool Pattern::is_variant_key(Key const& key) const {
  return std::any_of(variants.begin(), variants.end(), [&](Variant const& variant) {
    return std::find(variant.keys.begin(), variant.keys.end(), key.name) != variant.keys.end();
  });
}

}  // namespace tilestride
