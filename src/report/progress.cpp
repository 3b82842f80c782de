// SPDX-License-Identifier: BSD-3-Clause
#include "report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "machine/host.hpp"
#include "model/units.hpp"

namespace tilestride {

Progress::Progress(std::size_t total) : total_(total), begin_(monotonic_now()), terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { make_way(); }

void Progress::finished(Result const& result) {
  ++done_;
  std::string const text = fmt::format("{} {}", name_of(result.outcome), result.planned->name());
  if (terminal_)
    show(text);
  else
    fmt::print(stderr, "[{}/{}] {}\n", done_, total_, text);
  std::fflush(stderr);
}

void Progress::at(Case const& c, char const* phase) const {
  if (terminal_) show(fmt::format("{} {}", phase, c.name()));
}

void Progress::show(std::string const& text) const {
  double const elapsed = monotonic_now() - begin_;
  std::string const left = done_ == 0 ? ""
                                      : fmt::format(", about {} left", short_time(elapsed / static_cast<double>(done_) *
                                                                                  static_cast<double>(total_ - done_)));
  fmt::print(stderr, "\r\033[K[{}/{}] {:.90}{}", done_, total_, text, left);
  std::fflush(stderr);
}

void Progress::make_way() const {
  if (!terminal_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace tilestride
