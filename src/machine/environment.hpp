// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace tilestride {

/// The environment variables that bear on a measurement, and no others: OMP_*, KOKKOS_*, GOMP_*, OPENBLAS_*,
/// CUDA_VISIBLE_DEVICES, SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_NTASKS, SLURM_CPUS_PER_TASK.
std::map<std::string, std::string> relevant_environment();

/// Sets what OpenMP and OpenBLAS read only when they are loaded, where the user has not decided: for a process that is
/// about to start a worker.
void set_worker_environment();

}  // namespace tilestride
