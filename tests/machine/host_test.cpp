// SPDX-License-Identifier: BSD-3-Clause
#include "machine/host.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace tilestride {
namespace {

namespace fs = std::filesystem;

/// A made-up /proc and /sys.
class Host : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tilestride-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:        1 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(std::string const& file, std::string const& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  std::map<std::string, std::string> conditions() const {
    auto const facts = host_facts(root_).conditions();
    return {facts.begin(), facts.end()};
  }

  fs::path root_;
};

using Facts = std::map<std::string, std::string>;

TEST_F(Host, MemcpyHasItsLimitFromTheLoader) {
  EXPECT_EQ(host_facts(root_).memcpy_past_caches(), 0);
  char const* const loader = "lib64/ld-linux-x86-64.so.2";
  write(loader,
        "#!/bin/sh\n[ \"$1\" = --list-tunables ] || exit 1\n"
        "echo 'glibc.cpu.x86_rep_stosb_threshold: 0x800 (min: 0x1, max: 0xffff)'\n"
        "echo 'glibc.cpu.x86_non_temporal_threshold: 0x1800000 (min: 0x4040, max: 0xfffffff)'\n");
  fs::permissions(root_ / loader, fs::perms::owner_all);
  HostFacts const facts = host_facts(root_);
  EXPECT_EQ(facts.memcpy_past_caches(), 24 * 1024 * 1024);
  auto const all = facts.facts();
  EXPECT_EQ((std::map<std::string, std::string>{all.begin(), all.end()}).at("memcpy"),
            "writes past the caches from 24.00 MiB on");
}

TEST_F(Host, NameOfTheCpuTellsItsGeneration) {
  char const* const rest = "cpu family\t: 26\nmodel\t\t: 2\nmodel name\t: ";
  write("proc/cpuinfo", std::string(rest) + "AMD EPYC\nstepping\t: 1\n");
  EXPECT_EQ(host_facts(root_).cpu, "AMD EPYC (family 26, model 2)");
  write("proc/cpuinfo", std::string(rest) + "AMD EPYC 9554 64-Core Processor\n");
  EXPECT_EQ(host_facts(root_).cpu, "AMD EPYC 9554 64-Core Processor");
}

TEST_F(Host, LeavesOutWhatIsUnknown) {
  Facts facts = conditions();
  EXPECT_EQ(facts.erase("cores"), 1u);
  EXPECT_EQ(facts, Facts{});
}

TEST_F(Host, ReadsModesOfHugePagesAndFrequency) {
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(conditions().at("huge pages"), "madvise");
  EXPECT_EQ(conditions().at("governor"), "powersave");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  EXPECT_EQ(conditions().at("governor"), "performance, powersave");
}

TEST_F(Host, TakesTheStrictestLimitOfItsControlGroups) {
  write("proc/self/cgroup", "0::/site/job\n");
  write("sys/fs/cgroup/site/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/site/job/memory.max", "max\n");
  EXPECT_EQ(conditions().count("cpu limit") + conditions().count("memory limit"), 0u);
  write("sys/fs/cgroup/site/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/site/memory.max", "4294967296\n");
  EXPECT_EQ(conditions().at("cpu limit"), "1.5");
  EXPECT_EQ(conditions().at("memory limit"), "4.00 GiB");
  write("sys/fs/cgroup/site/job/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/site/job/memory.max", "1073741824\n");
  EXPECT_EQ(conditions().at("cpu limit"), "1.5");
  EXPECT_EQ(conditions().at("memory limit"), "1.00 GiB");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");  // of a container, whose groups are not seen from outside
  EXPECT_EQ(conditions().at("cpu limit"), "0.5");
}

TEST_F(Host, ReadsControlGroupsOfVersion1) {
  write("proc/self/cgroup", "9:memory:/job\n4:cpu,cpuacct:/job\n2:cpuset:/other\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_EQ(conditions().count("cpu limit") + conditions().count("memory limit"), 0u);
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "400000\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2147483648\n");
  EXPECT_EQ(conditions().at("cpu limit"), "4");
  EXPECT_EQ(conditions().at("memory limit"), "2.00 GiB");
}

TEST_F(Host, NamesItsTracer) {
  EXPECT_EQ(tracer(root_), "");
  write("proc/self/status", "Name:\tx\nTracerPid:\t0\n");
  EXPECT_EQ(tracer(root_), "");
  write("proc/self/status", "Name:\tx\nTracerPid:\t4711\n");
  EXPECT_EQ(tracer(root_), "process 4711");
  write("proc/4711/comm", "gdb\n");
  EXPECT_EQ(tracer(root_), "gdb");
}

}  // namespace
}  // namespace tilestride
