// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilestride {

/// The file of a rank's messages, one per line, in a run's folder: what it does and what it has measured. The front
/// reads it while it grows; what a rank has finished stands there whatever becomes of it.
std::string journal_path(std::string const& folder, int rank);

/// The end of a journal at which one process appends.
class Journal {
 public:
  /// Throws std::runtime_error when the file cannot be opened.
  explicit Journal(std::string const& path);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal(Journal const&) = delete;
  Journal& operator=(Journal const&) = delete;

  /// A line, without its end. Lines of several processes do not mix. Ends the process when it cannot be written: what
  /// nobody can read need not be measured.
  void append(std::string line) const;

 private:
  int descriptor_;
};

/// Reads what is appended to a journal after this object was made. The file is opened for each look: a thousand ranks
/// have more journals than a process may have files, and file systems of clusters bring it up to date then.
class JournalReader {
 public:
  explicit JournalReader(std::string path);

  /// The whole lines since the last call.
  std::vector<std::string> lines();

 private:
  std::string path_, unread_;
  std::size_t position_ = 0;  ///< bytes that are read
};

}  // namespace tilestride
