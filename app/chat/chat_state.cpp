// SPDX-License-Identifier: MIT
#include "app/chat/chat_state.h"

#include <utility>

#include "app/chat/turns.h"

namespace confab::app {

using sessions::Message;
using sessions::MessageState;
using sessions::Role;

const Message& ChatState::answer(std::size_t i) const {
  if (i == 0) return path_.back();
  // Behind what could not be saved before.
  const std::vector<Beside>& beside = record_.beside();
  return beside[beside.size() - in_flight_.size() + i].answer;
}

std::size_t ChatState::chosen() const {
  if (chosen_) return *chosen_;
  for (std::size_t i = 0; i < in_flight_.size() && !summary_; ++i)
    if (answer(i).state != MessageState::error) return i;
  return 0;
}

std::optional<std::size_t> ChatState::number_of(engine::AnswerId answer) const noexcept {
  const auto found = std::ranges::find(in_flight_, answer, &AnswerInFlight::id);
  if (answer == engine::AnswerId::none || found == in_flight_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - in_flight_.begin());
}

std::string ChatState::system() const {
  return n_hidden(path_) > 0 ? path_.front().content : std::string();
}

// Where the template can leave the reasoning out, it need not be closed.
engine::TemplateSettings ChatState::template_settings(
    const AnswerOptions& options, const engine::ModelInfo& model,
    std::optional<std::chrono::sys_seconds> begun_at) {
  engine::TemplateSettings settings{.now = begun_at, .thinking = options.thinking};
  if (options.reasoning_budget == 0 && model.can_switch_thinking) settings.thinking = false;
  return settings;
}

bool ChatState::may_fit(const MessagePath& path, const engine::ModelInfo& model) {
  constexpr std::size_t kBytesPerToken = 16;  // of prose it is about 4
  const std::vector<bool> reads = is_read(shown(path));
  std::size_t n = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const Message& message = shown(path)[i];
    if (!reads[i]) continue;
    n += message.content.size();
    for (const sessions::Attachment& file : message.attachments) n += file.size_bytes;
  }
  return n / kBytesPerToken < static_cast<std::size_t>(model.n_ctx);
}

int ChatState::count(const engine::ChatModel& model, const MessagePath& path,
                     std::optional<std::chrono::sys_seconds> begun_at) const {
  const std::vector<bool> reads = is_read(shown(path));
  if (std::ranges::find(reads, true) == reads.end()) return 0;
  if (!may_fit(path, model.info())) return model.info().n_ctx;
  return model.count_tokens(turns_of(path, model.info().tokenizer_hash),
                            template_settings(options_, model.info(), begun_at));
}

void ChatState::check_system(const MessagePath& path) const {
  MessagePath asked = path;
  asked.push_back(new_message(Role::user, "?"));
  count(asked);
}

std::string ChatState::prompt_text() const {
  return model_->prompt_text(turns_of(path_, model_info().tokenizer_hash),
                             template_settings(options_));
}

engine::GenerateRequest ChatState::request_with(const Question& question) const {
  MessagePath path = path_;
  path.push_back(message_of(question));
  const AnswerOptions answered_with = options(question.options);
  return {.turns = turns_of(path, model_info().tokenizer_hash),
          .sampling = answered_with.sampling,
          .n_predict = answered_with.n_predict,
          .reasoning_budget = answered_with.reasoning_budget,
          .settings = template_settings(answered_with)};
}

void ChatState::count_with(const Question& question, std::uint64_t number) const {
  engine::GenerateRequest asked = request_with(question);
  model_->count(
      {.number = number, .turns = std::move(asked.turns), .settings = std::move(asked.settings)});
}

std::string ChatState::unfinished_note() const {
  if (messages().empty() || generating()) return {};
  const Message& last = messages().back();
  if (last.role == Role::user || (last.role == Role::assistant && !has_begun(last)))
    return "(the last question has no answer yet; /continue answers it)";
  if (last.role != Role::assistant || last.state == MessageState::done) return {};
  if (last.state == MessageState::draft) return "(this answer was cut off; /continue continues it)";
  return "(this answer was stopped; /continue continues it)";
}

}  // namespace confab::app
