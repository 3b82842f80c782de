// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/trial.hpp"

namespace tilestride {

/// Initializes Kokkos; finalizes it when destroyed.
class KokkosScope {
 public:
  explicit KokkosScope(std::vector<std::string> flags);
  ~KokkosScope();
  KokkosScope(KokkosScope const&) = delete;
  KokkosScope& operator=(KokkosScope const&) = delete;

  void fence(std::string const& label) const;  ///< all spaces
};

/// The flags, with the device of a rank: the ranks of a host use its devices in turn. Unchanged where a flag names the
/// device, and where there is none.
std::vector<std::string> with_device(std::vector<std::string> flags, int local_rank);

/// Why the device of this program cannot be used; Kokkos must then not be started. Empty when the device can be used,
/// or when this is known only after starting Kokkos.
std::string why_no_device();

/// A bench on that space: an execution-space instance, its clock, its device, and a way to flush its caches. The
/// problem and its yardsticks are created with the first variant that is prepared.
Bench open_bench(std::string const& space);

/// Facts about the spaces of this build, from Kokkos and from the device's interface where there is one. Kokkos must be
/// running.
std::map<std::string, std::string> describe_spaces();

}  // namespace tilestride
