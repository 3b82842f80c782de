// SPDX-License-Identifier: BSD-3-Clause
#include "process/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "machine/build_info.hpp"

namespace tilestride {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> places;
  std::error_code error;
  if (fs::path const self = fs::read_symlink("/proc/self/exe", error); !error) {
    places.push_back(self.parent_path());
    places.push_back(self.parent_path().parent_path() / "libexec" / "tilestride");
    places.push_back(self.parent_path().parent_path().parent_path() / "bin");  // of a program in libexec/tilestride
  }
  if (char const* const named = std::getenv("TILESTRIDE_PROGRAMS")) {
    std::istringstream list(named);
    for (std::string folder; std::getline(list, folder, ':');) {
      if (!folder.empty()) places.emplace_back(folder);
    }
  }
  return places;
}

/// The file of that name in one of the folders; empty when there is none.
std::string look_for(std::string const& name) {
  std::error_code error;
  for (fs::path const& folder : folders()) {
    fs::path const file = folder / name;
    if (fs::is_regular_file(file, error)) return file.string();
  }
  return "";
}

bool has(std::vector<std::string> const& spaces, std::string const& space) {
  return std::find(spaces.begin(), spaces.end(), space) != spaces.end();
}

}  // namespace

Programs Programs::find() {
  Programs programs;
  programs.all_.push_back({program_name(), "/proc/self/exe", build_spaces().spaces, true});
  std::vector<std::string> own = build_spaces().spaces;
  Program host{"tilestride", "", {}, false};
  for (std::string const& space : known_spaces()) {
    if (has(own, space)) continue;
    if (std::string const path = look_for("tilestride-" + space); !path.empty())
      programs.all_.push_back({"tilestride-" + space, path, {space}, false});
    else if (is_host_space(space))
      host.spaces.push_back(space);
  }
  if (program_name() != host.name && !host.spaces.empty()) {
    host.path = look_for(host.name);
    if (!host.path.empty()) programs.all_.push_back(host);
  }
  return programs;
}

Program const* Programs::for_space(std::string const& space) const {
  auto const it =
      std::find_if(all_.begin(), all_.end(), [&](Program const& program) { return has(program.spaces, space); });
  return it == all_.end() ? nullptr : &*it;
}

Build Programs::build() const {
  Build build = build_spaces();
  bool const own_device = !is_host_space(build.default_space);
  for (std::string const& space : known_spaces()) {  // from hosts to devices
    if (has(build.spaces, space) || for_space(space) == nullptr) continue;
    build.spaces.push_back(space);
    if (!own_device && !is_host_space(space)) build.default_space = space;
  }
  return build;
}

}  // namespace tilestride
