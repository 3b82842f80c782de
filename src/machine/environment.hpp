// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace tilestride {

/// Environment variables: name and value.
using Environment = std::map<std::string, std::string>;

/// The variables of this process that affect a measurement, and no others; the list is in environment.cpp.
Environment relevant_environment();

/// Those of them that change figures although nothing in a result shows it (CUDA_LAUNCH_BLOCKING, LD_PRELOAD). Not
/// among them are those that state a choice: a number of threads, their places, a device, a library's folder.
Environment unseen_environment();

/// What a variable loads into a program: "a Kokkos tool"; empty when it loads nothing that is known.
std::string loaded_by(std::string const& variable);

/// The same without the values that may name a host, a user or a device: these are "hidden".
Environment redacted(Environment environment);

/// Sets the variables that OpenMP and OpenBLAS read when they are loaded, unless the user has set them. `clean`:
/// without those of unseen_environment(). `alone`: no other process measures on this host at the same time, and threads
/// are bound to CPUs; several would all bind their first ones to the same. Called before a worker is started.
void set_worker_environment(bool clean, bool alone);

}  // namespace tilestride
