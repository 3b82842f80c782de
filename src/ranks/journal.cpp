// SPDX-License-Identifier: BSD-3-Clause
#include "ranks/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace tilestride {
namespace {

std::size_t size_of(std::string const& path) {
  std::error_code error;
  auto const bytes = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace

std::string journal_path(std::string const& folder, int rank) {
  return (std::filesystem::path(folder) / fmt::format("cases.rank-{}.jsonl", rank)).string();
}

Journal::Journal(std::string const& path)
    : descriptor_(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) throw std::runtime_error(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
  if (size_of(path) > 0) append("");  // ends half a line that a kill has left
}

Journal::~Journal() {
  if (descriptor_ >= 0) close(descriptor_);
}

Journal::Journal(Journal&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

void Journal::append(std::string line) const {
  line += '\n';
  for (std::size_t done = 0; done < line.size();) {
    ssize_t const n = write(descriptor_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      dprintf(STDERR_FILENO, "tilestride: the journal of a rank cannot be written: %s\n", std::strerror(errno));
      _exit(1);
    }
    done += static_cast<std::size_t>(n);
  }
}

JournalReader::JournalReader(std::string path) : path_(std::move(path)), position_(size_of(path_)) {}

std::vector<std::string> JournalReader::lines() {
  int const descriptor = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};  // not made yet
  char buffer[1 << 16];
  for (ssize_t n = 0; (n = pread(descriptor, buffer, sizeof buffer, static_cast<off_t>(position_))) > 0;) {
    unread_.append(buffer, static_cast<std::size_t>(n));
    position_ += static_cast<std::size_t>(n);
  }
  close(descriptor);
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = unread_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (end > begin) lines.push_back(unread_.substr(begin, end - begin));
  }
  unread_.erase(0, begin);
  return lines;
}

}  // namespace tilestride
