// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "model/result.hpp"

namespace tilestride {

/// Prints the progress of a run on stderr: on a terminal one line that is overwritten, elsewhere one line per case.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void finished(Result const& result);
  /// On a terminal: the current step of the worker.
  void at(Case const& c, char const* phase) const;
  /// Clears the terminal's line, so that something else can be printed.
  void make_way() const;

 private:
  void show(std::string const& text) const;

  std::size_t total_;
  std::size_t done_ = 0;
  double begin_;
  bool terminal_;
};

}  // namespace tilestride
