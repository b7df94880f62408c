// SPDX-License-Identifier: MIT
#include "app/commands/resume.h"

#include <fmt/format.h>

#include <array>

#include "app/chat/backend.h"
#include "app/error.h"
#include "app/transfer/forget_cache.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/catalog.h"

namespace confab::app {
namespace {

// The one that is named, else the open one.
sessions::Conversation named_or_open(const CommandContext& context, const std::string& name,
                                     const char* command) {
  sessions::Store& store = store_of(context);
  if (!name.empty()) return conversation_by_name(store, name);
  if (context.chat.conversation())
    if (auto open = store.conversation(*context.chat.conversation())) return *open;
  throw UserError(fmt::format("which one? {} NAME or number; /list shows them", command));
}

void set_pinned(const CommandContext& context, const std::string& name, bool pinned) {
  const sessions::Conversation conversation =
      named_or_open(context, name, pinned ? "/pin" : "/unpin");
  store_of(context).set_pinned(conversation.id, pinned);
  context.console.notice(fmt::format("\"{}\" is {} in lists.", conversation.title,
                                     pinned ? "first" : "no longer first"));
}

void run_new(CommandContext& context, const std::string&) {
  context.chat.start_new();
  context.console.show_conversation();
}

void run_list(CommandContext& context, const std::string&) {
  constexpr int kShown = 50;
  const std::string text = describe_conversations(store_of(context).list(kShown));
  context.console.notice(text.empty() ? "No conversation has been saved yet." : text);
}

void run_search(CommandContext& context, const std::string& words) {
  if (words.empty()) throw UserError("what for? /search WORDS");
  const std::string text = describe_hits(sessions::Catalog(store_of(context)).search(words));
  context.console.notice(text.empty()
                             ? fmt::format("Nothing found for: {}", words)
                             : text + "\n/resume NUMBER opens one of these conversations.");
}

void run_resume(CommandContext& context, const std::string& name) {
  if (name.empty() && context.console.choose(Choice::conversation)) return;
  if (name.empty()) throw UserError("which one? /resume NAME or number; /list shows them");
  context.chat.open(conversation_by_name(store_of(context), name));
  context.console.show_conversation();
  context.chat.prepare("");
}

void run_rename(CommandContext& context, const std::string& title) {
  sessions::Store& store = store_of(context);
  if (!context.chat.conversation())
    throw UserError("this conversation has not been saved: there is nothing to rename");
  const sessions::ConversationId id = *context.chat.conversation();
  if (!title.empty()) {
    store.rename(id, title);
    return context.console.notice(fmt::format("This conversation is now called \"{}\".", title));
  }
  const auto open = store.conversation(id);
  context.console.notice(
      fmt::format("Everything is saved as it is said. This conversation is called \"{}\"; "
                  "/rename TITLE gives it another name.",
                  open ? open->title : ""));
}

void run_pin(CommandContext& context, const std::string& name) {
  set_pinned(context, name, true);
}

void run_unpin(CommandContext& context, const std::string& name) {
  set_pinned(context, name, false);
}

void remove(CommandContext& context, const sessions::Conversation& conversation) {
  const bool was_open = context.chat.conversation() == conversation.id;
  context.chat.remove(conversation.id);
  if (was_open) {
    context.chat.prepare("");  // and no longer the deleted one
    context.console.show_conversation();
  }
  if (context.paths != nullptr)
    forget_conversation_cache(context.paths->kv, static_cast<std::int64_t>(conversation.id));
  context.console.notice(fmt::format("Deleted \"{}\".", conversation.title));
}

void run_delete(CommandContext& context, const std::string& name) {
  const sessions::Conversation conversation = named_or_open(context, name, "/delete");
  const int n = conversation.n_messages;
  context.console.confirm(
      fmt::format("Delete \"{}\" ({} {}) for good?", conversation.title, n,
                  n == 1 ? "message" : "messages"),
      [&context, conversation] { remove(context, conversation); },
      "\"confab delete NAME --yes\" deletes without asking");
}

using enum Completion;
using enum WhenChosen;

constexpr auto kCommands = std::to_array<Command>({
    {"/new", "/clear", "", "start a new conversation", false, run_new},
    {"/list", "/sessions", "", "the saved conversations, pinned and last used first", true,
     run_list},
    {"/search", "/find", "WORDS", "look for words in all conversations", true, run_search},
    {"/resume", "/load", "[NAME|ID]", "open a saved conversation", false, run_resume,
     conversations},
    {"/rename", "/save", "[TITLE]", "give this conversation a name", true, run_rename, nothing,
     is_written},
    {"/pin", "", "[NAME|ID]", "keep a conversation first in lists", true, run_pin, conversations,
     is_written},
    {"/unpin", "", "[NAME|ID]", "no longer", true, run_unpin, conversations, is_written},
    {"/delete", "", "[NAME|ID]", "delete a conversation; without a name, this one", false,
     run_delete, conversations, is_written},
});

}  // namespace

sessions::Store& store_of(const CommandContext& context) {
  if (context.store == nullptr) throw UserError("nothing is saved in this run");
  return *context.store;
}

std::span<const Command> resume_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
