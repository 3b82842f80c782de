// SPDX-License-Identifier: BSD-3-Clause
#include "machine/host_energy.hpp"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <vector>

namespace tilestride {

namespace fs = std::filesystem;

namespace {

double number_in(fs::path const& file) {
  double number = -1;
  std::ifstream(file) >> number;
  return number;
}

std::string name_of_zone(fs::path const& zone) {
  std::string name;
  std::ifstream(zone / "name") >> name;
  return name;
}

/// One counter of microjoules, which begins again from 0 at its end.
class Zone {
 public:
  explicit Zone(fs::path const& folder)
      : file_(folder / "energy_uj"), range_(number_in(folder / "max_energy_range_uj")), last_(number_in(file_)) {}

  double joules() {
    double const now = number_in(file_);
    if (now < last_ && range_ > 0) turns_ += range_;
    last_ = now;
    return (turns_ + now) * 1e-6;
  }

 private:
  fs::path file_;
  double range_, last_, turns_ = 0;
};

/// Packages, and memory beside them. Cores and graphics are parts of a package.
bool counts(std::string const& name) { return name.rfind("package", 0) == 0 || name == "dram"; }

}  // namespace

std::function<double()> host_energy_counter(std::string& reason, fs::path const& root) {
  auto zones = std::make_shared<std::vector<Zone>>();
  bool found = false;
  std::error_code error;
  for (auto const& entry : fs::directory_iterator(root / "sys/class/powercap", error)) {
    if (entry.path().filename().string().rfind("intel-rapl:", 0) != 0 || !counts(name_of_zone(entry.path()))) continue;
    found = true;
    if (number_in(entry.path() / "energy_uj") >= 0) zones->emplace_back(entry.path());
  }
  if (zones->empty()) {
    reason = found
                 ? "energy counters of the CPUs cannot be read: /sys/class/powercap/intel-rapl:*/energy_uj is for root"
                 : "this host shows no energy counters of its CPUs (/sys/class/powercap)";
    return {};
  }
  return [zones] {
    double sum = 0;
    for (Zone& zone : *zones) sum += zone.joules();
    return sum;
  };
}

}  // namespace tilestride
