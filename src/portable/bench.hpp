// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/trial.hpp"

namespace tilestride {

/// Kokkos between its braces.
class KokkosScope {
 public:
  explicit KokkosScope(std::vector<std::string> flags);
  ~KokkosScope();
  KokkosScope(KokkosScope const&) = delete;
  KokkosScope& operator=(KokkosScope const&) = delete;

  void fence(std::string const& label) const;  ///< all spaces
};

/// Why the device of this program cannot be used, so that Kokkos must not even be started; empty when it can, or when
/// only starting Kokkos would tell.
std::string why_no_device();

/// A bench on that space: an execution-space instance, its clock, its device, and a way to flush its caches. The
/// problem and its yardsticks come with the first variant that is prepared.
Bench open_bench(std::string const& space);

/// What Kokkos and, where there is one, the device's own interface say of the spaces of this build. Kokkos must be
/// running.
std::map<std::string, std::string> describe_spaces();

}  // namespace tilestride
