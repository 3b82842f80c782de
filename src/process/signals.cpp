// SPDX-License-Identifier: BSD-3-Clause
#include "process/signals.hpp"

namespace tilestride {
namespace {

volatile sig_atomic_t caught = 0;
void remember(int signal) { caught = signal; }

/// Calls that a signal interrupts are started again, so that no output is lost.
void set(int signal, void (*handler)(int), struct sigaction& old) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, &old);
}

}  // namespace

SignalScope::SignalScope() {
  caught = 0;
  set(SIGINT, remember, old_int_);
  set(SIGTERM, remember, old_term_);
  set(SIGPIPE, SIG_IGN, old_pipe_);
  set(SIGCHLD, SIG_DFL, old_child_);
}

SignalScope::~SignalScope() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  sigaction(SIGCHLD, &old_child_, nullptr);
}

int caught_signal() { return caught; }

}  // namespace tilestride
