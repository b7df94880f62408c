// SPDX-License-Identifier: MIT
#include "app/commands/command.h"

#include <fmt/format.h>

#include "app/chat/backend.h"
#include "app/error.h"
#include "engine/error.h"
#include "sessions/error.h"
#include "ui/error.h"
#include "ui/words.h"

namespace confab::app {

std::vector<std::string_view> all_names(const Command& command) {
  std::vector<std::string_view> names{command.name};
  std::string_view rest = command.aliases;
  for (std::string_view name = ui::take_word(rest); !name.empty(); name = ui::take_word(rest))
    names.push_back(name);
  return names;
}

void attempt(CommandContext& context, const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& fault) {
    context.console.error(fault.what());
  } catch (const sessions::StoreError& fault) {
    context.console.error(fault.what());
  } catch (const engine::ModelError& fault) {
    context.console.error(fault.what());
  } catch (const ui::TerminalError& fault) {
    context.console.error(fault.what());
  }
}

void remember(CommandContext& context, std::string_view key,
              const std::optional<Remembered::Value>& value) {
  const std::string fault =
      value ? context.remembered.keep(key, *value) : context.remembered.forget(key);
  if (!fault.empty()) context.console.error(fault);
}

void require_idle(const CommandContext& context, std::string_view what) {
  if (context.chat.generating() || context.routing.pending)
    throw UserError(fmt::format("{}: an answer is being written; stop it with Ctrl+C first", what));
  if (awaited_engine(context) != nullptr)
    throw UserError(
        fmt::format("{}: {}; stop that with Ctrl+C first", what, awaited_engine(context)->text()));
}

AwaitedEngine* awaited_engine(const CommandContext& context) noexcept {
  const bool waits = context.backend != nullptr && context.backend->awaited;
  return waits ? context.backend->awaited->engine.get() : nullptr;
}

}  // namespace confab::app
