// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "report/json.hpp"

namespace tilestride {

/// Where a run leaves what it found:
///   deck.toml    the resolved deck
///   cases.jsonl  one line a finished case, flushed as it ends
///   worker.log   what Kokkos and the libraries had to say
///   result.json  the whole, at the end
class RunFolder {
 public:
  /// Makes the folder. Throws std::runtime_error, with what to do, when it holds results already or cannot be written.
  static RunFolder create(std::filesystem::path const& path, std::string const& resolved_deck);

  /// Goes on in a folder that a run has left. Throws std::runtime_error when it is none.
  static RunFolder resume(std::filesystem::path const& path);

  /// The default: results/DECK-HOST-TIME.
  static std::filesystem::path default_path(std::string const& deck_file, std::string const& host);

  std::filesystem::path deck() const { return path_ / "deck.toml"; }
  std::filesystem::path log() const { return path_ / "worker.log"; }
  std::filesystem::path document() const { return path_ / "result.json"; }

  /// The finished cases of an earlier try, the last line of each; half a line at the end is dropped.
  std::vector<Result> finished(Plan const& plan) const;

  void append(Json const& line);
  void write_document(Json const& document) const;

 private:
  explicit RunFolder(std::filesystem::path path);
  std::filesystem::path path_;
  std::ofstream cases_;
};

}  // namespace tilestride
