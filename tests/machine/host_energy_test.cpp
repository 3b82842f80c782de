// SPDX-License-Identifier: BSD-3-Clause
#include "machine/host_energy.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "scratch_folder.hpp"

namespace tilestride {
namespace {

namespace fs = std::filesystem;

class HostEnergy : public testing::Test {
 protected:
  void zone(std::string const& folder, std::string const& name, double microjoules) {
    fs::path const path = root() / "sys/class/powercap" / folder;
    fs::create_directories(path);
    std::ofstream(path / "name") << name << "\n";
    std::ofstream(path / "max_energy_range_uj") << "1000000\n";
    std::ofstream(path / "energy_uj") << std::fixed << microjoules << "\n";
  }
  fs::path root() const { return folder_.path(""); }

  ScratchFolder folder_;
  std::string reason_;
};

TEST_F(HostEnergy, IsThatOfPackagesAndMemory) {
  zone("intel-rapl:0", "package-0", 1e5);
  zone("intel-rapl:0:0", "core", 7e5);  // a part of the package
  zone("intel-rapl:0:1", "dram", 2e5);
  zone("intel-rapl:1", "package-1", 4e5);
  zone("intel-rapl-mmio:0", "package-0", 9e5);  // the same counter by another way
  auto const joules = host_energy_counter(reason_, root());
  ASSERT_TRUE(joules) << reason_;
  EXPECT_DOUBLE_EQ(joules(), 0.7);
}

TEST_F(HostEnergy, GoesOnWhereACounterBeginsAgain) {
  zone("intel-rapl:0", "package-0", 9e5);
  auto const joules = host_energy_counter(reason_, root());
  ASSERT_TRUE(joules);
  EXPECT_DOUBLE_EQ(joules(), 0.9);
  zone("intel-rapl:0", "package-0", 2e5);
  EXPECT_DOUBLE_EQ(joules(), 1.2);
  zone("intel-rapl:0", "package-0", 3e5);
  EXPECT_DOUBLE_EQ(joules(), 1.3);
}

TEST_F(HostEnergy, SaysWhyThereIsNone) {
  EXPECT_FALSE(host_energy_counter(reason_, root()));
  EXPECT_NE(reason_.find("no energy counters"), std::string::npos) << reason_;
  zone("intel-rapl:0", "package-0", 1);
  fs::remove(root() / "sys/class/powercap/intel-rapl:0/energy_uj");
  EXPECT_FALSE(host_energy_counter(reason_, root()));
  EXPECT_NE(reason_.find("cannot be read"), std::string::npos) << reason_;
}

}  // namespace
}  // namespace tilestride
