// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/journal.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "scratch_folder.hpp"

namespace tilestride {
namespace {

using Lines = std::vector<std::string>;

class JournalTest : public testing::Test {
 protected:
  void add(std::string const& text) const { std::ofstream(path_, std::ios::app) << text; }
  std::string text() const {
    std::ifstream stream(path_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  ScratchFolder folder_;
  std::string path_ = folder_.path("cases.rank-7.jsonl");
};

TEST_F(JournalTest, HasItsNameFromTheRank) { EXPECT_EQ(journal_path("run", 12), "run/cases.rank-12.jsonl"); }

TEST_F(JournalTest, IsReadWhileItGrows) {
  JournalReader reader(path_);
  EXPECT_EQ(reader.lines(), Lines{});  // not made yet
  Journal const journal(path_);
  journal.append("one");
  journal.append("two");
  EXPECT_EQ(reader.lines(), (Lines{"one", "two"}));
  EXPECT_EQ(reader.lines(), Lines{});
  journal.append(std::string(1 << 20, 'x'));
  EXPECT_EQ(reader.lines(), Lines{std::string(1 << 20, 'x')});
}

TEST_F(JournalTest, HalfALineIsNoneYet) {
  JournalReader reader(path_);
  add("one\ntw");
  EXPECT_EQ(reader.lines(), Lines{"one"});
  add("o");
  EXPECT_EQ(reader.lines(), Lines{});
  add("\nthree\n\n");
  EXPECT_EQ(reader.lines(), (Lines{"two", "three"}));
}

TEST_F(JournalTest, AReaderBeginsWhereTheJournalEnds) {
  add("of the launch before\n");
  JournalReader reader(path_);
  Journal(path_).append("new");
  EXPECT_EQ(reader.lines(), Lines{"new"});
}

TEST_F(JournalTest, HalfALineOfAKilledProcessMixesWithNoOther) {
  add("{\"kind\": \"ca");
  JournalReader reader(path_);
  Journal(path_).append("new");
  EXPECT_EQ(text(), "{\"kind\": \"ca\nnew\n");
  EXPECT_EQ(reader.lines(), Lines{"new"});
}

TEST_F(JournalTest, TwoProcessesAppend) {
  Journal const first(path_), second(path_);
  first.append("1");
  second.append("2");
  first.append("3");
  EXPECT_EQ(text(), "1\n2\n3\n");
}

TEST_F(JournalTest, OneThatCannotBeWrittenIsRefused) {
  EXPECT_THROW(Journal(folder_.path("no/such/folder.jsonl")), std::runtime_error);
}

TEST_F(JournalTest, AProcessEndsThatNobodyCanRead) {
  Journal const full("/dev/full");
  EXPECT_EXIT(full.append("a line"), testing::ExitedWithCode(1), "cannot be written");
}

}  // namespace
}  // namespace tilestride
