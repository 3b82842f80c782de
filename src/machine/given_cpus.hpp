// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sched.h>

namespace tilestride {

/// The CPUs that this process was started on. By main() an OpenMP runtime may have bound the first thread to one of
/// them, which a process that is started from here would inherit as all that it may use.
cpu_set_t const& given_cpus();

}  // namespace tilestride
