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

/// The whole text or nothing: a kill leaves the old file or the new one.
void write_whole(fs::path const& file, std::string const& text) {
  fs::path const draft = file.string() + ".tmp";
  std::ofstream stream(draft);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) fs::rename(draft, file, error);
  if (!stream || error)
    throw std::runtime_error(
        fmt::format("{} cannot be written: {}", file.string(), error ? error.message() : std::strerror(errno)));
}

}  // namespace

RunFolder::RunFolder(fs::path path) : path_(std::move(path)) {
  fs::path const file = path_ / "cases.jsonl";
  cases_ = open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (cases_ < 0)
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
  if (flock(cases_, LOCK_EX | LOCK_NB) != 0) {
    close(cases_);
    throw std::runtime_error(fmt::format("another run is writing to {}", path_.string()));
  }
  char last = '\n';  // a kill may have left half a line: end it
  if (off_t const size = lseek(cases_, 0, SEEK_END);
      size > 0 && pread(cases_, &last, 1, size - 1) == 1 && last != '\n' && write(cases_, "\n", 1) != 1)
    throw std::runtime_error(fmt::format("{} cannot be written: {}", file.string(), std::strerror(errno)));
}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : path_(std::move(other.path_)), cases_(std::exchange(other.cases_, -1)) {}

RunFolder::~RunFolder() {
  if (cases_ >= 0) close(cases_);
}

RunFolder RunFolder::create(fs::path const& path, std::string const& resolved_deck) {
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
  RunFolder folder(path);
  write_whole(folder.deck(), resolved_deck);
  return folder;
}

RunFolder RunFolder::resume(fs::path const& path) {
  std::error_code error;
  if (!fs::exists(path / "deck.toml", error))
    throw std::runtime_error(fmt::format("{} holds no run to go on with", path.string()));
  return RunFolder(path);
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

std::string RunFolder::deck_text() const {
  std::ifstream stream(deck());
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Json> RunFolder::lines() const {
  std::vector<Json> lines;
  std::ifstream stream(path_ / "cases.jsonl");
  for (std::string line; std::getline(stream, line);) {
    if (Json json = Json::parse(line, nullptr, false); json.is_object()) lines.push_back(std::move(json));
  }
  return lines;
}

void RunFolder::append(Json const& json) {
  std::string const line = to_line(json) + "\n";
  if (write(cases_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw std::runtime_error(
        fmt::format("{} cannot be written: {}", (path_ / "cases.jsonl").string(), std::strerror(errno)));
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
