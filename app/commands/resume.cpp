// SPDX-License-Identifier: MIT
#include "app/commands/resume.h"

#include <fmt/format.h>

#include <array>

#include "app/chat/backend.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/transfer/forget_cache.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/catalog.h"
#include "ui/text.h"

namespace confab::app {
namespace {

// The conversation with this name, or the open one if the name is empty.
sessions::Conversation named_or_open(const CommandContext& context, const std::string& name,
                                     const char* command) {
  sessions::Store& store = store_of(context);
  if (!name.empty()) return conversation_by_name(store, name);
  if (context.chat.conversation())
    if (auto open = store.conversation(*context.chat.conversation())) return *open;
  throw UserError(fmt::format("which conversation? {} NAME|ID; /list shows them", command));
}

void set_pinned(const CommandContext& context, const std::string& name, bool pinned) {
  const sessions::Conversation conversation =
      named_or_open(context, name, pinned ? "/pin" : "/unpin");
  store_of(context).set_pinned(conversation.id, pinned);
  context.console.notice(
      fmt::format("{} \"{}\".", pinned ? "Pinned" : "Unpinned", ui::one_line(conversation.title)));
}

void run_new(CommandContext& context, const std::string&) {
  context.chat.start_new();
  context.console.show_conversation();
  if (context.attached.empty()) return;
  context.attached.clear();
  context.console.notice("Nothing is attached any more.");
}

void list_conversations(CommandContext& context, const std::string& hint) {
  constexpr int kShown = 50;
  const std::string text = describe_conversations(store_of(context).list(kShown));
  context.console.notice(text.empty() ? "No saved conversations yet." : text + hint);
}

void run_list(CommandContext& context, const std::string&) {
  list_conversations(context, "");
}

void run_search(CommandContext& context, const std::string& words) {
  if (words.empty()) throw UserError("search for what? /search WORDS");
  const std::string text = describe_hits(sessions::Catalog(store_of(context)).search(words));
  context.console.notice(text.empty() ? fmt::format("Nothing found for: {}", words)
                                      : text + "\n/resume ID opens one of these conversations.");
}

void run_resume(CommandContext& context, const std::string& name) {
  if (name.empty() && context.console.choose(PickerKind::conversation)) return;
  if (name.empty()) {
    list_conversations(context, "\n/resume NAME|ID opens one of these conversations.");
    return;
  }
  const sessions::Conversation conversation = conversation_by_name(store_of(context), name);
  if (context.backend != nullptr)
    open_conversation(*context.backend, context.chat, conversation);
  else
    context.chat.open(conversation);
  context.console.show_conversation();
  context.chat.prepare("");
}

void run_rename(CommandContext& context, const std::string& title) {
  sessions::Store& store = store_of(context);
  if (!context.chat.conversation())
    throw UserError("this conversation is not saved yet, so it cannot be renamed");
  const sessions::ConversationId id = *context.chat.conversation();
  if (!title.empty()) {
    store.rename(id, title);
    return context.console.notice(fmt::format("Renamed to \"{}\".", ui::one_line(title)));
  }
  const auto open = store.conversation(id);
  context.console.notice(
      fmt::format("Everything is saved automatically. This conversation is named \"{}\"; /rename "
                  "TITLE renames it.",
                  open ? ui::one_line(open->title) : ""));
}

void run_pin(CommandContext& context, const std::string& name) {
  set_pinned(context, name, true);
}

void run_unpin(CommandContext& context, const std::string& name) {
  set_pinned(context, name, false);
}

void run_delete(CommandContext& context, const std::string& name) {
  const sessions::Conversation conversation = named_or_open(context, name, "/delete");
  context.console.confirm(
      fmt::format("Delete \"{}\" ({}) for good?", ui::one_line(conversation.title),
                  counted(conversation.n_messages, "message")),
      [&context, conversation] { delete_conversation(context, conversation); },
      "\"confab delete NAME --yes\" deletes without asking");
}

using enum Completion;
using enum WhenChosen;

constexpr auto kCommands = std::to_array<Command>({
    {"/new", "/clear", "", "start a new conversation", false, run_new},
    {"/list", "/sessions", "", "list the saved conversations", true, run_list},
    {"/search", "/find", "WORDS", "search all conversations", true, run_search},
    {"/resume", "/load", "[NAME|ID]", "open a saved conversation", false, run_resume,
     conversations},
    {"/rename", "/save", "[TITLE]", "rename this conversation", true, run_rename, nothing,
     is_written},
    {"/pin", "", "[NAME|ID]", "pin a conversation to the top of lists", true, run_pin,
     conversations, is_written},
    {"/unpin", "", "[NAME|ID]", "unpin a conversation", true, run_unpin, conversations, is_written},
    {"/delete", "", "[NAME|ID]", "delete this conversation, or another", false, run_delete,
     conversations, is_written},
});

}  // namespace

sessions::Store& store_of(const CommandContext& context) {
  if (context.store == nullptr) throw UserError("this chat is not saved");
  return *context.store;
}

void delete_conversation(CommandContext& context, const sessions::Conversation& conversation) {
  const bool was_open = context.chat.conversation() == conversation.id;
  context.chat.remove(conversation.id);
  if (was_open) {
    context.chat.prepare("");  // so that the model no longer holds the deleted one
    context.console.show_conversation();
  }
  if (context.paths != nullptr)
    forget_conversation_cache(context.paths->kv, static_cast<std::int64_t>(conversation.id));
  context.console.notice(fmt::format("Deleted \"{}\".", ui::one_line(conversation.title)));
}

std::span<const Command> resume_commands() noexcept {
  return kCommands;
}

}  // namespace confab::app
