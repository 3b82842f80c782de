// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tilestride {

/// A program whose workers run cases: this one, or a sibling (another build of it).
struct Program {
  std::string name;                 ///< "tilestride-cuda"
  std::string path;                 ///< of the file; this program's own: "/proc/self/exe"
  std::vector<std::string> spaces;  ///< that it provides, according to its name
  bool is_own = false;
};

/// This program and its siblings. A sibling is a file `tilestride-SPACE`, SPACE being one of known_spaces(), or
/// `tilestride` for the host spaces, in the folder of this program, in ../libexec/tilestride beside that folder, or in
/// a folder that the environment variable TILESTRIDE_PROGRAMS names (separated by colons). No program is started.
class Programs {
 public:
  static Programs find();

  /// The program for a space; null when there is none.
  Program const* for_space(std::string const& space) const;
  Program const& own() const { return all_.front(); }
  std::vector<Program> const& all() const { return all_; }

  /// The spaces of all programs. The default is a device space, of this program or else of the last sibling that has
  /// one, or else this program's most capable.
  Build build() const;

 private:
  std::vector<Program> all_;  ///< the own one first
};

}  // namespace tilestride
