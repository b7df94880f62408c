// SPDX-License-Identifier: MIT
#include "app/screen/show_messages.h"

#include <fmt/format.h>

#include <vector>

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

void label_branches(ui::Transcript& transcript, CommandContext& context) {
  const auto conversation = context.chat.conversation();
  if (!conversation || context.store == nullptr) return;
  attempt(context, [&] {
    std::vector<sessions::MessageId> ids;
    for (const sessions::Message& message : context.chat.messages()) ids.push_back(message.id);
    const auto places =
        sessions::sibling_positions(sessions::Catalog(*context.store).outline(*conversation), ids);
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i].n > 1)
        transcript.label_message(i, fmt::format("‹ {}/{} ›", places[i].index, places[i].n));
  });
}

}  // namespace confab::app
