// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "machine/build_info.hpp"
#include "patterns/catalogue.hpp"
#include "process/worker.hpp"
#include "ranks/rank_process.hpp"
#include "run/check_result.hpp"
#include "run/command_line.hpp"

namespace {

/// The kernels are compiled for one CPU; on another they would fail with SIGILL. Only C code has run before this check.
bool runs_on_this_cpu() {
  bool fits = true;
  for (auto const& feature : tilestride::host_features()) {
    if (feature.here) continue;
    std::fprintf(stderr,
                 "tilestride: this CPU has no %s, which this build was compiled for; configure with "
                 "-DTILESTRIDE_HOST_ARCH=x86-64-v3\n",
                 feature.name);
    fits = false;
  }
  return fits;
}

/// Opens /dev/null for standard streams that the caller has closed: files opened later must not get their descriptors.
void open_standard_streams() {
  int descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDWR);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

int carry_out(tilestride::Command const& command) {
  using namespace tilestride;
  switch (command.name) {
    case Command::Name::run: return run(command.run);
    case Command::Name::check: return check(command.check);
    case Command::Name::check_result: return check_result(command.document);
    case Command::Name::list: return command.json ? list_json() : list(command.pattern);
    case Command::Name::info: return info();
    case Command::Name::compare:
      return command.compare.interleave.empty() ? compare(command.compare) : interleave(command.compare);
    case Command::Name::gather: return gather(command.run);
    case Command::Name::worker: return run_worker(catalogue(), command.kokkos);
    case Command::Name::rank: return run_rank(catalogue(), command.run.output, command.launch, command.kokkos);
  }
  return exit_usage;
}

int front(int argc, char** argv) {
  int exit_code = tilestride::exit_pass;
  auto const command = tilestride::parse_command_line(argc, argv, exit_code);
  if (!command) return exit_code;
  try {
    return carry_out(*command);
  } catch (std::exception const& problem) {
    tilestride::complain(problem.what());
    return tilestride::exit_failed;
  }
}

/// Whether all that was printed has been written; std::cout has no buffer of its own.
bool output_is_written() { return std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

}  // namespace

int main(int argc, char** argv) {
  if (!runs_on_this_cpu()) return tilestride::exit_usage;
  open_standard_streams();
  int const exit_code = front(argc, argv);
  if (output_is_written()) return exit_code;
  tilestride::complain("standard output could not be written");
  return exit_code == tilestride::exit_pass ? tilestride::exit_failed : exit_code;
}
