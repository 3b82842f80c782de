// SPDX-License-Identifier: BSD-3-Clause
#include "plan/case.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilestride {
namespace {

std::string with_values(std::string text, Case const& c, bool own_keys) {
  for (Value const& value : c.values) {
    if (!own_keys && c.pattern->is_variant_key(*value.key)) continue;
    text += value.key->kind == KeyKind::shape ? "/" + value.text() : "/" + value.key->name + "=" + value.text();
  }
  return c.sampling.cold ? text + "/cache=cold" : text;
}

}  // namespace

bool is_host_space(std::string const& space) { return space == "serial" || space == "openmp" || space == "threads"; }

Model Case::model(Ceilings const& ceilings) const {
  ModelOf const of = variant->model != nullptr ? variant->model : pattern->model;
  return of == nullptr ? Model{} : of(*this, ceilings);
}

Value const* Case::find(std::string_view key) const {
  auto const it = std::find_if(values.begin(), values.end(), [&](Value const& v) { return v.key->name == key; });
  return it == values.end() ? nullptr : &*it;
}

std::string const& Case::choice(std::string_view key) const {
  Value const* value = find(key);
  return value->key->choices[static_cast<std::size_t>(value->n[0])];
}

std::string Case::name() const {
  return with_values(fmt::format("{}/{}/{}/{}", pattern->name, variant->name, space, name_of(type)), *this, true);
}

std::string Case::problem() const {
  return with_values(fmt::format("{}/{}/{}", pattern->name, space, name_of(type)), *this, false);
}

}  // namespace tilestride
