// SPDX-License-Identifier: MIT
#include "app/chat/turns.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/chat/context_window.h"
#include "app/chat/question.h"
#include "app/chat/summary.h"

namespace confab::app {

using sessions::Message;
using sessions::Role;

engine::Turn answer_turn(const Message& answer, const std::string& tokenizer_hash) {
  engine::Turn turn{.message = {"assistant", answer.content, answer.reasoning}};
  if (answer.tokenizer_hash != tokenizer_hash) return turn;
  turn.tokens = answer.tokens;
  turn.answer_begin = answer.answer_begin;
  return turn;
}

namespace {

void add_turn(std::vector<engine::Turn>& turns, engine::Turn turn) {
  if (turns.empty() || turns.back().message.role != turn.message.role)
    return turns.push_back(std::move(turn));
  engine::Turn& before = turns.back();
  before.message.content += "\n\n" + turn.message.content;
  before.tokens.clear();
  before.answer_begin = 0;
}

}  // namespace

std::vector<engine::Turn> turns_of(std::span<const Message> messages,
                                   const std::string& tokenizer_hash) {
  std::vector<engine::Turn> turns;
  const bool has_system = !messages.empty() && messages.front().role == Role::system;
  const std::span<const Message> said = messages.subspan(has_system ? 1 : 0);
  const std::string note = memory_of(said).note;
  std::string system = has_system ? prompt_of(messages.front()) : "";
  if (!note.empty()) system = system_with_summary(system, note);
  if (has_system || !note.empty())
    turns.push_back({.message = {std::string(name_of(Role::system)), std::move(system), ""}});
  const std::vector<bool> reads = is_read(said);
  for (std::size_t i = 0; i < said.size(); ++i) {
    const Message& message = said[i];
    if (!reads[i] || (message.role == Role::assistant && message.content.empty())) continue;
    add_turn(turns, message.role == Role::assistant
                        ? answer_turn(message, tokenizer_hash)
                        : engine::Turn{.message = {std::string(name_of(message.role)),
                                                   prompt_of(message), ""}});
  }
  return turns;
}

namespace {

using sessions::Message;
using sessions::Role;

constexpr int kTooMany = 2;  // times the context: longer texts are not counted
constexpr int kUsualAround = 8;

// Counts a text by what it adds to a prompt of one character.
class Counter {
 public:
  Counter(const engine::ChatModel& model, const engine::TemplateSettings& settings)
      : model_(model), settings_(settings), n_least_(model.count_tokens({turn("?")}, settings)) {}

  int count(const Message& message) const {
    constexpr std::size_t kMaxTokenBytes = 16;  // about 4 in prose
    const std::string& hash = model_.info().tokenizer_hash;
    if (message.role == Role::assistant && message.content.empty()) return 0;
    if (message.role == Role::assistant && message.tokenizer_hash == hash &&
        !message.tokens.empty())
      return static_cast<int>(message.tokens.size()) - std::max(message.answer_begin, 0);
    std::string text = prompt_of(message);
    const auto n_ctx = static_cast<std::size_t>(model_.info().n_ctx);
    if (text.size() / kMaxTokenBytes >= n_ctx) return kTooMany * model_.info().n_ctx;
    return model_.count_tokens({turn(std::move(text))}, settings_) - n_least_ + 1;
  }

 private:
  static engine::Turn turn(std::string text) { return {.message = {"user", std::move(text)}}; }

  const engine::ChatModel& model_;
  const engine::TemplateSettings& settings_;
  int n_least_;
};

// A template needs a question to make a prompt of a system prompt.
int count_fixed(const engine::ChatModel& model, const MessagePath& path,
                const engine::TemplateSettings& settings) {
  MessagePath asked(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(n_hidden(path)));
  asked.push_back(new_message(Role::user, "?"));
  asked.back().memory = memory_of(shown(path));
  asked.back().memory->begin = 1;
  return model.count_tokens(turns_of(asked, model.info().tokenizer_hash), settings) - 1;
}

}  // namespace

MessageSizes sizes_of(const engine::ChatModel& model, const MessagePath& path,
                      const engine::TemplateSettings& settings) {
  MessageSizes sizes;
  const std::span<const Message> said = shown(path);
  if (said.empty()) return sizes;
  const Counter counter(model, settings);
  for (const Message& message : said) sizes.n_tokens.push_back(counter.count(message));
  const std::vector<bool> reads = is_read(said);
  const auto sum = [&] {
    return std::inner_product(reads.begin(), reads.end(), sizes.n_tokens.begin(), 0);
  };
  const int n_said = sum();
  const int n_reads = static_cast<int>(std::ranges::count(reads, true));
  const int n_ctx = model.info().n_ctx;
  const int n_fixed = count_fixed(model, path, settings);
  const bool may_count = n_reads > 0 && n_said < kTooMany * n_ctx;
  sizes.n_read = may_count
                     ? model.count_tokens(turns_of(path, model.info().tokenizer_hash), settings)
                     : n_fixed + n_said + n_reads * kUsualAround;
  const int n_around =
      may_count ? std::max(sizes.n_read - n_fixed - n_said, 0) / n_reads : kUsualAround;
  for (int& n : sizes.n_tokens) n += n_around;
  sizes.n_fixed = sizes.n_read - sum();
  return sizes;
}

}  // namespace confab::app
