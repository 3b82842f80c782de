// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <thread>

#include "faults.hpp"
#include "patterns/exchange/problem.hpp"
#include "patterns/halo/by_message.hpp"

namespace tilestride::exchange {
Pattern pattern();
}
namespace tilestride::halo {
Pattern pattern();
}

namespace tilestride::faults {
namespace {

using Call = std::function<void(Ranks& ranks, Messages const& sends, Messages const& receives)>;

/// MPI, but for what `call` does on the rank that goes wrong.
Transport on_one_rank(Ranks& ranks, Call const& call) {
  return {{}, [&ranks, call](Messages const& sends, Messages const& receives) {
            if (goes_wrong_here())
              call(ranks, sends, receives);
            else
              ranks.exchange(sends, receives);
          }};
}

/// The last bit of each message is wrong. (What is sent itself stays as it is: an input that changes is found
/// elsewhere.)
struct WrongBit {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    return on_one_rank(ranks, [](Ranks& all, Messages const& sends, Messages const& receives) {
      std::vector<std::vector<char>> copies;
      Messages wrong;
      for (Message const& m : sends) {
        char const* const bytes = static_cast<char const*>(m.data);
        copies.emplace_back(bytes, bytes + m.bytes);
        copies.back().back() ^= 1;
        wrong.push_back({m.rank, copies.back().data(), m.bytes});
      }
      all.exchange(wrong, receives);
    });
  }
};

/// Each of the others gets what another one should.
struct WrongReceiver {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    return on_one_rank(ranks, [](Ranks& all, Messages sends, Messages const& receives) {
      std::vector<void*> data;
      for (Message const& m : sends) data.push_back(m.data);
      for (std::size_t i = 0; i < sends.size(); ++i) sends[i].data = data[(i + 1) % sends.size()];
      all.exchange(sends, receives);
    });
  }
};

/// A byte past the end of what arrives.
struct PastEnd {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    return on_one_rank(ranks, [](Ranks& all, Messages const& sends, Messages const& receives) {
      all.exchange(sends, receives);
      Message const& last = receives.back();
      static_cast<char*>(last.data)[last.bytes] ^= 1;
    });
  }
};

/// No rank sends after the first call.
struct Silent {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    auto const calls = std::make_shared<int>();
    return {{}, [&ranks, calls](Messages const& sends, Messages const& receives) {
              if ((*calls)++ == 0) ranks.exchange(sends, receives);
            }};
  }
};

/// A message leaves after 40 ms, and after 120 ms on that rank.
struct SlowLink {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    return {{}, [&ranks](Messages const& sends, Messages const& receives) {
              if (!sends.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(goes_wrong_here() ? 120 : 40));
              ranks.exchange(sends, receives);
            }};
  }
};

/// Never comes to the exchange.
struct Hangs {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    return on_one_rank(
        ranks, [](Ranks&, Messages const&, Messages const&) { std::this_thread::sleep_for(std::chrono::hours(1)); });
  }
};

/// What it owes the others is not sent: all wait, and none hangs.
struct Unsent {
  template <class Exec>
  static Transport open(Exec const&, Ranks& ranks) {
    return on_one_rank(ranks,
                       [](Ranks& all, Messages const&, Messages const& receives) { all.exchange({}, receives); });
  }
};

}  // namespace

Pattern exchange_pattern() {
  Pattern p = exchange::pattern();
  p.name = "exchange_faults";
  p.meaning = "messages that go wrong";
  p.variants = {
      portable("sound", "right", exchange::prepare_by<ByMpi>),
      portable("wrong_bit", "the last bit of each message is wrong", exchange::prepare_by<WrongBit>),
      portable("wrong_receiver", "messages go to other ranks", exchange::prepare_by<WrongReceiver>),
      portable("past_end", "one byte too many arrives", exchange::prepare_by<PastEnd>),
      portable("silent", "sends only the first time", exchange::prepare_by<Silent>),
      portable("slow_link", "right, and one rank sends late", exchange::prepare_by<SlowLink>),
      portable("hangs", "never ends", exchange::prepare_by<Hangs>),
      portable("unsent", "sends nothing", exchange::prepare_by<Unsent>),
  };
  return p;
}

Pattern halo_pattern() {
  Pattern p = halo::pattern();
  p.name = "halo_faults";
  p.meaning = "rows of neighbours that go wrong";
  p.variants = {
      portable("sound", "right", halo::by<ByMpi>),
      portable("wrong_bit", "the last bit of each row is wrong", halo::by<WrongBit>),
      portable("silent", "sends only the first time", halo::by<Silent>),
      portable("silent_overlapped", "likewise", halo::by<Silent, true>),
  };
  return p;
}

}  // namespace tilestride::faults
