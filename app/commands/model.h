// SPDX-License-Identifier: MIT
// /model, which switches to another model, and /pull, which downloads one while the chat goes on.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "app/pull/model_pull.h"

namespace confab::app {

struct Command;
struct CommandContext;

std::span<const Command> model_commands() noexcept;

// What a chat knows of its download.
struct Pulling {
  std::unique_ptr<BackgroundPull> running = {};  // nullptr: none
  BackgroundPull::State state = {};              // of it, when it was looked at last
  bool is_over() const noexcept { return state.step != BackgroundPull::Step::runs; }
};

// To poll for what take_pull() is to be called for; below 0: nothing is pulled.
int pull_fd(const Pulling& pulling) noexcept;
// Looks at the download; its end is announced.
void take_pull(CommandContext& context);
// Announces the end of one that is over; it is gone then.
void end_pull(CommandContext& context);
// "45 % of org/name: 1.2 GiB of 2.3 GiB, 45.1 MiB/s, 0:32 left  m-Q4_K_M.gguf"; empty: nothing is
// pulled.
std::string pull_text(const Pulling& pulling);
// For who leaves the chat meanwhile; empty: nothing is pulled.
std::string pull_farewell(const Pulling& pulling);

}  // namespace confab::app
