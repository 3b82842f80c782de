// SPDX-License-Identifier: BSD-3-Clause

// A launcher and what it starts: when it is to end, nothing is left of them.

#include "process/worker_process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

namespace tilestride {
namespace {

/// The lines that a script prints, until there are so many.
std::vector<std::string> lines_of(WorkerProcess& process, std::size_t count) {
  std::vector<std::string> lines;
  for (bool closed = false; lines.size() < count && !closed;) {
    for (std::string const& line : process.exchange(1000, closed)) lines.push_back(line);
  }
  return lines;
}

/// It runs, or waits for something; what has ended and was not looked after counts as gone.
bool is_alive(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  return std::getline(stat, text) && text.substr(text.rfind(')') + 2, 1) != "Z";
}

bool is_gone_soon(pid_t pid) {
  for (int look = 0; look < 100 && is_alive(pid); ++look) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return !is_alive(pid);
}

WorkerProcess script(std::string const& text) { return {"/bin/sh", {"sh", "-c", text}, "", false, true}; }

TEST(LauncherProcess, EndsWithWhatAScriptStarted) {
  auto process = script("sleep 1000 & echo $!; wait");
  pid_t const started = std::stoi(lines_of(process, 1).at(0));
  EXPECT_TRUE(is_alive(started));
  EXPECT_FALSE(process.has_ended());
  process.end_now();
  EXPECT_TRUE(process.has_ended());
  EXPECT_TRUE(is_gone_soon(started));
}

TEST(LauncherProcess, IsKilledWithTheOthersWhenItDoesNotEnd) {
  auto process = script("trap '' TERM; sleep 1000 & echo $!; wait; wait");
  pid_t const started = std::stoi(lines_of(process, 1).at(0));
  process.end_now();  // waits for some seconds
  EXPECT_TRUE(is_gone_soon(started));
  EXPECT_TRUE(WIFSIGNALED(process.wait()));
}

TEST(LauncherProcess, HasEndedAlthoughAnotherHasItsOutput) {
  auto process = script("sleep 1000 & echo $!; exit 5");
  pid_t const started = std::stoi(lines_of(process, 1).at(0));
  while (!process.has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(WEXITSTATUS(process.wait()), 5);
  EXPECT_TRUE(is_alive(started));
  process.end_now();
  EXPECT_TRUE(is_gone_soon(started));
}

TEST(LauncherProcess, RunsOnWhenItHasClosedItsOutput) {
  auto process = script("exec >/dev/null; sleep 1000");
  bool closed = false;
  while (!closed) process.exchange(1000, closed);
  EXPECT_FALSE(process.has_ended());
  process.end_now();
  EXPECT_TRUE(process.has_ended());
}

}  // namespace
}  // namespace tilestride
