// SPDX-License-Identifier: MIT
#include "app/commands/tree_commands.h"

#include <fmt/format.h>

#include <charconv>

#include "app/commands/conversation_commands.h"
#include "app/error.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/branches.h"

namespace confab::app {
namespace {

sessions::ConversationTree open_tree(const CommandContext& context) {
  if (!context.chat.conversation())
    throw UserError("this conversation has not been saved, so it has no branches");
  return store_of(context).tree(*context.chat.conversation());
}

// The N-th question from the end, as a number of a message. Throws UserError.
std::size_t question_at(const Chat& chat, std::size_t n) {
  for (std::size_t i = chat.messages().size(); i-- > 0;)
    if (chat.messages()[i].role == sessions::Role::user && --n == 0) return i;
  throw UserError("there is no such question: /history shows them");
}

}  // namespace

void run_retry(CommandContext& context, const std::string&) {
  context.chat.retry();
  context.console.show_answer();
}

void run_edit(CommandContext& context, const std::string& text) {
  std::size_t n = 1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (text.empty() || (error == std::errc{} && stop == end && n > 0))
    return context.console.edit_question(question_at(context.chat, n));
  context.chat.edit(text);
  context.console.show_answer();
}

void run_continue(CommandContext& context, const std::string&) {
  context.chat.continue_answer();
  context.console.show_answer();
}

// The copy has the age of the original, whose date a template may have written into the prompt, so
// that all of it is known to the prompt cache.
void fork_at(CommandContext& context, std::size_t message, const std::string& title) {
  sessions::Store& store = store_of(context);
  const sessions::ConversationTree whole = open_tree(context);
  sessions::ConversationTree fork{
      .conversation = whole.conversation,
      .messages = store.messages_to(context.chat.messages()[message].id)};
  if (fork.messages.empty())
    throw UserError("what was said last could not be saved, so it cannot be copied yet");
  fork.conversation.head = fork.messages.back().id;
  fork.conversation.title =
      title.empty() ? fmt::format("{} (fork)", whole.conversation.title) : title;
  fork.conversation.title_given = true;
  fork.conversation.pinned = false;
  fork.conversation.updated =
      std::chrono::floor<sessions::Time::duration>(std::chrono::system_clock::now());
  const auto ids = store.insert({{fork}});
  context.forked_from.push_back(whole.conversation.id);
  if (const auto made = store.conversation(ids.front())) context.chat.open(*made);
  context.console.show_conversation();
  context.console.notice(fmt::format("This is a copy of \"{}\", called \"{}\".",
                                     whole.conversation.title, fork.conversation.title));
}

void run_fork(CommandContext& context, const std::string& title) {
  if (context.chat.messages().empty()) throw UserError("there is nothing to copy yet");
  fork_at(context, context.chat.messages().size() - 1, title);
}

void run_pop(CommandContext& context, const std::string&) {
  if (context.forked_from.empty())
    throw UserError("there is nothing to go back to: no conversation was copied in this run");
  const auto before = store_of(context).conversation(context.forked_from.back());
  context.forked_from.pop_back();
  if (!before) throw UserError("the conversation that was copied has been deleted");
  context.chat.open(*before);
  context.console.show_conversation();
}

bool hop_branch(CommandContext& context, std::size_t message, int direction) {
  sessions::Store& store = store_of(context);
  const auto conversation = context.chat.conversation();
  if (!conversation) return false;
  const auto branch = sessions::sibling_branch(store.outline(*conversation),
                                               context.chat.messages()[message].id, direction);
  if (!branch) return false;
  store.set_head(*conversation, *branch);
  if (const auto open = store.conversation(*conversation)) context.chat.open(*open);
  context.console.show_conversation();
  return true;
}

void run_branches(CommandContext& context, const std::string&) {
  const auto branches = sessions::branches_of(open_tree(context));
  if (branches.size() == 1)
    return context.console.notice("There is one branch: /retry, /edit and /continue make others.");
  context.console.notice(describe_branches(branches) + "\n/branch NUMBER shows another one.");
}

void run_branch(CommandContext& context, const std::string& number) {
  const sessions::ConversationTree tree = open_tree(context);
  const auto branches = sessions::branches_of(tree);
  std::size_t n = 0;
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, n);
  if (error != std::errc{} || stop != end || n < 1 || n > branches.size())
    throw UserError(fmt::format("which one? /branch NUMBER, from 1 to {}; /branches shows them",
                                branches.size()));
  store_of(context).set_head(tree.conversation.id, branches[n - 1].last);
  context.chat.open(tree.conversation);
  context.console.show_conversation();
}

}  // namespace confab::app
