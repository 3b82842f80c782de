// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace tilestride {

/// The environment variables that affect a measurement, and no others: OMP_*, KOKKOS_*, GOMP_*, OPENBLAS_*,
/// CUDA_VISIBLE_DEVICES, SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_NTASKS, SLURM_CPUS_PER_TASK.
std::map<std::string, std::string> relevant_environment();

/// Sets the variables that OpenMP and OpenBLAS read when they are loaded, unless the user has set them. Called before a
/// worker is started.
void set_worker_environment();

}  // namespace tilestride
