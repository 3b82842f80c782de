// SPDX-License-Identifier: BSD-3-Clause
#include "report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "machine/host.hpp"
#include "model/text.hpp"
#include "model/units.hpp"

namespace tilestride {
namespace {

constexpr double between_lines = 0.2;  // seconds; a worker tells each sample, and writing takes time from it

/// Empty before the first case is done.
std::string time_left(Advance const& a) {
  if (a.planned_done <= 0) return "";
  double const left = std::max(1.0, a.took / a.planned_done * a.planned - a.elapsed);
  return fmt::format(" about {} left", left < 120 ? fmt::format("{:.0f} s", left) : short_time(left));
}

}  // namespace

std::string progress_line(Advance const& advance, std::string const& doing, std::size_t width) {
  std::string const line = fmt::format("[{}/{}]{}: {}", advance.done, advance.total, time_left(advance), doing);
  return fitted(line, width - 1);  // the last column would make some terminals go on to the next line
}

Progress::Progress(std::size_t total, double planned, bool live)
    : begin_(monotonic_now()), terminal_(terminal_of(STDERR_FILENO)), live_(live && terminal_.erases) {
  advance_.total = total;
  advance_.planned = planned;
}

Progress::~Progress() { make_way(); }

void Progress::finished(Result const& result, double planned) {
  ++advance_.done;
  advance_.planned_done += planned;
  advance_.took = monotonic_now() - begin_;
  if (result.outcome != Outcome::failed && result.outcome != Outcome::error) return;
  fmt::print(stderr, "{} {}: {}\n", painted(name_of(result.outcome), Ink::bad, terminal_.colour),
             result.planned->name(), printable(result.reason));
  std::fflush(stderr);
}

void Progress::at(Case const& c, char const* phase) {
  double const now = monotonic_now();
  if (!live_ || now - shown_ < between_lines) return;
  shown_ = now;
  advance_.elapsed = now - begin_;
  std::string const doing = fmt::format("{} {}", phase, c.name());
  fmt::print(stderr, "\r\033[K{}", progress_line(advance_, doing, terminal_of(STDERR_FILENO).width));
  std::fflush(stderr);
}

void Progress::make_way() const {
  if (!live_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

}  // namespace tilestride
