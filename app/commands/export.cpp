// SPDX-License-Identifier: MIT
#include "app/commands/export.h"

#include <fmt/format.h>

#include <array>

#include "app/commands/resume.h"
#include "app/commands/save_text.h"
#include "app/error.h"
#include "app/transfer/export.h"
#include "app/transfer/import.h"
#include "app/transfer/lists.h"

namespace confab::app {
namespace {

void run_export(CommandContext& context, const std::string& argument) {
  sessions::ConversationTree tree = context.chat.branch();
  if (tree.messages.empty()) throw UserError("there is nothing to export yet");
  if (context.store != nullptr && context.chat.conversation())
    tree = context.store->tree(*context.chat.conversation());
  const ExportTarget target = export_target(argument, tree.conversation.title);
  write_export(target, export_conversation(tree, target.format));
  context.console.notice(fmt::format("Written to {}.", target.path));
}

void run_dump(CommandContext& context, const std::string& path) {
  if (path.empty()) throw UserError("to which file? /dump FILE; /show prompt has it here");
  if (context.chat.messages().empty()) throw UserError("there is no prompt yet");
  save_text(path, context.chat.prompt_text());
  context.console.notice(fmt::format("Written to {}.", path));
}

void run_import(CommandContext& context, const std::string& path) {
  if (path.empty()) throw UserError("which file? /import FILE");
  const auto ids = store_of(context).insert(read_import(path));
  context.console.notice(describe_import(path, ids));
}

using enum Completion;

constexpr auto kCommands = std::to_array<Command>({
    {"/export", "", "[md|json|html] [FILE]", "write this conversation to a file", true, run_export,
     files},
    {"/dump", "", "FILE", "write the prompt as the model reads it to a file, markers and all", true,
     run_dump, files},
    {"/import", "", "FILE", "add conversations: ours, message lists, ChatGPT's", true, run_import,
     files},
});

}  // namespace

std::span<const Command> export_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
