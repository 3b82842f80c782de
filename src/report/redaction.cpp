// SPDX-License-Identifier: BSD-3-Clause
#include "report/redaction.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

#include "machine/host.hpp"

namespace tilestride {
namespace {

constexpr char const* hidden = "hidden";

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

/// Replaces a name wherever it stands as a word.
void hide_word(std::string& text, std::string const& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    std::size_t const end = at + name.size();
    bool const whole = (at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]));
    if (whole) text.replace(at, name.size(), hidden);
    at += whole ? std::string_view(hidden).size() : 1;
  }
}

/// 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return text.size() == 36;
}

void hide_uuids(std::string& text) {
  for (std::size_t at = 0; at + 36 <= text.size(); ++at) {
    if (is_uuid(std::string_view(text).substr(at, 36))) text.replace(at, 36, hidden);
  }
}

/// "/home/me/lib.so" -> "lib.so", "-I/home/me/include" -> "-Iinclude"; other words as they are.
std::string without_folder(std::string const& word) {
  bool const option = word.size() > 2 && word[0] == '-' && word[2] == '/';
  bool const path = word[0] == '/' || word[0] == '~' || word.rfind("./", 0) == 0 || word.rfind("../", 0) == 0;
  auto const end = word.find_last_not_of('/');
  if (end == std::string::npos || !(option || path)) return word;
  auto const slash = word.find_last_of('/', end);
  return (option ? word.substr(0, 2) : "") + word.substr(slash + 1, end - slash);
}

/// Paths end where a character stands that hardly any has.
std::string without_folders(std::string const& text) {
  std::string shown, word;
  for (char const c : text) {
    if (std::string_view(" \t\n\"'`=,;:()[]{}<>|").find(c) == std::string_view::npos) {
      word += c;
      continue;
    }
    shown += (word.empty() ? "" : without_folder(word)) + c;
    word.clear();
  }
  return shown + (word.empty() ? "" : without_folder(word));
}

}  // namespace

Redaction Redaction::of_this_machine(bool on) {
  std::vector<std::string> names;
  if (passwd const* const user = getpwuid(getuid()); user != nullptr && user->pw_uid != 0)
    names.emplace_back(user->pw_name);  // "root" identifies nobody
  Redaction redaction(on, std::move(names));
  redaction.hide_host(host_facts().name);
  return redaction;
}

void Redaction::hide_host(std::string const& name) {
  for (std::string const& one : {name, name.substr(0, name.find('.'))}) {
    if (std::find(names_.begin(), names_.end(), one) == names_.end()) names_.push_back(one);
  }
}

std::string Redaction::text(std::string text) const {
  if (!on_) return text;
  text = without_folders(text);
  hide_uuids(text);
  for (std::string const& name : names_) {
    if (!name.empty()) hide_word(text, name);
  }
  return text;
}

std::string Redaction::paths(std::string const& text) const { return on_ ? without_folders(text) : text; }

std::string Redaction::deck(std::string const& deck) const {
  if (!on_) return deck;
  std::istringstream lines(deck);
  std::string shown;
  for (std::string line; std::getline(lines, line);) {
    auto const comment = std::min(line.rfind("  # "), line.size());
    shown += paths(line.substr(0, comment)) + text(line.substr(comment)) + "\n";
  }
  return shown;
}

Json Redaction::values(Json json) const {
  if (json.is_string()) return text(json.get<std::string>());
  for (Json& value : json) {
    if (value.is_string() || value.is_structured()) value = values(value);
  }
  return json;
}

Result Redaction::result(Result result) const {
  result.reason = text(result.reason);
  result.check.detail = text(result.check.detail);
  for (std::string& flag : result.flags) flag = text(flag);
  for (auto& [name, value] : result.notes) value = text(value);
  return result;
}

}  // namespace tilestride
