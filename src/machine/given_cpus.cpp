// SPDX-License-Identifier: BSD-3-Clause
#include "machine/given_cpus.hpp"

namespace tilestride {
namespace {

cpu_set_t given;

/// Runs before the constructors of the shared libraries, of which GCC's OpenMP runtime binds the first thread where
/// OMP_PROC_BIND says so. The address sanitizer is not ready by then.
[[gnu::no_sanitize_address]] void look(int, char**, char**) { sched_getaffinity(0, sizeof given, &given); }

[[gnu::section(".preinit_array"), gnu::used]] void (*const at_start)(int, char**, char**) = look;

}  // namespace

cpu_set_t const& given_cpus() { return given; }

}  // namespace tilestride
