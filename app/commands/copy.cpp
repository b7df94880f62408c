// SPDX-License-Identifier: MIT
#include "app/commands/copy.h"

#include <fmt/format.h>

#include <array>

#include "app/commands/arguments.h"
#include "app/error.h"
#include "app/figures.h"
#include "ui/markdown/markdown.h"

namespace confab::app {
namespace {

// The n-th answer from the end. Throws UserError.
const sessions::Message& answer_at(const Chat& chat, int n) {
  for (auto message = chat.messages().rbegin(); message != chat.messages().rend(); ++message)
    if (message->role == sessions::Role::assistant && --n == 0) return *message;
  throw UserError("no such answer");
}

// The n-th code block of a text; 0: the last one. Throws UserError.
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

constexpr auto kCommands = std::to_array<Command>({
    {"/copy", "", "[N|code [N]]", "copy the last answer, or one of its code blocks", true,
     run_copy},
});

}  // namespace

std::span<const Command> copy_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
