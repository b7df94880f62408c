// SPDX-License-Identifier: MIT
#include "app/chat/chat.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "app/chat/convert.h"
#include "app/chat/turns.h"
#include "app/error.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::MessageState;
using sessions::Role;

sessions::Time now() {
  return std::chrono::floor<sessions::Time::duration>(std::chrono::system_clock::now());
}

Message new_message(Role role, std::string content) {
  Message message;
  message.role = role;
  message.content = std::move(content);
  message.created = now();
  return message;
}

bool has_begun(const Message& answer) {
  return !answer.content.empty() || !answer.reasoning.empty();
}

std::size_t n_bytes(const Message& answer) {
  return answer.content.size() + answer.reasoning.size();
}

}  // namespace

Chat::Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options)
    : model_(&model), options_(options), record_(store) {
  start_new();
}

// Messages of the path that are not shown.
std::size_t Chat::n_before() const noexcept {
  return !path_.empty() && path_.front().role == Role::system ? 1 : 0;
}

std::span<const Message> Chat::messages() const noexcept {
  return std::span(path_).subspan(n_before());
}

void Chat::start_new(const std::optional<std::string>& system) {
  assert(!generating_);
  record_.save_rest(path_);
  record_.start_new();
  path_.clear();
  const std::string& prompt = system ? *system : options_.system;
  if (!prompt.empty()) path_.push_back(new_message(Role::system, prompt));
  settings_.now.reset();
  last_.reset();
  n_ctx_used_ = 0;
}

void Chat::open(const sessions::Conversation& conversation) {
  assert(!generating_);
  record_.save_rest(path_);
  path_ = record_.open(conversation);
  settings_.now = std::chrono::floor<std::chrono::seconds>(conversation.created);
  last_.reset();
  count_context();
}

// Text that is far too long for the context is not cut into tokens, which would take longer than
// all else of opening it.
bool Chat::may_fit() const {
  constexpr std::size_t kBytesPerToken = 16;  // of prose it is about 4
  std::size_t n = 0;
  for (const Message& message : path_) {
    n += message.content.size();
    for (const sessions::Attachment& file : message.attachments) n += file.size_bytes;
  }
  return n / kBytesPerToken < static_cast<std::size_t>(model_->info().n_ctx);
}

void Chat::count_context() {
  if (messages().empty())
    n_ctx_used_ = 0;
  else
    n_ctx_used_ = may_fit() ? model_->count_tokens(turns(), settings()) : model_->info().n_ctx;
}

std::int64_t Chat::origin() const {
  return record_.conversation() ? static_cast<std::int64_t>(*record_.conversation()) : 0;
}

// --- what the model is told

std::vector<engine::Turn> Chat::turns() const {
  return turns_of(path_, model_->info().tokenizer_hash);
}

// Where the template can leave the reasoning out, it need not be closed.
engine::TemplateSettings Chat::settings() const {
  engine::TemplateSettings settings = settings_;
  if (options_.reasoning_budget == 0 && model_->info().can_switch_thinking)
    settings.thinking = false;
  return settings;
}

void Chat::generate(std::vector<engine::Turn> turns, bool continues) {
  last_.reset();
  n_prompt_ = 0;
  n_generated_ = 0;
  generating_ = true;
  model_->generate({.turns = std::move(turns),
                    .sampling = options_.sampling,
                    .n_predict = options_.n_predict,
                    .reasoning_budget = options_.reasoning_budget,
                    .settings = settings(),
                    .continues = continues,
                    .origin = origin()});
}

void Chat::prepare(const std::string& draft) {
  if (generating_ || !may_fit()) return;
  if (!settings_.now) settings_.now = std::chrono::floor<std::chrono::seconds>(now());
  model_->prepare({.turns = turns(), .draft = draft, .settings = settings(), .origin = origin()});
}

// --- what the person does

Message Chat::new_answer() const {
  Message draft = new_message(Role::assistant, "");
  draft.state = MessageState::draft;
  draft.tokenizer_hash = model_->info().tokenizer_hash;
  draft.model = model_->info().name;
  draft.sampler_json = to_json(options_.sampling);
  return draft;
}

// The path ends with a question: an answer to it. The question is saved before anything is read.
void Chat::ask() {
  if (!settings_.now) settings_.now = std::chrono::floor<std::chrono::seconds>(now());
  const bool is_new = !record_.conversation();
  record_.save(path_);
  if (is_new && record_.created())
    settings_.now = std::chrono::floor<std::chrono::seconds>(*record_.created());
  std::vector<engine::Turn> said = turns();
  path_.push_back(new_answer());
  record_.save(path_);
  begun_.reset();
  generate(std::move(said), false);
}

void Chat::send(const std::string& text, std::vector<sessions::Attachment> attachments) {
  assert(!generating_);
  path_.push_back(new_message(Role::user, text));
  path_.back().attachments = std::move(attachments);
  ask();
}

std::size_t Chat::question_of(std::size_t message) const {
  for (std::size_t i = message + 1; i-- > 0;)
    if (messages()[i].role == Role::user) return i;
  throw UserError("nothing has been asked yet: say something first");
}

// In the path.
std::size_t Chat::question_index(std::optional<std::size_t> question) const {
  if (messages().empty()) throw UserError("nothing has been asked yet: say something first");
  return n_before() + (question ? *question : question_of(messages().size() - 1));
}

void Chat::retry(std::optional<std::size_t> question) {
  assert(!generating_);
  record_.save_rest(path_);
  path_.resize(question_index(question) + 1);
  ask();
}

void Chat::edit(const std::string& text, std::optional<std::size_t> question) {
  assert(!generating_);
  record_.save_rest(path_);
  const std::size_t i = question_index(question);
  Message asked = new_message(Role::user, text);
  asked.attachments = path_[i].attachments;
  path_.resize(i);
  path_.push_back(std::move(asked));
  ask();
}

void Chat::continue_answer() {
  assert(!generating_);
  question_index({});
  const Message& last = path_.back();
  if (last.role != Role::assistant || !has_begun(last)) return retry();
  if (last.state == MessageState::done)
    throw UserError("the last answer is complete; /retry asks for another one");
  engine::Turn begun = answer_turn(last, model_->info().tokenizer_hash);
  // Tokens of the answer alone are not how its reasoning was sampled.
  if (!last.reasoning.empty() && last.answer_begin == 0) begun.tokens.clear();
  begun_ = std::move(path_.back());
  path_.pop_back();
  std::vector<engine::Turn> said = turns();
  said.push_back(std::move(begun));
  Message draft = new_answer();
  draft.content = begun_->content;
  draft.reasoning = begun_->reasoning;
  draft.tokens = said.back().tokens;
  draft.answer_begin = said.back().tokens.empty() ? 0 : begun_->answer_begin;
  path_.push_back(std::move(draft));
  record_.save(path_);
  retold_ = false;
  generate(std::move(said), true);
}

void Chat::stop() noexcept {
  if (generating_) model_->cancel();
}

void Chat::undo(int n) {
  assert(!generating_);
  record_.save_rest(path_);
  std::size_t end = path_.size();
  for (; n > 0; --n) {
    while (end > n_before() && path_[end - 1].role != Role::user) --end;
    if (end == n_before()) break;
    --end;
  }
  path_.resize(end);
  if (path_.size() > n_before())
    record_.show(path_.back());
  else
    start_new();
  count_context();
}

// What was said from message `first` on goes on under another prompt, as a branch of its own.
void Chat::copy_path(std::size_t first, const std::string& system) {
  record_.save_rest(path_);
  MessagePath path;
  if (!system.empty()) path.push_back(new_message(Role::system, system));
  for (const Message& message : messages().subspan(first)) {
    path.push_back(message);
    path.back().id = {};
  }
  path_ = std::move(path);
  if (messages().empty())
    start_new(system);
  else
    record_.save(path_);
  count_context();
}

void Chat::set_system(const std::string& text) {
  assert(!generating_);
  options_.system = text;
  copy_path(0, text);
}

void Chat::forget(int n) {
  assert(!generating_);
  std::size_t first = 0;
  for (; n > 0 && first < messages().size(); --n) {
    ++first;
    while (first < messages().size() && messages()[first].role != Role::user) ++first;
  }
  copy_path(first, this->system());
}

std::string Chat::system() const {
  return n_before() > 0 ? path_.front().content : std::string();
}

void Chat::use_model(engine::ChatModel& model) {
  assert(!generating_);
  model_ = &model;
  last_.reset();
  count_context();
}

std::string Chat::prompt_text() const {
  return model_->prompt_text(turns(), settings());
}

int Chat::count_with(const std::string& question) const {
  std::vector<engine::Turn> said = turns();
  said.push_back({.message = {"user", question, ""}});
  return model_->count_tokens(said, settings());
}

// --- what the model says

void Chat::grow(const std::string& reasoning, const std::string& content,
                const std::vector<engine::Token>& tokens) {
  Message& answer = path_.back();
  if (begun_ && !std::exchange(retold_, true)) {
    answer.content.clear();
    answer.reasoning.clear();
    answer.tokens.clear();
  }
  answer.reasoning += reasoning;
  answer.content += content;
  answer.tokens.insert(answer.tokens.end(), tokens.begin(), tokens.end());
  // Where the answer begins among the tokens is told at the end.
  answer.answer_begin = answer.reasoning.empty() ? 0 : -1;
  if (!begun_ || n_bytes(answer) >= n_bytes(*begun_)) record_.save_draft(answer);
}

void Chat::finish_answer(MessageState state, const sessions::MessageStats& stats) {
  Message& answer = path_.back();
  // It was stopped, or failed, before it was where it had been.
  if (begun_ && n_bytes(answer) < n_bytes(*begun_)) {
    answer.content = begun_->content;
    answer.reasoning = begun_->reasoning;
    answer.tokens = begun_->tokens;
    answer.answer_begin = begun_->answer_begin;
    answer.tokenizer_hash = begun_->tokenizer_hash;
  }
  begun_.reset();
  answer.state = state;
  answer.stats = stats;
  generating_ = false;
  record_.finish(path_);
}

void Chat::count(int n_generated) {
  const bool retelling = begun_ && n_prompt_ == 0;
  if (retelling)
    n_generated_ = n_generated;
  else
    n_ctx_used_ = n_prompt_ + n_generated;
}

void Chat::take(const engine::Event& event) {
  if (!generating_) return;
  if (const auto* progress = std::get_if<engine::PrefillProgress>(&event)) {
    // What is told again of an answer comes before, and is part of the prompt.
    n_prompt_ = progress->n_prompt - n_generated_;
    n_ctx_used_ = progress->n_done;
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    count(thought->n_generated);
    grow(thought->text, "", thought->tokens);
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    count(delta->n_generated);
    grow("", delta->text, delta->tokens);
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    path_.back().tokens = finished->tokens;
    path_.back().answer_begin = finished->answer_begin;
    last_ = *finished;
    n_ctx_used_ = finished->n_ctx_used;
    finish_answer(to_message_state(finished->reason), to_message_stats(finished->stats));
  } else if (std::holds_alternative<engine::Failed>(event)) {
    finish_answer(MessageState::error, {});
  }
}

// --- for those who show it

sessions::ConversationTree Chat::branch() const {
  sessions::ConversationTree tree;
  tree.messages = path_;
  std::optional<sessions::MessageId> parent;
  for (std::size_t i = 0; i < tree.messages.size(); ++i) {
    tree.messages[i].id = sessions::MessageId{static_cast<std::int64_t>(i) + 1};
    tree.messages[i].parent = std::exchange(parent, tree.messages[i].id);
  }
  tree.conversation.head = parent.value_or(sessions::MessageId{});
  tree.conversation.created = path_.empty() ? now() : path_.front().created;
  tree.conversation.updated = path_.empty() ? now() : path_.back().created;
  tree.conversation.n_messages = static_cast<int>(path_.size());
  return tree;
}

std::string Chat::unfinished_note() const {
  if (messages().empty() || generating_) return {};
  const Message& last = messages().back();
  if (last.role == Role::user || (last.role == Role::assistant && !has_begun(last)))
    return "(the last question has no answer yet; /continue answers it)";
  if (last.role != Role::assistant || last.state == MessageState::done) return {};
  if (last.state == MessageState::draft)
    return "(this answer was cut off; /continue goes on with it)";
  return "(this answer was stopped; /continue goes on with it)";
}

}  // namespace confab::app
