// SPDX-License-Identifier: BSD-3-Clause
#include "report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "deck/units.hpp"
#include "harness/machine.hpp"

namespace tilestride {

Progress::Progress(std::size_t total) : total_(total), begin_(monotonic_now()), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { make_way(); }

void Progress::finished(Result const& result) {
  ++done_;
  double const elapsed = monotonic_now() - begin_;
  double const left = elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  std::string const line = fmt::format("[{}/{}] {} {}", done_, total_, name_of(result.outcome), result.planned->name());
  if (terminal_)
    fmt::print(stderr, "\r\033[K{:.100}, about {} left", line, short_time(left));
  else
    fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
}

void Progress::make_way() const {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace tilestride
