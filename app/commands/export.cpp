// SPDX-License-Identifier: MIT
#include "app/commands/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/commands/arguments.h"
#include "app/commands/branches.h"
#include "app/commands/console.h"
#include "app/commands/resume.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/read_beside.h"
#include "app/transfer/export.h"
#include "app/transfer/import.h"
#include "app/transfer/lists.h"
#include "ui/markdown/markdown.h"
#include "ui/text.h"

namespace confab::app {
namespace {

// The n-th answer from the end. Throws UserError.
const sessions::Message& answer_at(const Chat& chat, int n) {
  for (auto message = chat.messages().rbegin(); message != chat.messages().rend(); ++message)
    if (message->role == sessions::Role::assistant && --n == 0) return *message;
  throw UserError("no such answer");
}

// The n-th code block of a text, or the last one for 0. Throws UserError.
std::string code_block(const std::string& markdown, int n) {
  std::vector<std::string> blocks;
  for (ui::MarkdownPart& part : ui::render_markdown(markdown, ui::Cols{80}).parts)
    if (part.kind == ui::MarkdownPart::Kind::code_block) blocks.push_back(std::move(part.source));
  if (blocks.empty()) throw UserError("the last answer has no code block");
  const auto i = n == 0 ? blocks.size() : static_cast<std::size_t>(n);
  if (i > blocks.size())
    throw UserError(
        fmt::format("the last answer has {}", counted(std::ssize(blocks), "code block")));
  return blocks[i - 1];
}

void run_copy(CommandContext& context, const std::string& what) {
  constexpr const char* kUsage = "/copy, /copy N (the N-th answer from the end), /copy code [N]";
  if (!what.starts_with("code")) {
    const int n = count_of(what, 1, kUsage);
    return context.console.copy(answer_at(context.chat, n).content, "the answer");
  }
  const std::size_t space = what.find_first_not_of(' ', 4);
  const std::string number = space == std::string::npos ? "" : what.substr(space);
  const int n = count_of(number, 0, kUsage);
  context.console.copy(code_block(answer_at(context.chat, 1).content, n), "the code block");
}

constexpr auto kCopyCommands = std::to_array<Command>({
    {"/copy", "", "[N|code [N]]", "copy the last answer, or one of its code blocks", true,
     run_copy},
});

void run_export(CommandContext& context, const std::string& argument) {
  sessions::ConversationTree tree = context.chat.branch();
  if (tree.messages.empty()) throw UserError("nothing to export yet");
  // Messages that could not be saved exist only here, not in the database.
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

std::span<const Command> copy_commands() noexcept {
  return kCopyCommands;
}

std::span<const Command> export_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
