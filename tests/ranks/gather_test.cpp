// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/gather.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "ranks/journal.hpp"
#include "ranks/made_up_ranks.hpp"

namespace tilestride {
namespace {

class Gather : public testing::Test {
 protected:
  void add(int rank, std::string const& text) const {
    std::ofstream(journal_path(folder_.path(""), rank), std::ios::app) << text;
  }
  void add(int rank, Json const& json) const { add(rank, to_line(json) + "\n"); }

  /// The first messages of a launch.
  void start(int rank, std::string const& launch, std::string const& program = "tilestride",
             std::string const& uuid = "") const {
    add(rank, Json{{"kind", "hello"}, {"program", program}, {"build", {{"version", "1"}}}});
    add(rank, Json{{"kind", "rank"},
                   {"rank", rank},
                   {"ranks", 2},
                   {"launch", launch},
                   {"host", "node" + std::to_string(rank)},
                   {"pid", 100 + rank},
                   {"cpus", "0"},
                   {"sha256", "a sum"}});
    Json spaces{{"serial: device", "a CPU of " + program}};
    if (!uuid.empty()) spaces["cuda: uuid"] = uuid;
    add(rank, Json{{"kind", "machine"}, {"spaces", spaces}, {"environment", Json::object()}});
  }
  Json line(int rank, std::size_t i, double seconds) const {
    Result const result = passed(plan_.cases[i], std::vector<double>(3, seconds));
    return rank == 0 ? to_json(result) : to_short_json(result);
  }
  Gathered gathered(std::size_t count = 2, bool redact = false) const {
    return gather_journals(folder_.path(""), count, plan_, index_cases(plan_), redact);
  }

  ScratchFolder folder_;
  Plan plan_ = made_up_plan(
      "[[case]]\npattern = \"transpose\"\nvariant = [\"copy\", \"row_read\"]\nshape = \"8x8\"\n"
      "[[case]]\npattern = \"matmul\"\nvariant = \"simple\"\n");
};

TEST_F(Gather, MergesWhatTheRanksWrote) {
  for (int const rank : {0, 1}) {
    start(rank, "1.000", "tilestride", "GPU-" + std::to_string(rank));
    add(rank, Json{{"kind", "step"}, {"case", "x"}, {"phase", "sampling"}, {"limit", 1}});
    for (std::size_t i = 0; i < 3; ++i) add(rank, line(rank, i, 1.0 + rank + static_cast<double>(i)));
    add(rank, Json{{"kind", "ended"}, {"status", 0}, {"at", 2.5}});
  }
  Gathered const all = gathered();
  ASSERT_EQ(all.results.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    Result const& result = all.results.at(i);
    double const first = 1.0 + static_cast<double>(i);
    EXPECT_EQ(result.planned, &plan_.cases[i]);
    EXPECT_EQ(result.program, "tilestride");
    EXPECT_EQ(result.ranks->seconds, (std::vector<double>{first, first + 1}));
    EXPECT_EQ(result.samples, std::vector<double>(3, first + 0.5));
  }
  EXPECT_EQ(all.ranks.at(1).host, "node1");
  EXPECT_EQ(all.ranks.at(1).uuid, "GPU-1");
  EXPECT_EQ(all.ranks.at(1).pid, 101);
  EXPECT_EQ(text_of(all.hellos.at("tilestride"), "kind"), "hello");
  EXPECT_EQ(all.machines.at("tilestride").at("spaces").at("serial: device"), "a CPU of tilestride");
}

TEST_F(Gather, TheLastLaunchCountsThatAllRanksFinished) {
  for (int const rank : {0, 1}) {
    start(rank, "1.000");
    add(rank, line(rank, 0, 1));
    add(rank, line(rank, 1, 1));
    start(rank, "2.000");
    add(rank, line(rank, 0, 2));
    if (rank == 0) add(rank, line(rank, 1, 2));  // rank 1 died
    if (rank == 1) add(rank, line(rank, 2, 3));
  }
  Gathered const all = gathered();
  EXPECT_EQ(all.results.at(0).ranks->seconds, (std::vector<double>{2, 2}));
  EXPECT_EQ(all.results.at(1).ranks->seconds, (std::vector<double>{1, 1}));
  EXPECT_EQ(all.results.at(2).outcome, Outcome::not_run);
  EXPECT_EQ(all.results.at(2).reason, "rank 0 (node0) of 2 ended before it was done");
}

TEST_F(Gather, LeavesOutWhatItCannotRead) {
  for (int const rank : {0, 1}) {
    start(rank, "1.000");
    add(rank, line(rank, 0, 1));
    std::string const whole = to_line(line(rank, 1, 1));
    add(rank, rank == 0 ? whole + "\n" : whole.substr(0, whole.size() / 2) + "\n");  // a kill left half of it
    Json unknown = line(rank, 2, 1);
    unknown["name"] = "of another plan";
    add(rank, unknown);
    add(rank, std::string("no JSON\n\n[]\n{\"kind\": 7}\n{\"kind\": \"machine\"}\n"));
    add(rank, to_line(line(rank, 2, 1)));  // without its end
  }
  Gathered const all = gathered();
  EXPECT_EQ(all.results.at(0).outcome, Outcome::passed);
  EXPECT_EQ(all.results.at(1).outcome, Outcome::not_run);
  EXPECT_EQ(all.results.at(1).reason, "rank 1 (node1) of 2 ended before it was done");
  EXPECT_EQ(all.results.count(2), 0u);
}

TEST_F(Gather, ARankWithoutAJournalHasEndedBefore) {
  start(0, "1.000");
  add(0, line(0, 0, 1));
  Gathered const all = gathered(3);
  EXPECT_EQ(all.ranks.size(), 3u);
  EXPECT_EQ(all.results.at(0).outcome, Outcome::not_run);
  EXPECT_TRUE(gather_journals(folder_.path("nowhere"), 2, plan_, index_cases(plan_), false).results.empty());
}

TEST_F(Gather, EachProgramHasItsCases) {
  for (int const rank : {0, 1}) {
    start(rank, "1.000", "tilestride-cuda", "GPU-" + std::to_string(rank));
    add(rank, line(rank, 0, 1));
    start(rank, "2.000", "tilestride");
    add(rank, line(rank, 2, 1));
  }
  Gathered const all = gathered();
  EXPECT_EQ(all.results.at(0).program, "tilestride-cuda");
  EXPECT_EQ(all.results.at(2).program, "tilestride");
  EXPECT_EQ(all.hellos.size(), 2u);
  EXPECT_EQ(all.machines.at("tilestride-cuda").at("spaces").at("serial: device"), "a CPU of tilestride-cuda");
  EXPECT_EQ(all.ranks.at(1).uuid, "GPU-1");
}

TEST_F(Gather, RedactedReasonsNameNoHost) {
  for (int const rank : {0, 1}) start(rank, "1.000", "tilestride", "GPU-" + std::to_string(rank));
  add(0, line(0, 0, 1));
  EXPECT_EQ(gathered().results.at(0).reason, "rank 1 (node1, GPU-1) of 2 ended before it was done");
  EXPECT_EQ(gathered(2, true).results.at(0).reason, "rank 1 (host 1, hidden) of 2 ended before it was done");
}

TEST_F(Gather, RanksThatTookTurnsHaveNoRateTogether) {
  for (int const rank : {0, 1}) {
    start(rank, "1.000");
    Json timed = line(rank, 0, 1);
    timed["begins"] = {0.0, 2.0, 4.0};
    timed["ends"] = {1.0, 3.0, 5.0};
    add(rank, timed);
  }
  EXPECT_DOUBLE_EQ(gathered().results.at(0).ranks->together, 2e9);
  plan_.run.one_by_one = true;
  EXPECT_EQ(gathered().results.at(0).ranks->together, 0);
}

}  // namespace
}  // namespace tilestride
