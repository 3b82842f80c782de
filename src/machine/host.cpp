// SPDX-License-Identifier: BSD-3-Clause
#include "machine/host.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "machine/given_cpus.hpp"
#include "model/units.hpp"

namespace tilestride {

namespace fs = std::filesystem;

namespace {

/// The value of the first "name : value" line of a file of /proc.
std::string proc_value(fs::path const& file, std::string const& name) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    auto const colon = line.find(':');
    auto const begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

double kibibytes(fs::path const& root, std::string const& name) {
  double number = 0;
  std::istringstream(proc_value(root / "proc/meminfo", name)) >> number;
  return number * 1024;
}

/// Virtual machines often give a name without a model, such as "AMD EPYC". Then family and model stand beside it: they
/// tell one generation from the next.
std::string cpu_name(fs::path const& cpuinfo) {
  std::string name = proc_value(cpuinfo, "model name");
  if (name.empty() || name.find_first_of("0123456789") != std::string::npos) return name;
  std::string const family = proc_value(cpuinfo, "cpu family"), model = proc_value(cpuinfo, "model\t");
  return family.empty() || model.empty() ? name : fmt::format("{} (family {}, model {})", name, family, model);
}

/// "36608K" of the highest cache index of the first CPU in sysfs.
double last_level_cache(fs::path const& root) {
  double size = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream stream(root / "sys/devices/system/cpu/cpu0/cache" / fmt::format("index{}", index) / "size");
    double number = 0;
    char unit = ' ';
    if (stream >> number >> unit) size = number * (unit == 'M' ? 1 << 20 : unit == 'K' ? 1 << 10 : 1);
  }
  return size;
}

/// The word in brackets: "always [madvise] never".
std::string huge_pages_mode(fs::path const& root) {
  std::string line;
  std::getline(std::ifstream(root / "sys/kernel/mm/transparent_hugepage/enabled"), line);
  auto const begin = line.find('['), end = line.find(']');
  return begin < end && end != std::string::npos ? line.substr(begin + 1, end - begin - 1) : "";
}

std::string governors(fs::path const& root) {
  std::set<std::string> found;
  std::error_code error;
  for (auto const& cpu : fs::directory_iterator(root / "sys/devices/system/cpu", error)) {
    std::string governor;
    if (std::ifstream(cpu.path() / "cpufreq/scaling_governor") >> governor) found.insert(governor);
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

// ---- control groups

/// The folders of the control group that this process is in, and of those above it, which limit it too. `controller`:
/// of version 1 ("cpu"); empty: version 2.
std::vector<fs::path> control_groups(fs::path const& root, std::string const& controller) {
  std::vector<fs::path> folders;
  std::ifstream memberships(root / "proc/self/cgroup");
  for (std::string line; std::getline(memberships, line);) {  // "4:cpu,cpuacct:/path", and "0::/path" of version 2
    auto const first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string const names = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? !names.empty() : ("," + names + ",").find("," + controller + ",") == std::string::npos)
      continue;
    fs::path const top = root / "sys/fs/cgroup" / controller;
    for (fs::path group = fs::path(line.substr(second + 1)).relative_path(); !group.empty();
         group = group.parent_path())
      folders.push_back(top / group);
    folders.push_back(top);
  }
  return folders;
}

/// -1 for "max", and where there is no such file.
double number_in(fs::path const& file) {
  double number = -1;
  return std::ifstream(file) >> number ? number : -1;
}

/// The smaller of two limits, of which 0 is none.
double stricter(double a, double b) { return a == 0 || (b > 0 && b < a) ? b : a; }

double cpu_limit(fs::path const& root) {
  double limit = 0;
  auto const consider = [&](double quota, double period) {
    if (quota > 0 && period > 0) limit = stricter(limit, quota / period);
  };
  for (fs::path const& group : control_groups(root, "")) {
    double quota = 0, period = 0;
    std::ifstream(group / "cpu.max") >> quota >> period;  // "150000 100000" or "max 100000"
    consider(quota, period);
  }
  for (fs::path const& group : control_groups(root, "cpu"))
    consider(number_in(group / "cpu.cfs_quota_us"), number_in(group / "cpu.cfs_period_us"));
  return limit;
}

/// A limit above the memory of the machine is none.
double memory_limit(fs::path const& root, double memory) {
  double limit = 0;
  auto const consider = [&](double bytes) {
    if (bytes > 0 && bytes < memory) limit = stricter(limit, bytes);
  };
  for (fs::path const& group : control_groups(root, "")) consider(number_in(group / "memory.max"));
  for (fs::path const& group : control_groups(root, "memory")) consider(number_in(group / "memory.limit_in_bytes"));
  return limit;
}

bool has_flag(std::string const& flags, std::string const& flag) {
  return (flags + " ").find(" " + flag + " ") != std::string::npos;
}

}  // namespace

HostFacts host_facts(fs::path const& root) {
  HostFacts facts;
  utsname system{};
  uname(&system);
  facts.name = system.nodename;
  facts.kernel = std::string(system.sysname) + " " + system.release;
  facts.cpu = cpu_name(root / "proc/cpuinfo");
  if (facts.cpu.empty()) facts.cpu = system.machine;
  facts.cores = CPU_COUNT(&given_cpus());
  facts.memory = kibibytes(root, "MemTotal");
  facts.last_cache = last_level_cache(root);
  facts.root = root;
  facts.huge_pages = huge_pages_mode(root);
  facts.governor = governors(root);
  facts.cpu_limit = cpu_limit(root);
  facts.memory_limit = memory_limit(root, facts.memory);
  return facts;
}

/// glibc's own limit: its dynamic loader lists it, in hexadecimal.
double HostFacts::memcpy_past_caches() const {
  fs::path const loader = root / "lib64/ld-linux-x86-64.so.2";
  if (!fs::exists(loader)) return 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const list(
      popen((loader.string() + " --list-tunables 2>/dev/null").c_str(), "r"), pclose);
  std::array<char, 256> line{};
  while (list != nullptr && std::fgets(line.data(), line.size(), list.get()) != nullptr) {
    std::string const text = line.data(), tunable = "glibc.cpu.x86_non_temporal_threshold: ";
    if (text.rfind(tunable, 0) == 0) return std::strtod(text.c_str() + tunable.size(), nullptr);
  }
  return 0;
}

std::vector<std::pair<std::string, std::string>> HostFacts::facts() const {
  std::vector<std::pair<std::string, std::string>> all{{"host", name},
                                                       {"operating system", kernel},
                                                       {"cpu", cpu},
                                                       {"memory", short_bytes(memory)},
                                                       {"last cache", short_bytes(last_cache)}};
  if (double const bytes = memcpy_past_caches(); bytes > 0)
    all.emplace_back("memcpy", fmt::format("writes past the caches from {} on", short_bytes(bytes)));
  auto const more = conditions();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::pair<std::string, std::string>> HostFacts::conditions() const {
  std::vector<std::pair<std::string, std::string>> known{{"cores", std::to_string(cores)}};
  if (!huge_pages.empty()) known.emplace_back("huge pages", huge_pages);
  if (!governor.empty()) known.emplace_back("governor", governor);
  if (cpu_limit > 0) known.emplace_back("cpu limit", fmt::format("{:g}", cpu_limit));
  if (memory_limit > 0) known.emplace_back("memory limit", short_bytes(memory_limit));
  return known;
}

std::string tracer(fs::path const& root) {
  std::string const process = proc_value(root / "proc/self/status", "TracerPid");
  if (process.empty() || process == "0") return "";
  std::string name;
  std::getline(std::ifstream(root / "proc" / process / "comm"), name);
  return name.empty() ? "process " + process : name;
}

double free_host_memory() {
  double free = kibibytes("/", "MemAvailable");
  for (fs::path const& group : control_groups("/", "")) {
    double const limit = number_in(group / "memory.max");
    double const used = number_in(group / "memory.current");
    if (limit > 0 && used >= 0) free = std::min(free, std::max(0.0, limit - used));
  }
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

namespace {
/// From the monotonic clock to the epoch's.
double epoch_offset() {
  auto const epoch = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  return epoch.count() - monotonic_now();
}
}  // namespace

double to_epoch(double monotonic) { return monotonic == 0 ? 0 : monotonic + epoch_offset(); }

double to_monotonic(double epoch) { return epoch == 0 ? 0 : epoch - epoch_offset(); }

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
