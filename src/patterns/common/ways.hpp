// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The portable ways of messages from rank to rank.

#include "model/units.hpp"
#include "patterns/common/collective.hpp"
#include "patterns/common/transport.hpp"
#include "portable/host_device.hpp"

namespace tilestride {

/// MPI takes the memory of the execution space as it is.
struct ByMpi {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    if (!is_host<Exec> && !ranks.moves_device_memory())
      return {Skip{SkipReason::not_in_library, "this MPI says of no device that it takes its memory"}};
    return {{}, [&ranks](Messages const& sends, Messages const& receives) { ranks.exchange(sends, receives); }};
  }
};

/// By way of the host, chunk by chunk: while MPI sends one, the next leaves the device and the last one enters it.
/// Where the space is a host, each chunk is copied all the same.
struct Staged {
  static constexpr std::size_t chunk = std::size_t{4} << 20;  ///< bytes of a message at a time

  template <class Exec>
  static Transport open(Exec const& exec, Ranks& ranks) {
    auto const stage = std::make_shared<Stage<Exec>>(exec, ranks);
    return {{},
            [stage](Messages const& sends, Messages const& receives) { stage->exchange(sends, receives); },
            {{"chunk", short_bytes(static_cast<double>(chunk))}}};
  }

 private:
  template <class Exec>
  static Exec beside(Exec const& exec) {
    if constexpr (is_host<Exec>)
      return exec;
    else
      return instance_beside(exec);
  }

  /// Two chunks of every message, so that one is sent while another is copied.
  template <class Exec>
  class Stage {
   public:
    using OnHost = PinnedArray<Exec, char>;

    Stage(Exec const& exec, Ranks& ranks) : leaving_(beside(exec)), entering_(beside(exec)), ranks_(ranks) {}

    void exchange(Messages const& sends, Messages const& receives) {
      make_room(sent_, sends.size());
      make_room(received_, receives.size());
      std::size_t const chunks = std::max(chunks_of(sends), chunks_of(receives));
      leave(sends, 0);
      for (std::size_t k = 0; k < chunks; ++k) {
        leaving_.fence("tilestride::staged::leave");
        Messages const out = on_host(sends, sent_, k), in = on_host(receives, received_, k);
        leave(sends, k + 1);
        ranks_.exchange(out, in);
        entering_.fence("tilestride::staged::enter");  // chunk k - 1, whose place chunk k + 1 takes
        enter(receives, k);
      }
      entering_.fence("tilestride::staged::enter");
    }

   private:
    static void make_room(std::vector<OnHost>& buffers, std::size_t messages) {
      while (buffers.size() < messages)
        buffers.push_back(uninitialized<OnHost>("tilestride::staged", std::int64_t(2 * chunk)));
    }

    static std::size_t chunks_of(Messages const& messages) {
      std::size_t most = 0;
      for (Message const& m : messages) most = std::max(most, (m.bytes + chunk - 1) / chunk);
      return most;
    }

    /// Bytes of chunk k of a message: 0 past its end.
    static std::size_t length(Message const& m, std::size_t k) {
      return m.bytes <= k * chunk ? 0 : std::min(chunk, m.bytes - k * chunk);
    }
    static char* on_space(Message const& m, std::size_t k) { return static_cast<char*>(m.data) + k * chunk; }
    static char* staged(OnHost const& buffer, std::size_t k) { return buffer.data() + k % 2 * chunk; }

    static Messages on_host(Messages const& messages, std::vector<OnHost> const& buffers, std::size_t k) {
      Messages chunks;
      for (std::size_t i = 0; i < messages.size(); ++i) {
        if (std::size_t const bytes = length(messages[i], k); bytes > 0)
          chunks.push_back({messages[i].rank, staged(buffers[i], k), bytes});
      }
      return chunks;
    }

    using Host = Window<PinnedSpace<Exec>, char>;
    using OnSpace = Window<typename Exec::memory_space, char>;

    void leave(Messages const& sends, std::size_t k) const {
      for (std::size_t i = 0; i < sends.size(); ++i) {
        if (std::size_t const bytes = length(sends[i], k); bytes > 0)
          Kokkos::deep_copy(leaving_, Host(staged(sent_[i], k), bytes), OnSpace(on_space(sends[i], k), bytes));
      }
    }

    void enter(Messages const& receives, std::size_t k) const {
      for (std::size_t i = 0; i < receives.size(); ++i) {
        if (std::size_t const bytes = length(receives[i], k); bytes > 0)
          Kokkos::deep_copy(entering_, OnSpace(on_space(receives[i], k), bytes), Host(staged(received_[i], k), bytes));
      }
    }

    Exec leaving_, entering_;
    Ranks& ranks_;
    std::vector<OnHost> sent_, received_;
  };
};

}  // namespace tilestride
