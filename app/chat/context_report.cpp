// SPDX-License-Identifier: MIT
#include "app/chat/context_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/chat/report.h"
#include "app/figures.h"
#include "ui/meter.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::Reading;
using sessions::Role;

constexpr ui::Cols kBar{8};
constexpr ui::Cols kText{44};

std::string words_of(const Message& message) {
  const std::string& text = message.role == Role::user ? shown_question(message) : message.content;
  return ui::one_line(ui::sanitize(text));
}

std::string left_out_text(const ChatState& chat) {
  return counted(static_cast<std::int64_t>(n_left_out(chat)), "question");
}

// The index where memory begins; messages().size() if it begins at none of them.
std::size_t memory_begin(const ChatState& chat) {
  const int begin = chat.memory().begin;
  return begin > 0 ? static_cast<std::size_t>(begin) : chat.messages().size();
}

std::string row_text(const ContextRow& row, bool first_of_question, int largest) {
  const std::string number =
      first_of_question && row.question > 0 ? fmt::format("{}", row.question) : "";
  const std::string bar =
      row.is_read ? ui::meter(row.n_tokens, largest, kBar) : std::string("left out");
  return fmt::format("{:>4} {:<6} {:>7} {}  {}{}", number, row.who, grouped(row.n_tokens), bar,
                     row.is_pinned ? "pinned: " : "", ui::ellipsize(row.text, kText));
}

}  // namespace

std::vector<ContextRow> context_rows(const ChatState& chat) {
  const auto said = chat.messages();
  const MessageSizes sizes = chat.sizes();
  const std::vector<bool> reads = is_read(said);
  const std::size_t begin = memory_begin(chat);
  std::vector<ContextRow> rows;
  for (const TurnSpan& turn : turns_in(said)) {
    const bool asks = said[turn.begin].role == Role::user;
    const std::size_t question = (rows.empty() ? 0 : rows.back().question) + (asks ? 1 : 0);
    for (std::size_t i = turn.begin; i < turn.end; ++i)
      rows.push_back({.question = question,
                      .message = i,
                      .n_tokens = sizes.n_tokens[i],
                      .is_read = reads[i],
                      .is_pinned = said[turn.begin].reading == Reading::pinned,
                      .begins_memory = i == begin,
                      .who = said[i].role == Role::user ? "you" : "answer",
                      .text = words_of(said[i])});
  }
  return rows;
}

std::string describe_overflow(const ContextPolicy& policy) {
  if (policy.overflow == Overflow::summarise)
    return "summarise: a note replaces the oldest questions";
  if (policy.overflow == Overflow::stop) return "stop: you are asked what to do";
  if (policy.keep == 0) return "shift: the oldest questions go";
  if (policy.keep < 0) return "shift: the oldest questions go, but not the first";
  return fmt::format("shift: the oldest questions go, but not those within the first {} tokens",
                     grouped(policy.keep));
}

std::string describe_context(const ChatState& chat) {
  const std::vector<ContextRow> rows = context_rows(chat);
  int n_fixed = chat.n_ctx_used();  // what remains after subtracting the messages
  for (const ContextRow& row : rows) n_fixed -= row.is_read ? row.n_tokens : 0;
  int largest = std::max(n_fixed, 1);
  for (const ContextRow& row : rows) largest = std::max(largest, row.is_read ? row.n_tokens : 0);
  std::string text =
      fmt::format("The model reads {} of {} tokens. When the context is full: {}.\n\n",
                  grouped(chat.n_ctx_used()), grouped(chat.model_info().n_ctx),
                  describe_overflow(chat.context_policy()));
  const std::string& note = chat.memory().note;
  if (n_fixed > 0)
    text += fmt::format("{:>19} {}  {}{}\n", grouped(n_fixed), ui::meter(n_fixed, largest, kBar),
                        chat.system().empty() ? "template" : "system prompt",
                        note.empty() ? "" : " and note");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].begins_memory) text += "  ── the model's memory begins here ──\n";
    const bool first = i == 0 || rows[i - 1].question != rows[i].question;
    text += row_text(rows[i], first, largest) + "\n";
  }
  if (!note.empty())
    text += fmt::format("\nThe note on what is left out:\n{}\n", ui::sanitize(note));
  return text + "\n/context pin N, drop N or restore N: always, never or again read question N.";
}

std::size_t n_left_out(const ChatState& chat) {
  const auto said = chat.messages();
  const std::vector<bool> reads = is_read(said);
  std::size_t n = 0;
  for (std::size_t i = 0; i < said.size(); ++i)
    n += said[i].role == Role::user && !reads[i] ? 1 : 0;
  return n;
}

std::string memory_line(const ChatState& chat) {
  if (!chat.memory().note.empty())
    return fmt::format("the model's memory begins here, after a note on {} (/context note)",
                       left_out_text(chat));
  return fmt::format("the model's memory begins here ({} left out; /context)", left_out_text(chat));
}

std::vector<std::string> memory_labels(const ChatState& chat) {
  const auto said = chat.messages();
  const std::vector<bool> reads = is_read(said);
  const std::size_t begin = memory_begin(chat);
  std::vector<std::string> labels(said.size());
  for (const TurnSpan& turn : turns_in(said)) {
    const Reading reading = said[turn.begin].reading;
    std::string& label = labels[turn.begin];
    const bool before = begin < said.size() && turn.begin < begin;
    if (turn.begin == begin) label = fmt::format("── {} ──", memory_line(chat));
    if (reading == Reading::pinned) label += label.empty() ? "pinned" : " pinned";
    if (reading == Reading::usual && before && reads[turn.begin]) label = "kept";
    if (reading == Reading::dropped && !reads[turn.begin])
      label += label.empty() ? "dropped: the model does not read this" : " dropped";
  }
  return labels;
}

std::string memory_notice(const ChatState& chat) {
  const auto said = chat.messages();
  const std::size_t begin = memory_begin(chat);
  if (begin >= said.size()) return "The model reads the whole conversation.";
  constexpr ui::Cols kBegin{16};
  return fmt::format("Memory now begins at \"{}\"; {} (/context).",
                     ui::ellipsize(words_of(said[begin]), kBegin),
                     chat.memory().note.empty() ? left_out_text(chat) + " left out"
                                                : "a note on " + left_out_text(chat));
}

}  // namespace confab::app
