// SPDX-License-Identifier: MIT
// /model switches to another model; /pull downloads one while the chat goes on.
#pragma once

#include <span>
#include <string>

#include "app/commands/command.h"
#include "app/pull/model_pull.h"

namespace confab::app {

std::span<const Command> model_commands() noexcept;

// The descriptor to poll before calling take_pull(), or -1 if nothing is being downloaded.
int pull_fd(const Pulling& pulling) noexcept;
// Looks at the download, and announces its end.
void take_pull(CommandContext& context);
// Announces the end of a finished download and drops it.
void end_pull(CommandContext& context);
// "45 % of org/name: 1.2 GiB of 2.3 GiB, 45.1 MiB/s, 0:32 left  m-Q4_K_M.gguf", or "" if nothing is
// being downloaded.
std::string pull_text(const Pulling& pulling);
// A note for a person who leaves during a download; "" if there is no download.
std::string pull_farewell(const Pulling& pulling);

}  // namespace confab::app
