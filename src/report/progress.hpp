// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "model/result.hpp"

namespace tilestride {

/// Tells on stderr how far a run is: one line that is written over on a terminal, one line a case elsewhere.
class Progress {
 public:
  explicit Progress(std::size_t total);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void finished(Result const& result);
  /// On a terminal: what the worker is at.
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
