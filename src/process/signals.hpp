// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <signal.h>

namespace tilestride {

/// While this object exists, SIGINT and SIGTERM are recorded, SIGPIPE is ignored, and the end of a child is reported,
/// whatever the inherited signal settings are. One at a time.
class SignalScope {
 public:
  SignalScope();
  ~SignalScope();
  SignalScope(SignalScope const&) = delete;
  SignalScope& operator=(SignalScope const&) = delete;

 private:
  struct sigaction old_int_ {
  }, old_term_{}, old_pipe_{}, old_child_{};
};

/// The last signal that a SignalScope recorded; 0: none since it was made.
int caught_signal();

}  // namespace tilestride
