// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/spaces.hpp"

namespace tilestride {

/// The execution spaces that are built in.
Build const& build_spaces();

/// The name of this program: "tilestride", "tilestride-cuda".
std::string program_name();

/// Version, revision, compilers, flags, Kokkos: name and value, in the order to print.
std::vector<std::pair<std::string, std::string>> const& build_facts();

/// `git describe` of the sources at build time; "unknown" outside a checkout.
std::string git_revision();

/// An instruction set that the code was compiled for, and whether this CPU has it.
struct HostFeature {
  char const* name;
  bool here;
};
std::vector<HostFeature> const& host_features();

}  // namespace tilestride
