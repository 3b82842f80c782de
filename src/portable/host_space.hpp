// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "portable/prepare.hpp"

namespace tilestride {

/// body(Tag<Exec>) if the space of the case is a host's. It is not compiled for devices, where the case has no meaning,
/// for the reason that is given.
template <class Body>
Trial with_host_space(Case const& c, char const* why_not_on_devices, Body const& body) {
  return with_space(c.space, [&](auto space) -> Trial {
    if constexpr (is_host<typename decltype(space)::type>)
      return body(space);
    else
      return skipped(SkipReason::no_meaning, why_not_on_devices);
  });
}

}  // namespace tilestride
