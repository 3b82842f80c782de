// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How messages go from rank to rank, whatever a pattern sends. No Kokkos here.

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "model/ranks.hpp"
#include "model/skip.hpp"

namespace tilestride {

/// A way, or the reason why it cannot be gone. It takes memory of the execution space, and returns when what is
/// received is there.
struct Transport {
  std::optional<Skip> skip{};
  std::function<void(Messages const& sends, Messages const& receives)> exchange{};
  std::map<std::string, std::string> notes{};  ///< of the trial
};

}  // namespace tilestride
