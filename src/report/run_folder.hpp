// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "process/messages.hpp"

namespace tilestride {

/// Where a run leaves what it found:
///   deck.toml    the resolved deck
///   cases.jsonl  what the run is (the header), what it runs on, and one line a finished case: flushed as it ends
///   worker.log   what Kokkos and the libraries had to say
///   result.json  the whole, at the end
///
/// Only one run at a time can use a folder: it is locked while this object exists. Errors are thrown as
/// std::runtime_error, with advice for the user.
class RunFolder {
 public:
  /// Makes the folder with its deck and header, or leaves nothing there; refuses one that holds a run, or a deck,
  /// already.
  static RunFolder create(std::filesystem::path const& path, std::string deck, Json const& header);

  /// Continues in the folder of an earlier run.
  static RunFolder resume(std::filesystem::path const& path);

  /// A new folder below results/: DECK-HOST-TIME, with a number where that is taken.
  static std::filesystem::path make_default(std::string const& deck_file, std::string const& host);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder(RunFolder const&) = delete;
  RunFolder& operator=(RunFolder const&) = delete;
  ~RunFolder();

  std::filesystem::path const& path() const { return path_; }
  std::filesystem::path deck() const { return path_ / "deck.toml"; }
  std::string const& deck_text() const { return deck_text_; }  ///< as it was when the folder was made or resumed
  std::filesystem::path cases() const { return path_ / "cases.jsonl"; }
  std::filesystem::path log() const { return path_ / "worker.log"; }
  std::filesystem::path document() const { return path_ / "result.json"; }

  /// Every line of cases.jsonl; one that is no JSON (half a line, left by a kill) is "discarded".
  std::vector<Json> lines() const;

  void append(Json const& line);
  void write_document(Json const& document) const;

 private:
  /// `flags`: of open(2), for cases.jsonl.
  RunFolder(std::filesystem::path path, std::string deck_text, int flags);
  std::filesystem::path path_;
  std::string deck_text_;
  int cases_ = -1;  ///< descriptor of cases.jsonl
};

}  // namespace tilestride
