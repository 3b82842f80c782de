// SPDX-License-Identifier: BSD-3-Clause
#include "machine/environment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

namespace tilestride {
namespace {

/// An environment of its own for each test.
class Variables : public testing::Test {
 protected:
  void SetUp() override {
    for (char** variable = environ; *variable != nullptr; ++variable) before_.emplace_back(*variable);
    clearenv();
  }
  void TearDown() override {
    clearenv();
    for (std::string const& variable : before_) {
      auto const equals = variable.find('=');
      setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
  }

 private:
  std::vector<std::string> before_;
};

void set(Environment const& variables) {
  for (auto const& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
}

Environment const choices{{"OMP_NUM_THREADS", "8"},        {"OMP_PROC_BIND", "close"},    {"OMP_PLACES", "cores"},
                          {"GOMP_CPU_AFFINITY", "0-3"},    {"KMP_HW_SUBSET", "1T"},       {"KOKKOS_NUM_THREADS", "4"},
                          {"KOKKOS_DEVICE_ID", "1"},       {"CUDA_VISIBLE_DEVICES", "0"}, {"CUDA_DEVICE_ORDER", "PCI"},
                          {"HIP_VISIBLE_DEVICES", "1"},    {"ROCR_VISIBLE_DEVICES", "2"}, {"LD_LIBRARY_PATH", "/a:/b"},
                          {"KOKKOS_MAP_DEVICE_ID_BY", ""}, {"SLURM_JOB_ID", "7"}};

Environment const changes{{"CUDA_LAUNCH_BLOCKING", "1"},
                          {"CUDA_DEVICE_MAX_CONNECTIONS", "1"},
                          {"CUDA_MODULE_LOADING", "EAGER"},
                          {"CUDA_INJECTION64_PATH", "/p.so"},
                          {"NVTX_INJECTION64_PATH", "/n.so"},
                          {"CUBLAS_WORKSPACE_CONFIG", ":16:8"},
                          {"NVIDIA_TF32_OVERRIDE", "0"},
                          {"NCCL_P2P_DISABLE", "1"},
                          {"UCX_TLS", "tcp"},
                          {"LD_PRELOAD", "libx.so"},
                          {"MALLOC_ARENA_MAX", "1"},
                          {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"},
                          {"KOKKOS_TOOLS_LIBS", "libkp.so"},
                          {"KOKKOS_PROFILE_LIBRARY", "libkp.so"},
                          {"OMP_WAIT_POLICY", "passive"},
                          {"GOMP_SPINCOUNT", "0"},
                          {"KMP_BLOCKTIME", "0"},
                          {"OPENBLAS_NUM_THREADS", "1"},
                          {"HSA_ENABLE_SDMA", "0"},
                          {"AMD_SERIALIZE_KERNEL", "3"},
                          {"HIP_LAUNCH_BLOCKING", "1"}};

Environment const others{{"HOME", "/root"},         {"PATH", "/bin"},         {"CUDA_HOME", "/cuda"},
                         {"CUDA_PATH", "/cuda"},    {"CUDA_VERSION", "13"},   {"NCCL_VERSION", "2"},
                         {"XOMP_NUM_THREADS", "1"}, {"SLURM_TOKEN", "secret"}};

TEST_F(Variables, ThatMatterAreRecordedAndThoseThatChangeFiguresUnseenAreKnown) {
  set(choices);
  set(changes);
  set(others);
  Environment both = choices;
  both.insert(changes.begin(), changes.end());
  EXPECT_EQ(relevant_environment(), both);
  EXPECT_EQ(unseen_environment(), changes);
}

TEST_F(Variables, OfACleanWorkerAreChoicesAlone) {
  set(choices);
  set(changes);
  set(others);
  set_worker_environment(true, true);
  EXPECT_STREQ(std::getenv("HOME"), "/root");
  unsetenv("OPENBLAS_CORETYPE");  // set for some CPUs
  EXPECT_EQ(relevant_environment(), choices);
}

TEST_F(Variables, OfAWorkerAreThoseOfTheUserAndDefaults) {
  set(changes);
  setenv("OMP_PROC_BIND", "close", 1);
  set_worker_environment(false, true);
  EXPECT_STREQ(std::getenv("CUDA_LAUNCH_BLOCKING"), "1");
  EXPECT_STREQ(std::getenv("OMP_PROC_BIND"), "close");
  EXPECT_STREQ(std::getenv("OMP_PLACES"), "threads");
}

TEST_F(Variables, OfSeveralWorkersBindNoThreads) {
  set_worker_environment(false, false);
  EXPECT_EQ(std::getenv("OMP_PROC_BIND"), nullptr);
  EXPECT_EQ(std::getenv("OMP_PLACES"), nullptr);
}

TEST_F(Variables, WithoutAValueAreNone) {
  std::string odd = "OMP_NUM_THREADS", good = "OMP_PLACES=cores=2";
  std::array<char*, 3> made_up{odd.data(), good.data(), nullptr};
  char** const kept = environ;
  environ = made_up.data();
  Environment const found = relevant_environment();
  environ = kept;
  EXPECT_EQ(found, (Environment{{"OMP_PLACES", "cores=2"}}));
}

TEST(Redacted, HidesPathsDevicesAndTheBatchSystem) {
  EXPECT_EQ(redacted({{"LD_PRELOAD", "/home/someone/x.so"},
                      {"CUDA_VISIBLE_DEVICES", "GPU-8932f937-d72c"},
                      {"ROCR_VISIBLE_DEVICES", "0,1"},
                      {"SLURM_JOB_ID", "7"},
                      {"NCCL_COMM_ID", "node7:1"},
                      {"CUBLAS_WORKSPACE_CONFIG", ":16:8"}}),
            (Environment{{"LD_PRELOAD", "hidden"},
                         {"CUDA_VISIBLE_DEVICES", "hidden"},
                         {"ROCR_VISIBLE_DEVICES", "0,1"},
                         {"SLURM_JOB_ID", "hidden"},
                         {"NCCL_COMM_ID", "hidden"},
                         {"CUBLAS_WORKSPACE_CONFIG", ":16:8"}}));
}

TEST(LoadedBy, NamesTools) {
  EXPECT_EQ(loaded_by("KOKKOS_TOOLS_LIBS"), "a Kokkos tool");
  EXPECT_EQ(loaded_by("CUDA_INJECTION64_PATH"), "a profiler");
  EXPECT_EQ(loaded_by("CUDA_LAUNCH_BLOCKING"), "");
  EXPECT_EQ(loaded_by("HOME"), "");
}

}  // namespace
}  // namespace tilestride
