// SPDX-License-Identifier: BSD-3-Clause
#include "machine/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "machine/build_info.hpp"
#include "machine/host.hpp"

namespace tilestride {
namespace {

/// Kokkos::Impl::OpenMPTraits::MAX_THREAD_COUNT of Kokkos 4.6 and 4.7: the size of an array that is filled unchecked.
constexpr long most_threads = 512;

bool kokkos_has_openmp() {
  auto const& facts = build_facts();
  return std::any_of(facts.begin(), facts.end(), [](auto const& fact) {
    return fact.first == "Kokkos devices" && fact.second.find("OPENMP") != std::string::npos;
  });
}

}  // namespace

std::string why_too_many_threads(std::vector<std::string> const& kokkos_flags) {
  if (!kokkos_has_openmp()) return "";
  std::string source = "the number of CPUs";
  long threads = host_facts().cores;
  auto const take = [&](std::string const& name, char const* value) {
    source = name;
    threads = std::strtol(value, nullptr, 10);  // OMP_NUM_THREADS may be a list, of which the first number counts
  };
  for (char const* name : {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS"}) {  // the later one wins
    if (char const* const value = std::getenv(name); value != nullptr) take(name, value);
  }
  std::string const option = "--kokkos-num-threads";
  for (std::string const& flag : kokkos_flags) {
    if (flag.rfind(option + "=", 0) == 0) take(option, flag.c_str() + option.size() + 1);
  }
  if (threads <= most_threads) return "";
  return fmt::format("{} threads by {}: OpenMP in Kokkos has room for {}, set OMP_NUM_THREADS", threads, source,
                     most_threads);
}

}  // namespace tilestride
