// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tilestride {

struct HostFacts {
  std::string name;            ///< of the host
  std::string cpu;             ///< "Intel(R) Xeon(R) Processor @ 2.50GHz"
  int cores = 0;               ///< available to this process
  double memory = 0;           ///< bytes
  double last_cache = 0;       ///< bytes of the last-level cache; 0 when unknown
  std::string kernel;          ///< of the operating system
  std::filesystem::path root;  ///< of the file system that was read

  std::string huge_pages;   ///< transparent huge pages: "always", "madvise" or "never"; empty when unknown
  std::string governor;     ///< of the CPUs' frequency: "performance"; all if they differ; empty when unknown
  double cpu_limit = 0;     ///< the control group's, in CPUs; 0: none
  double memory_limit = 0;  ///< the control group's, in bytes; 0: none

  /// Bytes from which on a call of memcpy writes past the caches; 0 when unknown. Starts a process to ask.
  double memcpy_past_caches() const;

  /// Name and value, in the order to print: "host", "operating system", "cpu", …, and the conditions.
  std::vector<std::pair<std::string, std::string>> facts() const;

  /// Those that an administrator or a batch system sets, and that change figures. What is unknown is left out.
  std::vector<std::pair<std::string, std::string>> conditions() const;
};

/// `root`: of the file system in which /proc and /sys are read.
HostFacts host_facts(std::filesystem::path const& root = "/");

/// The name of the program that traces this one (a debugger, a profiler); empty when there is none.
std::string tracer(std::filesystem::path const& root = "/");

/// Bytes that can be allocated now without swapping, and within the limit of the control group this process is in.
double free_host_memory();

/// Throws if allocating so many bytes of that kind (e.g. "pinned") would leave less than a tenth of the free memory.
void require_host_memory(double bytes, std::string const& kind);

/// "2026-11-21T01:25:17Z".
std::string utc_now();

/// Seconds of the monotonic clock, which is the same for all processes of this machine.
double monotonic_now();

/// A moment of monotonic_now() in seconds since the epoch, which mean the same on another machine, and back; 0 stays 0.
double to_epoch(double monotonic);
double to_monotonic(double epoch);

/// The value of OPENBLAS_CORETYPE for this CPU, because an OpenBLAS that is older than the CPU falls back to kernels of
/// 2004; empty where OpenBLAS recognizes the CPU.
std::string openblas_core_type();

}  // namespace tilestride
