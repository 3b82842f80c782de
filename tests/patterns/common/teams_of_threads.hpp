// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Teams of a device's kernel on a host, one after the other: a thread of the host for each of a team's.

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tilestride {

class TeamBarrier {
 public:
  explicit TeamBarrier(int count) : count_(count) {}
  void wait() {
    std::unique_lock lock(mutex_);
    int const round = round_;
    if (++arrived_ == count_) {
      arrived_ = 0;
      ++round_;
      all_.notify_all();
    } else {
      all_.wait(lock, [&] { return round_ != round; });
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  int count_, arrived_ = 0, round_ = 0;
};

/// A team of a device on a host: a thread for each of its own.
struct TeamMember {
  struct Scratch {
    void* bytes;
    void* get_shmem(int) const { return bytes; }
    void* get_shmem_aligned(int, int) const { return bytes; }
  };
  int league, rank;
  Scratch scratch;
  TeamBarrier* barrier;

  int league_rank() const { return league; }
  int team_rank() const { return rank; }
  Scratch const& team_scratch(int) const { return scratch; }
  void team_barrier() const { barrier->wait(); }
};

/// kernel(member) for each thread of `league` teams, which have this scratch.
template <class Kernel>
void run_teams(Kernel const& kernel, int league, int threads, void* scratch) {
  TeamBarrier barrier(threads);
  std::vector<std::thread> team;
  for (int rank = 0; rank < threads; ++rank) {
    team.emplace_back([&, rank] {
      for (int of = 0; of < league; ++of) {
        kernel(TeamMember{of, rank, {scratch}, &barrier});
        barrier.wait();
      }
    });
  }
  for (std::thread& thread : team) thread.join();
}

}  // namespace tilestride
