// SPDX-License-Identifier: BSD-3-Clause
#include "report/ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/text.hpp"

namespace tilestride {
namespace {

/// As a shell reads it: in quotes where it has to be. A name that begins with a dash is no option.
std::string shell_word(std::string word) {
  if (word.rfind('-', 0) == 0) word = "./" + word;
  bool const plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string("/._-+=:@,").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (char const c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

RuleTally tally(std::vector<Verdict> const& verdicts) {
  RuleTally tally;
  for (Verdict const& verdict : verdicts) {
    switch (verdict.judgement) {
      case Judgement::met: ++tally.met; break;
      case Judgement::within_noise: ++tally.within_noise; break;
      case Judgement::not_met: ++tally.not_met; break;
      case Judgement::skipped: break;
    }
  }
  return tally;
}

std::string status_line(std::string const& word, Tally const& cases, RuleTally const& rules) {
  return fmt::format(
      "RUN STATUS: {} passed={} failed={} errors={} skipped={} not_run={} rules_met={} rules_within_noise={} "
      "rules_not_met={}",
      word, cases.passed, cases.failed, cases.errors, cases.skipped, cases.not_run, rules.met, rules.within_noise,
      rules.not_met);
}

std::string next_steps(std::string const& document) {
  std::string const word = printable(shell_word(document));
  return fmt::format(
      "as a page to read:  scripts/report.sh {}\n"
      "beside another run: tilestride compare {} --to REFERENCE\n",
      word, word);
}

}  // namespace tilestride
