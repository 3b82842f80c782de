// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

#include "model/result.hpp"
#include "report/terminal.hpp"

namespace tilestride {

/// How far a run has come.
struct Advance {
  std::size_t done = 0, total = 0;  ///< cases
  double planned_done = 0;          ///< seconds that the plan expected for the cases that are done
  double took = 0;                  ///< seconds that these took
  double planned = 0;               ///< that the plan expected for all
  double elapsed = 0;               ///< seconds until now
};

/// "[3/48] about 12 s left: sampling transpose/…", cut to be narrower than a terminal of `width` columns. A case that
/// is to come is expected to take what the plan says, times what it said too little so far.
std::string progress_line(Advance const& advance, std::string const& doing, std::size_t width);

/// Tells on stderr how a run goes: on a terminal by one line that is overwritten, and gone at the end. Cases that fail
/// are told at once, everywhere.
class Progress {
 public:
  /// `planned`: seconds, of all cases. `live`: the overwritten line, where the terminal can do that.
  Progress(std::size_t total, double planned, bool live);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  void finished(Result const& result, double planned);
  /// The current step of the worker.
  void at(Case const& c, char const* phase);
  /// Clears the line, so that something else can be printed.
  void make_way() const;

 private:
  Advance advance_;
  double begin_, shown_ = 0;
  Terminal terminal_;
  bool live_;
};

}  // namespace tilestride
