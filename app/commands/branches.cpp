// SPDX-License-Identifier: MIT
#include "app/commands/branches.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "app/chat/report.h"
#include "app/commands/arguments.h"
#include "app/commands/resume.h"
#include "app/error.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/branches.h"
#include "sessions/conversations/catalog.h"
#include "ui/text.h"

namespace confab::app {
namespace {

constexpr int kWholeHistory = 20;

void run_history(CommandContext& context, const std::string& n) {
  int left = count_of(n, kWholeHistory, "/history [N]");
  int i = 0;
  std::string text;
  for (auto message = context.chat.messages().rbegin();
       message != context.chat.messages().rend() && left > 0; ++message) {
    if (message->role != sessions::Role::user) continue;
    text =
        fmt::format("{:>3}  {}{}{}", ++i, shown_question(*message), text.empty() ? "" : "\n", text);
    --left;
  }
  if (text.empty()) return context.console.notice("Nothing has been asked yet.");
  context.console.notice(text + "\n/edit N changes one of these and asks again.");
}

void run_branches(CommandContext& context, const std::string&) {
  const auto branches = sessions::branches_of(open_tree(context));
  if (branches.size() == 1)
    return context.console.notice(
        "There is only one branch; /retry, /edit and /continue make more.");
  context.console.notice(describe_branches(branches) + "\n/branch NUMBER switches to another one.");
}

void run_branch(CommandContext& context, const std::string& number) {
  const sessions::ConversationTree tree = open_tree(context);
  const auto branches = sessions::branches_of(tree);
  std::size_t n = 0;
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, n);
  if (error != std::errc{} || stop != end || n < 1 || n > branches.size())
    throw UserError(fmt::format("which branch? /branch NUMBER, from 1 to {}; /branches lists them",
                                branches.size()));
  context.chat.open(tree.conversation, branches[n - 1].last);
  context.console.show_conversation();
}

void run_fork(CommandContext& context, const std::string& title) {
  if (context.chat.messages().empty()) throw UserError("nothing to copy yet");
  fork_at(context, context.chat.messages().size() - 1, title);
}

void run_pop(CommandContext& context, const std::string&) {
  if (context.forked_from.empty())
    throw UserError("nothing to go back to: no conversation has been copied since confab started");
  const auto before = store_of(context).conversation(context.forked_from.back());
  if (before) context.chat.open(*before);
  context.forked_from.pop_back();
  if (!before) throw UserError("the original conversation has been deleted");
  context.console.show_conversation();
}

constexpr auto kCommands = std::to_array<Command>({
    {"/history", "", "[N]", "list the last N questions", true, run_history},
    {"/branches", "/stack", "", "list the branches of this conversation", true, run_branches},
    {"/branch", "", "NUMBER", "switch to another branch", false, run_branch},
    {"/fork", "/push", "[TITLE]", "continue in a copy of this conversation", false, run_fork,
     Completion::nothing, WhenChosen::is_written},
    {"/pop", "", "", "return to the original of this copy", false, run_pop},
});

}  // namespace

sessions::ConversationTree open_tree(const CommandContext& context) {
  if (!context.chat.conversation())
    throw UserError("this conversation is not saved, so it has no branches");
  sessions::ConversationTree tree = store_of(context).tree(*context.chat.conversation());
  for (const sessions::Message& message : context.chat.messages())
    if (message.id != sessions::MessageId{}) tree.conversation.head = message.id;
  return tree;
}

// The copy keeps the original's creation time. A template may have written the date into the
// prompt, and the prompt cache should recognise all of it.
void fork_at(CommandContext& context, std::size_t message, const std::string& title) {
  sessions::Store& store = store_of(context);
  const sessions::ConversationTree whole = open_tree(context);
  sessions::ConversationTree fork{
      .conversation = whole.conversation,
      .messages = store.messages_to(context.chat.messages()[message].id)};
  if (fork.messages.empty())
    throw UserError(
        "the last messages could not be saved, so the conversation cannot be copied yet");
  fork.conversation.head = fork.messages.back().id;
  fork.conversation.title =
      title.empty() ? fmt::format("{} (fork)", whole.conversation.title) : title;
  fork.conversation.title_given = true;
  fork.conversation.pinned = false;
  fork.conversation.updated =
      std::chrono::floor<sessions::Time::duration>(std::chrono::system_clock::now());
  const auto ids = store.insert({{fork}});
  if (const auto made = store.conversation(ids.front())) context.chat.open(*made);
  context.forked_from.push_back(whole.conversation.id);
  context.console.show_conversation();
  context.console.notice(fmt::format("This is a copy of \"{}\", named \"{}\".",
                                     ui::one_line(whole.conversation.title),
                                     ui::one_line(fork.conversation.title)));
}

bool hop_branch(CommandContext& context, std::size_t message, int direction) {
  sessions::Store& store = store_of(context);
  const auto conversation = context.chat.conversation();
  if (!conversation) return false;
  const auto branch = sessions::sibling_branch(sessions::Catalog(store).outline(*conversation),
                                               context.chat.messages()[message].id, direction);
  if (!branch) return false;
  if (const auto open = store.conversation(*conversation)) context.chat.open(*open, *branch);
  context.console.show_conversation();
  return true;
}

std::span<const Command> branches_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
