// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One measurement of a plan, as patterns and measurement see it. No deck here.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.hpp"
#include "model/pattern.hpp"
#include "model/skip.hpp"
#include "model/spaces.hpp"

namespace tilestride {

struct Sampling {
  int min_samples = 10;
  double max_time = 2;    ///< seconds of sampling, per case
  double spread = 0.005;  ///< stop when the median's interval is within this share of it
  bool cold = false;      ///< caches flushed, untimed, before each sample
  bool energy = false;    ///< the energy of a call is measured too, after the samples, for two seconds or more

  bool operator==(Sampling const& o) const {
    return min_samples == o.min_samples && max_time == o.max_time && spread == o.spread && cold == o.cold &&
           energy == o.energy;
  }
};

/// What a memory card (inputs/memory_card.toml) has measured of a machine: the rate of each of its cases by name, in
/// B/s, FLOP/s or operations/s.
using Card = std::map<std::string, double>;

/// What a kernel spills to local memory, by its compiler.
struct Spills {
  double loads = 0;    ///< bytes that a thread loads back, each load in its code counted once
  bool cached = true;  ///< the last cache holds the local memory of all threads that are resident
};

/// One measurement: one variant of one pattern on one execution space with one value for every key.
struct Case {
  Pattern const* pattern = nullptr;
  Variant const* variant = nullptr;
  std::string space;
  Type type = Type::f32;
  std::vector<Value> values;
  Sampling sampling;
  std::optional<Skip> skip;          ///< why it cannot be measured, where the plan knows that already
  Hardware hardware;                 ///< of what it runs on; nothing before that is known
  std::shared_ptr<Card const> card;  ///< of the machine; null: none was given
  std::optional<Spills> spills;      ///< of its kernel; none where its compiler does not say, and before it is prepared

  /// "transpose/padded/cuda/f32/4096x4096/tile=32": stable, and unique within a plan.
  std::string name() const;
  /// What the variants of one problem share: the name without the variant and its own keys.
  std::string problem() const;

  // The variant's own, or else the pattern's.
  Work work() const;
  double needs() const;  ///< bytes
  Model model(Ceilings const& ceilings) const;
  /// Seconds for one operation of the card's case of that name; 0 without a card, or where it has no such case.
  double card_seconds(std::string const& name) const;
  Quantities predictions() const;
  double fetched() const;  ///< bytes that a device's kernel reads from memory where caches are empty; 0: not known
  double computed_flops() const;
  std::optional<Intensity> intensity() const;  ///< none where nothing is computed

  std::string refusal() const;  ///< why it makes no sense; empty: it does
  double memories() const;      ///< over how many devices' memories its bytes are spread

  Value const* find(std::string_view key) const;     ///< null when this case has no such key
  std::int64_t integer(std::string_view key) const;  ///< of an integer or a size; throws std::logic_error without
  std::array<std::int64_t, 3> const& shape() const;
  std::string const& choice(std::string_view key) const;
};

}  // namespace tilestride
