// SPDX-License-Identifier: BSD-3-Clause
#include "machine/host.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "model/units.hpp"

extern char** environ;

namespace tilestride {
namespace {

/// The value of the first "name : value" line of a file of /proc.
std::string proc_value(char const* file, std::string const& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    auto const colon = line.find(':');
    auto const begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

double kibibytes(std::string const& name) {
  double number = 0;
  std::istringstream(proc_value("/proc/meminfo", name)) >> number;
  return number * 1024;
}

/// "36608K" of the highest cache index of the first CPU in sysfs.
double last_level_cache() {
  double size = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream stream("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    double number = 0;
    char unit = ' ';
    if (stream >> number >> unit) size = number * (unit == 'M' ? 1 << 20 : unit == 'K' ? 1 << 10 : 1);
  }
  return size;
}

bool has_flag(std::string const& flags, std::string const& flag) {
  return (flags + " ").find(" " + flag + " ") != std::string::npos;
}

}  // namespace

HostFacts host_facts() {
  HostFacts facts;
  utsname system{};
  uname(&system);
  facts.name = system.nodename;
  facts.kernel = std::string(system.sysname) + " " + system.release;
  facts.cpu = proc_value("/proc/cpuinfo", "model name");
  if (facts.cpu.empty()) facts.cpu = system.machine;
  cpu_set_t set;
  facts.cores =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  facts.memory = kibibytes("MemTotal");
  facts.last_cache = last_level_cache();
  return facts;
}

std::vector<std::pair<std::string, std::string>> HostFacts::facts() const {
  return {{"host", name},
          {"operating system", kernel},
          {"cpu", cpu},
          {"cores", std::to_string(cores)},
          {"memory", short_bytes(memory)},
          {"last cache", short_bytes(last_cache)}};
}

double free_host_memory() {
  double free = kibibytes("MemAvailable");
  std::string group;  // of version 2: "0::/path"
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) == 0) group = "/sys/fs/cgroup" + line.substr(3);
  }
  auto const bytes_in = [](std::string const& file) {
    double number = -1;  // "max", or no such file
    std::ifstream(file) >> number;
    return number;
  };
  double const limit = bytes_in(group + "/memory.max");
  double const used = bytes_in(group + "/memory.current");
  if (limit > 0 && used >= 0) free = std::min(free, std::max(0.0, limit - used));
  return free;
}

void require_host_memory(double bytes, std::string const& kind) {
  double const free = free_host_memory();
  if (free > 0 && bytes > 0.9 * free)
    throw std::runtime_error(
        fmt::format("needs {} of {} host memory, free {}", short_bytes(bytes), kind, short_bytes(free)));
}

std::string utc_now() {
  std::time_t const now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

double monotonic_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string openblas_core_type() {
  // OpenBLAS 0.3.21 (Debian 12) recognizes CPUs by family and model, and treats a newer Intel CPU as a Pentium 4.
  if (proc_value("/proc/cpuinfo", "vendor_id") != "GenuineIntel") return "";
  std::string const flags = proc_value("/proc/cpuinfo", "flags");
  if (has_flag(flags, "amx_bf16") || has_flag(flags, "avx512_fp16")) return "SapphireRapids";
  if (has_flag(flags, "avx512_bf16")) return "Cooperlake";
  if (has_flag(flags, "avx512vl") && has_flag(flags, "avx512bw")) return "SkylakeX";
  return has_flag(flags, "avx2") ? "Haswell" : "";
}

}  // namespace tilestride
