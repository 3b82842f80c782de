// SPDX-License-Identifier: BSD-3-Clause
// The ranks are those of MPI_COMM_WORLD.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "machine/host.hpp"
#include "ranks/join.hpp"

namespace tilestride {
namespace {

constexpr auto patience = std::chrono::milliseconds(1);  // for which a rank that waits keeps its core
constexpr auto nap = std::chrono::microseconds(100);
constexpr double long_wait = 0.5;  // seconds

int length_of(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::runtime_error("a message between ranks is longer than MPI counts");
  return static_cast<int>(bytes);
}

/// Whether one of MPI's libraries says that it takes the memory of a device. The functions are extensions that not
/// every MPI has, and their header is not everywhere either.
bool takes_device_memory() {
  for (char const* const name : {"MPIX_Query_cuda_support", "MPIX_Query_rocm_support", "MPIX_Query_hip_support"}) {
    auto const query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, name));
    if (query != nullptr && query() != 0) return true;
  }
  return false;
}

class MpiRanks : public Ranks {
 public:
  MpiRanks() {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &local_rank_);
    MPI_Comm_free(&here);
    MPI_Type_contiguous(static_cast<int>(message_unit), MPI_BYTE, &unit_);
    MPI_Type_commit(&unit_);
  }
  ~MpiRanks() override {
    MPI_Type_free(&unit_);
    MPI_Finalize();
  }
  MpiRanks(MpiRanks const&) = delete;
  MpiRanks& operator=(MpiRanks const&) = delete;

  int rank() const override { return rank_; }
  int count() const override { return count_; }
  int local_rank() const override { return local_rank_; }

  /// MPI's own barrier would keep the core busy that a slower rank may need. The second one, of ranks that are all
  /// awake, lets them go on within a microsecond of each other.
  void meet() override {
    gather_up();
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void in_step() override {
    MPI_Request arrived;
    MPI_Ibarrier(MPI_COMM_WORLD, &arrived);
    finish({arrived});
  }

  double largest(double mine) override {
    gather_up();
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
  }

  std::string from_first(std::string text) override {
    gather_up();
    std::uint64_t bytes = text.size();
    MPI_Bcast(&bytes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    text.resize(bytes);
    MPI_Bcast(text.data(), length_of(bytes), MPI_CHAR, 0, MPI_COMM_WORLD);
    return text;
  }

  std::vector<std::string> of_all(std::string const& text) override {
    gather_up();
    int const own = length_of(text.size());
    std::vector<int> lengths(static_cast<std::size_t>(count_)), begins(lengths.size());
    MPI_Allgather(&own, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    length_of(std::accumulate(lengths.begin(), lengths.end(), std::size_t{}));
    std::partial_sum(lengths.begin(), lengths.end() - 1, begins.begin() + 1);
    std::string joined(static_cast<std::size_t>(begins.back() + lengths.back()), '\0');
    MPI_Allgatherv(text.data(), own, MPI_CHAR, joined.data(), lengths.data(), begins.data(), MPI_CHAR, MPI_COMM_WORLD);
    std::vector<std::string> all;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      all.push_back(joined.substr(static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(lengths[i])));
    return all;
  }

  double clock_offset() override {
    constexpr int attempts = 10;
    double offset = 0;
    gather_up();
    for (int other = 1; other < count_; ++other) {
      if (rank_ == 0) {
        for (int i = 0; i < attempts; ++i) {
          MPI_Recv(nullptr, 0, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          double const now = monotonic_now();
          MPI_Send(&now, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD);
        }
      } else if (rank_ == other) {
        double fastest = std::numeric_limits<double>::infinity();
        for (int i = 0; i < attempts; ++i) {
          double const asked = monotonic_now();
          double there = 0;
          MPI_Send(nullptr, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
          MPI_Recv(&there, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          double const answered = monotonic_now();
          if (answered - asked >= fastest) continue;
          fastest = answered - asked;
          offset = there - (asked + answered) / 2;
        }
      }
    }
    return offset;
  }

  bool moves_device_memory() const override {
    static bool const moves = takes_device_memory();
    return moves;
  }

  void exchange(Messages const& sends, Messages const& receives) override {
    std::vector<MPI_Request> requests(sends.size() + receives.size());
    auto* next = requests.data();
    for (Message const& m : receives) MPI_Irecv(m.data, units_of(m), unit_, m.rank, 0, MPI_COMM_WORLD, next++);
    for (Message const& m : sends) MPI_Isend(m.data, units_of(m), unit_, m.rank, 0, MPI_COMM_WORLD, next++);
    finish(std::move(requests));
  }

 private:
  /// Waits as MPI_Waitall does, but lets another rank have the core at once where they share it.
  void finish(std::vector<MPI_Request> requests) const {
    finish(std::move(requests), [] { std::this_thread::yield(); });
  }

  /// The same; `pause` is what this rank does between two looks.
  template <class Pause>
  void finish(std::vector<MPI_Request> requests, Pause const& pause) const {
    double const begin = monotonic_now();
    bool told = false;
    int done = 0;
    while (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), done == 0) {
      pause();
      if (told || monotonic_now() - begin < long_wait) continue;
      told = true;
      if (on_wait) on_wait(true);
    }
    if (told && on_wait) on_wait(false);
  }

  static int units_of(Message const& message) {
    if (message.bytes % message_unit != 0) throw std::logic_error("a message between ranks is of whole units");
    return length_of(message.bytes / message_unit);
  }

  /// Sleeps until all ranks are here.
  void gather_up() const {
    MPI_Request arrived;
    MPI_Ibarrier(MPI_COMM_WORLD, &arrived);
    finish({arrived}, [awake_until = std::chrono::steady_clock::now() + patience] {
      if (std::chrono::steady_clock::now() < awake_until)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(nap);
    });
  }

  int rank_ = 0, count_ = 1, local_rank_ = 0;
  MPI_Datatype unit_ = MPI_DATATYPE_NULL;  ///< of messages: their length may then be 32 GiB
};

}  // namespace

std::unique_ptr<Ranks> join_ranks() { return std::make_unique<MpiRanks>(); }

bool has_ranks() { return true; }

}  // namespace tilestride
