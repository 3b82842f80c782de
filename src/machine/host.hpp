// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilestride {

struct HostFacts {
  std::string name;       ///< of the host
  std::string cpu;        ///< "Intel(R) Xeon(R) Processor @ 2.50GHz"
  int cores = 0;          ///< that this process may use
  double memory = 0;      ///< bytes
  double last_cache = 0;  ///< bytes of the last-level cache; 0 when unknown
  std::string kernel;     ///< of the operating system

  /// Name and value, in the order to print: "host", "operating system", "cpu", …
  std::vector<std::pair<std::string, std::string>> facts() const;
};

HostFacts host_facts();

/// Bytes that can be allocated now without swapping, and within the limit of the control group this process is in.
double free_host_memory();

/// Throws when so many bytes of memory of that kind ("pinned", say) would leave less than a tenth of what is free.
void require_host_memory(double bytes, std::string const& kind);

/// "2026-11-21T01:25:17Z".
std::string utc_now();

/// Seconds of a clock that all processes of this machine share and that nobody sets.
double monotonic_now();

/// The core type that OPENBLAS_CORETYPE should name on this CPU, because an OpenBLAS older than it falls back to
/// kernels of 2004; empty where OpenBLAS finds it by itself.
std::string openblas_core_type();

}  // namespace tilestride
