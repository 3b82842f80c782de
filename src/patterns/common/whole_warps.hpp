// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <optional>

#include "model/case.hpp"
#include "portable/spaces.hpp"
#include "portable/traits.hpp"

namespace tilestride {

/// Why a kernel that is compiled for the warps of Traits cannot run on the device of the case; nothing on hosts.
inline std::optional<Skip> why_no_whole_warps(Case const& c) {
  int const compiled_for = with_space(c.space, [&](auto space) {
    using Exec = typename decltype(space)::type;
    return is_host<Exec> ? c.hardware.warp : Traits<Exec>::warp;
  });
  if (compiled_for == c.hardware.warp) return {};
  return Skip{SkipReason::hardware, fmt::format("compiled for warps of {} threads; those of this device have {}",
                                                compiled_for, c.hardware.warp)};
}

}  // namespace tilestride
