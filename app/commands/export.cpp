// SPDX-License-Identifier: MIT
#include "app/commands/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/commands/branches.h"
#include "app/commands/resume.h"
#include "app/commands/save_text.h"
#include "app/error.h"
#include "app/read_beside.h"
#include "app/transfer/export.h"
#include "app/transfer/import.h"
#include "app/transfer/lists.h"
#include "ui/text.h"

namespace confab::app {
namespace {

void run_export(CommandContext& context, const std::string& argument) {
  sessions::ConversationTree tree = context.chat.branch();
  if (tree.messages.empty()) throw UserError("nothing to export yet");
  // What could not be saved is only here.
  const bool all_saved = std::ranges::all_of(context.chat.messages(), [](const auto& message) {
    return message.id != sessions::MessageId{};
  });
  if (context.store != nullptr && context.chat.conversation() && all_saved)
    tree = open_tree(context);
  const ExportTarget target = export_target(argument, tree.conversation.title);
  save_text(context.console, target.path, export_conversation(tree, target.format));
}

void run_dump(CommandContext& context, const std::string& path) {
  if (path.empty()) throw UserError("which file? /dump FILE; /show prompt shows it here");
  if (context.chat.messages().empty()) throw UserError("no prompt yet");
  save_text(context.console, path, context.chat.prompt_text());
}

void run_import(CommandContext& context, const std::string& path) {
  if (path.empty()) throw UserError("which file? /import FILE");
  const Import import = read_beside([path] { return read_import(path); },
                                    context.console.watch_reading(ui::one_line(path)));
  const sessions::Imported imported = store_of(context).import(import.conversations);
  context.console.notice(describe_import(path, imported, import.left_out));
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/export", "", "[md|json|html] [FILE]", "export this conversation to a file", true, run_export,
     files, WhenChosen::is_written},
    {"/dump", "", "FILE", "save the exact prompt that the model reads", true, run_dump, files,
     WhenChosen::is_written},
    {"/import", "", "FILE", "import conversations: confab's JSON, message lists, ChatGPT's", true,
     run_import, files, WhenChosen::is_written},
});

}  // namespace

std::span<const Command> export_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
