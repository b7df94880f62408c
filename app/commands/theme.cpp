// SPDX-License-Identifier: MIT
#include "app/commands/theme.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "app/error.h"
#include "app/themes.h"

namespace confab::app {
namespace {

void run_theme(CommandContext& context, const std::string& name) {
  if (context.paths == nullptr) throw UserError("no themes here");
  if (!name.empty()) {
    const bool shown = context.console.set_theme(find_theme(name, *context.paths));
    const bool is_file = name.find('/') != std::string::npos || name.ends_with(".toml");
    remember(context, "theme", is_file ? absolute_path(name) : name);
    return context.console.notice(
        fmt::format("Theme: {}{}.", name, shown ? "" : "; there are no colours in this mode"));
  }
  if (context.console.choose(PickerKind::theme)) return;
  context.console.notice(fmt::format("Themes: {}\n/theme NAME chooses one.",
                                     fmt::join(theme_names(*context.paths), ", ")));
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/theme", "", "[NAME]", "change the colours", true, run_theme, themes},
});

}  // namespace

std::span<const Command> theme_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
