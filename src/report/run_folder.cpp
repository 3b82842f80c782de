// SPDX-License-Identifier: BSD-3-Clause
#include "report/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "machine/host.hpp"

namespace tilestride {

namespace fs = std::filesystem;

namespace {

void make_folder(fs::path const& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw std::runtime_error(fmt::format("{} cannot be made: {}", path.string(), error.message()));
}

[[noreturn]] void refuse_write(fs::path const& file, std::string const& reason) {
  throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), reason));
}

/// The whole text or nothing: a kill leaves the old file or the new one.
void write_whole(fs::path const& file, std::string const& text) {
  fs::path const draft = file.string() + ".tmp";
  std::ofstream stream(draft);
  stream << text;
  stream.close();
  std::error_code error(errno, std::generic_category());
  if (stream) fs::rename(draft, file, error);
  if (stream && !error) return;
  std::error_code ignored;
  fs::remove(draft, ignored);
  refuse_write(file, error.message());
}

std::string text_of(fs::path const& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

RunFolder::RunFolder(fs::path path, std::string deck_text, int flags)
    : path_(std::move(path)), deck_text_(std::move(deck_text)) {
  cases_ = open(cases().c_str(), O_RDWR | O_APPEND | O_CLOEXEC | flags, 0644);
  if (cases_ < 0) refuse_write(cases(), std::strerror(errno));
  if (flock(cases_, LOCK_EX | LOCK_NB) != 0) {
    close(cases_);
    throw std::runtime_error(fmt::format("another run is writing to {}", path_.string()));
  }
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), deck_text_(std::move(other.deck_text_)), cases_(std::exchange(other.cases_, -1)) {}

RunFolder::~RunFolder() {
  if (cases_ >= 0) close(cases_);
}

RunFolder RunFolder::create(fs::path const& path, std::string deck, Json const& header) {
  std::error_code error;
  for (char const* name : {"cases.jsonl", "result.json"}) {
    if (fs::exists(path / name, error))
      throw std::runtime_error(fmt::format(
          "{} holds results already; name another folder with -o, or go on there with --resume", path.string()));
  }
  if (fs::exists(path / "deck.toml", error))
    throw std::runtime_error(
        fmt::format("{} holds a deck.toml, which a run would overwrite; name another folder with -o", path.string()));
  make_folder(path);
  RunFolder folder(path, std::move(deck), O_CREAT);
  try {
    write_whole(folder.deck(), folder.deck_text());
    folder.append(header);
  } catch (std::exception const&) {  // the disk is full, perhaps: then the same command works when it no longer is
    for (fs::path const& made : {folder.deck(), folder.cases(), path}) fs::remove(made, error);
    throw;
  }
  return folder;
}

RunFolder RunFolder::resume(fs::path const& path) {
  std::error_code error;
  for (char const* name : {"deck.toml", "cases.jsonl"}) {
    if (!fs::exists(path / name, error))
      throw std::runtime_error(fmt::format("{} holds no run to go on with: no {}", path.string(), name));
  }
  return RunFolder(path, text_of(path / "deck.toml"), 0);
}

fs::path RunFolder::make_default(std::string const& deck_file, std::string const& host) {
  std::string time = utc_now();
  time.erase(std::remove_if(time.begin(), time.end(), [](unsigned char c) { return std::isalnum(c) == 0; }),
             time.end());
  make_folder("results");
  std::string const name = fmt::format("{}-{}-{}", fs::path(deck_file).stem().string(), host, time);
  std::error_code error;
  for (int number = 1; number < 1000; ++number) {
    fs::path path = fs::path("results") / (number == 1 ? name : fmt::format("{}-{}", name, number));
    if (fs::create_directory(path, error)) return path;  // false if another process created it first
    if (error) break;
  }
  throw std::runtime_error(fmt::format("results/{} cannot be made: {}", name, error.message()));
}

std::vector<Json> RunFolder::lines() const {
  std::vector<Json> lines;
  std::ifstream stream(cases());
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line, nullptr, false));
  return lines;
}

void RunFolder::append(Json const& json) {
  char last = '\n';
  off_t const size = lseek(cases_, 0, SEEK_END);
  bool const after_half_a_line = size > 0 && pread(cases_, &last, 1, size - 1) == 1 && last != '\n';
  std::string const text = (after_half_a_line ? "\n" : "") + to_line(json) + "\n";
  for (std::size_t done = 0; done < text.size();) {
    ssize_t const n = write(cases_, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) refuse_write(cases(), std::strerror(errno));
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

void RunFolder::write_document(Json const& json) const {
  std::string text;
  char const* separator = "{\n";
  for (auto const& [key, value] : json.items()) {  // a line for each fact, one for each result: fit for diff and grep
    text += separator + to_line(key) + ": ";
    separator = ",\n";
    if (!value.is_array() || value.empty()) {
      text += to_line(value);
      continue;
    }
    char const* before = "[\n ";
    for (Json const& element : value) {
      text += before + to_line(element);
      before = ",\n ";
    }
    text += "\n]";
  }
  write_whole(document(), text + "\n}\n");
}

}  // namespace tilestride
