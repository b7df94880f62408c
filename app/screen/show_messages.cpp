// SPDX-License-Identifier: MIT
#include "app/screen/show_messages.h"

#include <fmt/format.h>

#include <vector>

#include "app/chat/context_report.h"
#include "app/chat/report.h"
#include "sessions/conversations/catalog.h"

namespace confab::app {

void show_messages(ui::Transcript& transcript, const Chat& chat) {
  const auto messages = chat.messages();
  const std::size_t n_whole = messages.size() - (chat.generating() ? 1 : 0);
  for (std::size_t i = 0; i < n_whole; ++i) {
    const sessions::Message& message = messages[i];
    if (!message.reasoning.empty()) {
      transcript.add_reasoning(message.reasoning);
      transcript.label_reasoning(thoughts_label(message.reasoning));
    }
    if (message.role == sessions::Role::user)
      transcript.add_user(shown_question(message), i);
    else
      transcript.add_answer(message.content, i);
  }
  if (const std::string note = chat.unfinished_note(); !note.empty()) transcript.set_tail(note);
}

namespace {

// "‹ 2/3 ›" for each message that has siblings.
std::vector<std::string> branch_labels(CommandContext& context) {
  std::vector<std::string> labels(context.chat.messages().size());
  const auto conversation = context.chat.conversation();
  if (!conversation || context.store == nullptr) return labels;
  attempt(context, [&] {
    std::vector<sessions::MessageId> ids;
    for (const sessions::Message& message : context.chat.messages()) ids.push_back(message.id);
    const auto places =
        sessions::sibling_positions(sessions::Catalog(*context.store).outline(*conversation), ids);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].n > 1) labels[i] = fmt::format("‹ {}/{} ›", places[i].index, places[i].n);
  });
  return labels;
}

}  // namespace

void label_messages(ui::Transcript& transcript, CommandContext& context) {
  const std::vector<std::string> memory = memory_labels(context.chat);
  std::vector<std::string> labels = branch_labels(context);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i].empty() && !memory[i].empty()) labels[i] += ' ';
    labels[i] += memory[i];
  }
  transcript.label_messages(labels);
}

}  // namespace confab::app
