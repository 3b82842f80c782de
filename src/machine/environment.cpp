// SPDX-License-Identifier: BSD-3-Clause
#include "machine/environment.hpp"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iterator>

#include "machine/host.hpp"

namespace tilestride {
namespace {

enum class Kind {
  chosen,   ///< says how many threads, where, which device, which libraries: recorded, and kept by clean_environment
  unseen,   ///< changes figures unseen: recorded, told, and removed by clean_environment
  harmless  ///< changes no figure: not recorded
};

struct Variable {
  char const* name;  ///< a pattern of fnmatch(3)
  Kind kind;
  char const* loads = "";  ///< in words
};

/// Every variable that matters. The first pattern that fits a name counts, so that exceptions precede their family.
constexpr Variable variables[] = {
    {"*_VERSION", Kind::harmless},  // container images set many of them
    // threads
    {"OMP_NUM_THREADS", Kind::chosen},
    {"OMP_THREAD_LIMIT", Kind::chosen},
    {"OMP_PROC_BIND", Kind::chosen},
    {"OMP_PLACES", Kind::chosen},
    {"OMP_*", Kind::unseen},
    {"GOMP_CPU_AFFINITY", Kind::chosen},
    {"GOMP_*", Kind::unseen},
    {"KMP_AFFINITY", Kind::chosen},
    {"KMP_HW_SUBSET", Kind::chosen},
    {"KMP_*", Kind::unseen},
    {"OPENBLAS_*", Kind::unseen},
    // Kokkos
    {"KOKKOS_TOOLS_LIBS", Kind::unseen, "a Kokkos tool"},
    {"KOKKOS_PROFILE_LIBRARY", Kind::unseen, "a Kokkos tool"},
    {"KOKKOS_TOOLS_*", Kind::unseen},
    {"KOKKOS_TUNE_*", Kind::unseen},
    {"KOKKOS_*", Kind::chosen},
    // NVIDIA
    {"CUDA_VISIBLE_DEVICES", Kind::chosen},
    {"CUDA_DEVICE_ORDER", Kind::chosen},
    {"CUDA_MPS_PIPE_DIRECTORY", Kind::chosen},
    {"NVIDIA_VISIBLE_DEVICES", Kind::chosen},
    {"CUDA_HOME", Kind::harmless},
    {"CUDA_PATH*", Kind::harmless},
    {"CUDA_ROOT", Kind::harmless},
    {"CUDA_DIR", Kind::harmless},
    {"CUDA_INJECTION*", Kind::unseen, "a profiler"},
    {"NVTX_INJECTION*", Kind::unseen, "a profiler"},
    {"NV_NSIGHT_*", Kind::unseen, "Nsight"},
    {"NSYS_*", Kind::unseen, "Nsight Systems"},
    {"QUADD_*", Kind::unseen, "Nsight Systems"},
    {"NV_TPS_*", Kind::unseen, "Nsight Compute"},
    {"CUDA_*", Kind::unseen},
    {"NVIDIA_TF32_OVERRIDE", Kind::unseen},
    {"CUBLAS_*", Kind::unseen},
    {"CUBLASLT_*", Kind::unseen},
    // AMD
    {"HIP_VISIBLE_DEVICES", Kind::chosen},
    {"ROCR_VISIBLE_DEVICES", Kind::chosen},
    {"GPU_DEVICE_ORDINAL", Kind::chosen},
    {"HIP_PATH", Kind::harmless},
    {"HIP_PLATFORM", Kind::harmless},
    {"HIP_COMPILER", Kind::harmless},
    {"HIP_RUNTIME", Kind::harmless},
    {"HSA_TOOLS_*", Kind::unseen, "a profiler"},
    {"ROCP_*", Kind::unseen, "a profiler"},
    {"ROCPROF*", Kind::unseen, "a profiler"},
    {"HIP_*", Kind::unseen},
    {"HSA_*", Kind::unseen},
    {"AMD_*", Kind::unseen},
    {"GPU_*", Kind::unseen},
    {"ROCR_*", Kind::unseen},
    {"ROCBLAS_*", Kind::unseen},
    // communication
    {"NCCL_*", Kind::unseen},
    {"UCX_*", Kind::unseen},
    // loader and allocator
    {"LD_LIBRARY_PATH", Kind::chosen},
    {"LD_RUN_PATH", Kind::harmless},
    {"LD_PRELOAD", Kind::unseen, "a library before all others"},
    {"LD_AUDIT", Kind::unseen, "an auditor of the loader"},
    {"LD_*", Kind::unseen},
    {"GLIBC_TUNABLES", Kind::unseen},
    {"MALLOC_*", Kind::unseen},
    {"TCMALLOC_*", Kind::unseen},
    {"HUGETLB_*", Kind::unseen},
    // the batch system
    {"SLURM_JOB_ID", Kind::chosen},
    {"SLURM_JOB_NODELIST", Kind::chosen},
    {"SLURM_NTASKS", Kind::chosen},
    {"SLURM_CPUS_PER_TASK", Kind::chosen},
};

bool fits(std::string const& name, char const* pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; }

/// The entry of that name; null for a variable that does not matter.
Variable const* find(std::string const& name) {
  auto const* const it = std::find_if(std::begin(variables), std::end(variables),
                                      [&](Variable const& variable) { return fits(name, variable.name); });
  return it == std::end(variables) || it->kind == Kind::harmless ? nullptr : it;
}

template <class Wanted>
Environment chosen_from_environment(Wanted const& wanted) {
  Environment found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string const text = *variable;
    auto const equals = text.find('=');
    std::string const name = text.substr(0, equals);
    Variable const* const known = find(name);
    if (equals != std::string::npos && known != nullptr && wanted(*known)) found[name] = text.substr(equals + 1);
  }
  return found;
}

/// A path may name a user or a site, and a list of devices may hold their UUIDs.
bool is_private(std::string const& name, std::string const& value) {
  auto const in_name = {"SLURM_*", "NCCL_COMM_ID", "NCCL_HOSTID"};
  auto const in_value = {"/", "GPU-", "MIG-"};
  return std::any_of(in_name.begin(), in_name.end(), [&](char const* pattern) { return fits(name, pattern); }) ||
         std::any_of(in_value.begin(), in_value.end(),
                     [&](char const* part) { return value.find(part) != std::string::npos; });
}

}  // namespace

Environment relevant_environment() {
  return chosen_from_environment([](Variable const&) { return true; });
}

Environment unseen_environment() {
  return chosen_from_environment([](Variable const& variable) { return variable.kind == Kind::unseen; });
}

std::string loaded_by(std::string const& variable) {
  Variable const* const known = find(variable);
  return known == nullptr ? "" : known->loads;
}

Environment redacted(Environment environment) {
  for (auto& [name, value] : environment) {
    if (is_private(name, value)) value = "hidden";
  }
  return environment;
}

void set_worker_environment(bool clean, bool alone) {
  if (clean) {
    for (auto const& [name, value] : unseen_environment()) unsetenv(name.c_str());
  }
  if (alone) {
    setenv("OMP_PROC_BIND", "spread", 0);
    setenv("OMP_PLACES", "threads", 0);  // which alone would bind them too
  }
  if (std::string const core = openblas_core_type(); !core.empty()) setenv("OPENBLAS_CORETYPE", core.c_str(), 0);
}

}  // namespace tilestride
