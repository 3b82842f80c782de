// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/rank_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "machine/build_info.hpp"
#include "machine/given_cpus.hpp"
#include "machine/host.hpp"
#include "machine/numa.hpp"
#include "process/messages.hpp"
#include "process/worker.hpp"
#include "ranks/join.hpp"
#include "ranks/journal.hpp"
#include "results/sha256.hpp"

namespace tilestride {
namespace {

/// The CPUs that this process may use.
std::vector<int> own_cpus() {
  cpu_set_t const& set = given_cpus();
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

/// The NUMA nodes of these CPUs; none where there is one.
std::vector<int> nodes_of(std::vector<int> const& cpus) {
  std::vector<NumaNode> const all = numa_nodes();
  std::vector<int> nodes;
  for (NumaNode const& node : all) {
    bool const used = std::find_first_of(cpus.begin(), cpus.end(), node.cpus.begin(), node.cpus.end()) != cpus.end();
    if (all.size() > 1 && used) nodes.push_back(node.number);
  }
  return nodes;
}

/// What the front compares among the ranks, and prints of them.
Json rank_message(Ranks const& ranks, std::string const& launch) {
  return {{"kind", "rank"},
          {"rank", ranks.rank()},
          {"ranks", ranks.count()},
          {"launch", launch},
          {"host", host_facts().name},
          {"pid", getpid()},
          {"cpus", list_of(own_cpus())},
          {"numa", list_of(nodes_of(own_cpus()))},
          {"sha256", sha256_of_file("/proc/self/exe")}};
}

/// Some launchers send standard input to every rank, and stop when one does not read it.
void read_nothing() {
  int const nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return;
  dup2(nothing, STDIN_FILENO);
  close(nothing);
}

/// The process that measures, in its place among the ranks.
int measure_as(Ranks& ranks, Catalogue const& catalogue, std::string const& folder, std::string const& launch,
               std::vector<std::string> const& kokkos) {
  if (ranks.rank() != 0) read_nothing();
  Journal const journal(journal_path(folder, ranks.rank()));
  auto const next_command = [&](std::string& line) {
    bool const more = ranks.rank() != 0 || std::getline(std::cin, line);
    line = ranks.from_first(more ? line : "");
    return !line.empty();
  };
  bool greeted = false;
  auto const say = [&](std::string const& message) {
    journal.append(message);
    if (!greeted) journal.append(to_line(rank_message(ranks, launch)));
    greeted = true;
  };
  return work(catalogue, kokkos, {next_command, say}, &ranks);
}

/// The process that measures; it ends with its parent. `told`: gets the number of its rank.
int measure_as_rank(Catalogue const& catalogue, std::string const& folder, std::string const& launch,
                    std::vector<std::string> const& kokkos, pid_t parent, int told) try {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return 1;  // it has ended already
  reserve_standard_output();
  auto const ranks = join_ranks();
  int status = 1;
  try {
    int const rank = ranks->rank();
    if (write(told, &rank, sizeof rank) == sizeof rank) status = measure_as(*ranks, catalogue, folder, launch, kokkos);
  } catch (std::exception const& problem) {
    std::cerr << "tilestride: " << problem.what() << "\n";
  }
  if (status != 0) _exit(status);  // leaving the ranks would wait for those that still measure
  return status;
} catch (std::exception const& problem) {
  std::cerr << "tilestride: " << problem.what() << "\n";
  return 1;
}

pid_t measuring = -1;
void pass_on(int signal) { kill(measuring, signal); }

}  // namespace

int run_rank(Catalogue const& catalogue, std::string const& folder, std::string const& launch,
             std::vector<std::string> const& kokkos) {
  int told[2];
  if (pipe(told) != 0) throw std::runtime_error("no pipe to the process of a rank");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pid_t const own = getpid();
  measuring = fork();
  if (measuring < 0) throw std::runtime_error("no process for a rank");
  if (measuring == 0) {
    close(told[0]);
    std::exit(measure_as_rank(catalogue, folder, launch, kokkos, own, told[1]));
  }
  close(told[1]);
  read_nothing();
  for (int const one : {SIGINT, SIGTERM}) signal(one, pass_on);
  int status = 0;
  while (waitpid(measuring, &status, 0) < 0 && errno == EINTR) {
  }
  int rank = -1;
  if (read(told[0], &rank, sizeof rank) == sizeof rank) {
    Json const ended{{"kind", "ended"}, {"launch", launch}, {"status", status}, {"at", to_epoch(monotonic_now())}};
    Journal(journal_path(folder, rank)).append(to_line(ended));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string why_under_launcher() {
  struct Launcher {
    char const *count, *rank, *command;
  };
  for (Launcher const& launcher : {Launcher{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun -n {}"},
                                   Launcher{"PMI_SIZE", "PMI_RANK", "mpirun -n {}"},
                                   Launcher{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun -n {}"}}) {
    char const* const count = std::getenv(launcher.count);
    char const* const rank = std::getenv(launcher.rank);
    bool const one_of_several = count != nullptr && std::atol(count) > 1;
    if (!one_of_several || (launcher.rank == std::string("SLURM_PROCID") && std::getenv("SLURM_STEP_ID") == nullptr))
      continue;
    return fmt::format(
        "this is process {} of {} that a launcher has started; `tilestride run` starts its ranks itself: start it "
        "once, "
        "with --ranks {} --launcher '{}'",
        rank != nullptr ? rank : "?", count, count, launcher.command);
  }
  return "";
}

}  // namespace tilestride
