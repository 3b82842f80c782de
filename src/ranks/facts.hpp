// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace tilestride {

/// Where a rank runs, in its own words.
struct RankFacts {
  std::string host, device;  ///< names; without a device: empty
  std::string uuid, pci;     ///< of the device, where its interface tells
  std::string nodes;         ///< NUMA nodes of these CPUs; empty where the host has one
  std::string device_node;   ///< the one that the device is attached to
  std::string cpus;          ///< that it may use: "0-3,8"
  std::string program;       ///< sha256 of its executable
  long pid = 0;              ///< on its host

  /// "rank 3 (nid0012, GPU-1b2c…, 0000:1a:00)"
  std::string title(std::size_t rank) const;
};

/// What is known of the ranks now, and what was known before where it is not: a program without a device cannot tell
/// what the program before it used.
std::vector<RankFacts> joined(std::vector<RankFacts> const& before, std::vector<RankFacts> now);

/// The same without names: hosts by number, no UUIDs.
std::vector<RankFacts> redacted(std::vector<RankFacts> ranks);

/// What ranks of one host share that each should have for itself ("ranks 0, 1 use the same device"), and which CPUs are
/// not on the NUMA node of their device.
std::vector<std::string> misplaced(std::vector<RankFacts> const& ranks);

}  // namespace tilestride
