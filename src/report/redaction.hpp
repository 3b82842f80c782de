// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "process/messages.hpp"

namespace tilestride {

/// Takes from texts what tells who measured where: names of the host and the user, folders of paths, UUIDs of devices.
class Redaction {
 public:
  /// `names`: what is hidden wherever it stands as a word.
  Redaction(bool on, std::vector<std::string> names) : on_(on), names_(std::move(names)) {}

  /// With the names of this host and of this user.
  static Redaction of_this_machine(bool on);

  bool is_on() const { return on_; }
  /// Hides another host, too, by its long and its short name.
  void hide_host(std::string const& name);

  // The arguments as they are, when it is off.
  std::string text(std::string text) const;
  std::string paths(std::string const& text) const;  ///< only paths lose their folders
  /// A resolved deck, which stays one: of its values, only paths lose their folders.
  std::string deck(std::string const& deck) const;
  Json values(Json json) const;  ///< every text in it but for keys
  Result result(Result result) const;

 private:
  bool on_;
  std::vector<std::string> names_;
};

}  // namespace tilestride
