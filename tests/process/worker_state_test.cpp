// SPDX-License-Identifier: BSD-3-Clause
#include "process/worker_state.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "measure/phase.hpp"
#include "process/messages.hpp"
#include "scratch_folder.hpp"

namespace tilestride {
namespace {

constexpr int exited_with_3 = 3 << 8;  // as waitpid(2) tells it

std::string const hello =
    R"({"kind":"hello","protocol":)" + std::to_string(protocol_version) + R"(,"git revision":"x","build":{}})";
std::string step(std::string const& name, std::string const& phase, double limit) {
  return to_line({{"kind", "step"}, {"case", name}, {"phase", phase}, {"limit", limit}});
}

class WorkerStateTest : public testing::Test {
 protected:
  void take(std::string const& line) {
    state_.take(line, [&](std::string const& kind, Json const&) {
      kinds_.push_back(kind);
      return kind != "strange";
    });
  }
  WorkerState state_{20};
  std::vector<std::string> kinds_;
};

TEST_F(WorkerStateTest, HangsWithoutAHello) {
  EXPECT_TRUE(state_.may_hang());
  state_.wait(19);
  EXPECT_TRUE(state_.in_order());
  state_.wait(21);
  EXPECT_FALSE(state_.in_order());
  EXPECT_EQ(state_.why_not_started(0, ""), "no answer within 20.0 s");
}

TEST_F(WorkerStateTest, WaitsForACommandAsLongAsItTakes) {
  take(hello);
  EXPECT_TRUE(state_.greeted());
  EXPECT_FALSE(state_.may_hang());
  EXPECT_EQ(state_.announced(), 0);
  state_.wait(1e6);
  EXPECT_TRUE(state_.in_order());
}

TEST_F(WorkerStateTest, AStepHasTheLimitThatItAnnounces) {
  take(hello);
  take(step("a/case", "sampling", 5));
  EXPECT_TRUE(state_.may_hang());
  state_.wait(4.9);
  EXPECT_EQ(state_.hang(), "");
  state_.wait(5.1);
  EXPECT_NE(state_.hang().find("sampling took longer than 5.0"), std::string::npos) << state_.hang();
  EXPECT_EQ(state_.what_happened(0, ""), "hung: " + state_.hang() + "; the worker was killed");
}

TEST_F(WorkerStateTest, AStepWithoutACaseKeepsTheOneBefore) {
  take(hello);
  take(step("a/case", "sampling", 5));
  take(step("", "waiting", no_limit));
  EXPECT_EQ(state_.case_name(), "a/case");
  EXPECT_EQ(state_.phase(), "waiting");
  EXPECT_FALSE(state_.may_hang());
  EXPECT_EQ(state_.announced(), 5);
  take(step("a/case", "sampling", 5));
  EXPECT_TRUE(state_.may_hang());
}

TEST_F(WorkerStateTest, RefusesWhatIsNoWorker) {
  for (std::string const& line :
       {std::string("Hello, world"), std::string("[]"), std::string(R"({"kind":"case"})"),
        std::string(R"({"kind":"hello"})"), std::string(R"({"kind":"hello","protocol":-1})")}) {
    WorkerState state(20);
    state.take(line, [](std::string const&, Json const&) { return true; });
    EXPECT_FALSE(state.refusal().empty()) << line;
    EXPECT_FALSE(state.greeted()) << line;
  }
}

TEST_F(WorkerStateTest, WhatHasNoMeaningEndsTheConversation) {
  for (std::string const& line : {std::string(R"({"kind":"strange"})"), std::string(R"({"kind":"step"})")}) {
    state_ = WorkerState(20);
    kinds_.clear();
    take(hello);
    take(line);
    EXPECT_EQ(state_.nonsense(), line);
    EXPECT_FALSE(state_.in_order());
    take(step("later", "sampling", 5));
    EXPECT_EQ(state_.case_name(), "");
  }
}

TEST_F(WorkerStateTest, AWorkerWithoutADeviceSaysWhy) {
  take(hello);
  take(R"({"kind":"unavailable","reason":"no GPU"})");
  EXPECT_EQ(state_.refusal(), "no GPU");
}

TEST_F(WorkerStateTest, TellsHowItEndedWithItsLastWords) {
  ScratchFolder const folder;
  std::string const log = folder.path("worker.log");
  begin_log(log, "tilestride");
  EXPECT_EQ(last_words(log), "");
  std::ofstream(log, std::ios::app) << "of the first\n";
  begin_log(log, "tilestride");
  EXPECT_EQ(last_words(log), "");  // of the last worker alone
  std::ofstream(log, std::ios::app) << "----------\nout of\nmemory\n----------\n\n[0x123]\n";
  EXPECT_EQ(last_words(log), "memory");
  take(hello);
  take(step("a", "verifying", 5));
  EXPECT_EQ(state_.what_happened(exited_with_3, log),
            "worker ended with status 3 while verifying; its last words: memory");
  EXPECT_EQ(state_.what_happened(SIGKILL, "").rfind("worker died, signal 9", 0), 0u);
  EXPECT_EQ(state_.how_it_vanished(""), "vanished while verifying");
  EXPECT_EQ(state_.how_it_vanished(log), "vanished while verifying; its last words: memory");
}

}  // namespace
}  // namespace tilestride
