// SPDX-License-Identifier: BSD-3-Clause
#include "model/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

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

namespace {

/// The variant's function, or else the pattern's, or else `otherwise`.
template <class R, class... Args>
R first_of(R (*own)(Args...), R (*shared)(Args...), R otherwise, Args... args) {
  auto* const chosen = own != nullptr ? own : shared;
  return chosen == nullptr ? otherwise : chosen(args...);
}

Value const& require(Case const& c, std::string_view key) {
  Value const* const value = c.find(key);
  if (value == nullptr) throw std::logic_error(fmt::format("{} has no key {}", c.name(), key));
  return *value;
}

}  // namespace

Work Case::work() const { return first_of<Work, Case const&>(variant->work, pattern->work, {}, *this); }
double Case::needs() const { return first_of<double, Case const&>(variant->needs, pattern->needs, 0, *this); }
Model Case::model(Ceilings const& ceilings) const {
  return first_of<Model, Case const&, Ceilings const&>(variant->model, pattern->model, {}, *this, ceilings);
}
double Case::card_seconds(std::string const& name) const {
  if (card == nullptr) return 0;
  auto const it = card->find(name);
  return it == card->end() ? 0 : 1 / it->second;
}
Quantities Case::predictions() const {
  return first_of<Quantities, Case const&>(variant->predict, pattern->predict, {}, *this);
}
double Case::fetched() const {
  if (is_host_space(space) || variant->role == Role::library) return 0;
  return first_of<double, Case const&>(variant->fetched, pattern->fetched, 0, *this);
}
double Case::computed_flops() const {
  return first_of<double, Case const&>(variant->computed, pattern->computed, work().flops, *this);
}
std::optional<Intensity> Case::intensity() const {
  Work const all = work();
  if (all.flops == 0 || all.bytes == 0) return {};
  Intensity intensity{all.flops / all.bytes};
  double const asked = first_of<double, Case const&>(variant->requested, pattern->requested, 0, *this);
  if (asked > 0) intensity.requested = all.flops / asked;
  return intensity;
}
std::string Case::refusal() const { return pattern->refuse == nullptr ? "" : pattern->refuse(*this); }
double Case::memories() const { return pattern->memories == nullptr ? 1 : pattern->memories(*this); }

std::int64_t Case::integer(std::string_view key) const { return require(*this, key).n[0]; }
std::array<std::int64_t, 3> const& Case::shape() const { return require(*this, "shape").n; }

Value const* Case::find(std::string_view key) const {
  auto const it = std::find_if(values.begin(), values.end(), [&](Value const& v) { return v.key->name == key; });
  return it == values.end() ? nullptr : &*it;
}

std::string const& Case::choice(std::string_view key) const {
  Value const& value = require(*this, key);
  return value.key->choices.at(static_cast<std::size_t>(value.n[0]));
}

std::string Case::name() const {
  return with_values(fmt::format("{}/{}/{}/{}", pattern->name, variant->name, space, name_of(type)), *this, true);
}

std::string Case::problem() const {
  return with_values(fmt::format("{}/{}/{}", pattern->name, space, name_of(type)), *this, false);
}

}  // namespace tilestride
