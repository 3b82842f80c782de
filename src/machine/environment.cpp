// SPDX-License-Identifier: BSD-3-Clause
#include "machine/environment.hpp"

#include <unistd.h>

#include <cstdlib>

#include "machine/host.hpp"

namespace tilestride {

std::map<std::string, std::string> relevant_environment() {
  std::map<std::string, std::string> chosen;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    std::string const text = *variable;
    auto const equals = text.find('=');
    std::string const name = text.substr(0, equals);
    bool relevant = false;
    for (char const* prefix : {"OMP_", "KOKKOS_", "GOMP_", "OPENBLAS_"})
      relevant = relevant || name.rfind(prefix, 0) == 0;
    for (char const* whole :
         {"CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID", "SLURM_JOB_NODELIST", "SLURM_NTASKS", "SLURM_CPUS_PER_TASK"})
      relevant = relevant || name == whole;
    if (relevant) chosen[name] = text.substr(equals + 1);
  }
  return chosen;
}

void set_worker_environment() {
  setenv("OMP_PROC_BIND", "spread", 0);
  setenv("OMP_PLACES", "threads", 0);
  if (std::string const core = openblas_core_type(); !core.empty()) setenv("OPENBLAS_CORETYPE", core.c_str(), 0);
}

}  // namespace tilestride
