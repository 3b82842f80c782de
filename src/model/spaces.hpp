// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tilestride {

/// The execution spaces of one program, or of all installed programs, and the default space for decks that name none.
struct Build {
  std::vector<std::string> spaces;
  std::string default_space;
};

/// All space names that are valid in a deck, built in or not; hosts first.
std::vector<std::string> const& known_spaces();

/// Whether the space of that name runs on the cores of the host.
bool is_host_space(std::string const& space);

}  // namespace tilestride
