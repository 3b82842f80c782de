// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace tilestride {

/// Teams of `threads` threads that are three quarters of what a multiprocessor, or a device, holds: each thread may
/// then have a third more registers than where all are resident (40 instead of 32, of 65536 for 2048 threads). 0 where
/// it is not known how many it holds.
constexpr int three_quarters_resident(int resident_threads, int threads) { return resident_threads / threads * 3 / 4; }

}  // namespace tilestride
