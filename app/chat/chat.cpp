// SPDX-License-Identifier: MIT
#include "app/chat/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "app/chat/context_advice.h"
#include "app/chat/convert.h"
#include "app/chat/turns.h"
#include "app/error.h"

namespace confab::app {
namespace {

using sessions::Message;
using sessions::MessageState;
using sessions::Role;

// `confab -p` handles a single question that is too long before the chat gets it. A question in a
// resumed conversation makes room like any chat.
Overflow policy_of(const ChatOptions& options) {
  using enum Overflow;
  const bool goes_on = options.continue_last || options.resume.has_value();
  if (options.prompt) return goes_on && !is_of_question(options.overflow) ? shift : error;
  return options.overflow == summarise || options.overflow == stop ? options.overflow : shift;
}

std::chrono::sys_seconds whole_seconds(sessions::Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

// Each of several answers gets its own seed.
engine::SamplerParams sampling_of(engine::SamplerParams sampling, std::size_t answer) {
  if (sampling.seed) *sampling.seed += answer;
  return sampling;
}

void require_difference(const AnswerOptions& options) {
  const engine::SamplerParams& sampling = options.sampling;
  const bool greedy = (sampling.temperature <= 0 && sampling.dynatemp_range <= 0) ||
                      (sampling.top_k == 1 && sampling.mirostat == 0);
  if (options.n_answers > 1 && greedy)
    throw UserError(fmt::format("all {} answers would be the same at {}; raise it to get others",
                                options.n_answers,
                                options.sampling.top_k == 1 ? "top_k 1" : "temperature 0"));
}

}  // namespace

Chat::Chat(engine::ChatModel& model, sessions::Store* store, const ChatOptions& options)
    : ChatState(model, store, options) {
  if (!options.system.empty()) system_ = options.system;
  policy_ = {.overflow = policy_of(options), .keep = options.keep};
  start_new();
}

// --- which conversation it is

void Chat::start_new(const std::optional<std::string>& system) {
  assert(!generating());
  drop_note();
  MessagePath path;
  const std::string& prompt = system ? *system : system_ ? *system_ : model_info().system;
  if (!prompt.empty()) path.push_back(new_message(Role::system, prompt));
  record_.save_rest(path_);
  record_.leave(path_);
  record_.start_new();
  path_ = std::move(path);
  begun_at_.reset();
  last_.reset();
  n_ctx_used_ = 0;
}

void Chat::open(const sessions::Conversation& conversation,
                std::optional<sessions::MessageId> last) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = record_.read(conversation, last);
  if (last && path.empty()) throw UserError("that branch has been deleted");
  const std::chrono::sys_seconds begun_at = whole_seconds(conversation.created);
  const int n_used = count(*model_, path, begun_at);
  const std::string model = model_of(path);
  if (conversation.id != record_.conversation() && !model.empty() && model != model_info().name)
    notice_ = fmt::format("This conversation used {}; it continues with {}. /model switches back.",
                          model, model_info().name);
  drop_note();
  record_.leave(path_);
  record_.open(conversation, path);
  path_ = std::move(path);
  if (last) record_.show(path_.back());
  begun_at_ = begun_at;
  last_.reset();
  n_ctx_used_ = n_used;
}

void Chat::remove(sessions::ConversationId conversation) {
  assert(!generating());
  const bool is_open = record_.conversation() == conversation;
  record_.remove(conversation);
  if (!is_open) return;
  path_.clear();  // none of it is saved any more
  start_new();
}

void Chat::undo(int n) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = without_last(path_, n);
  if (shown(path).empty()) return start_new();
  const int n_used = count(path);
  drop_note();
  record_.leave(path_);
  path_ = std::move(path);
  record_.show(path_.back());
  n_ctx_used_ = n_used;
}

// Continues what was said under another prompt, as a new branch.
void Chat::copy_path(MessagePath path, const std::string& system) {
  if (shown(path).empty()) return start_new(system);
  const int n_used = count(path);
  drop_note();
  record_.leave(path_);
  path_ = std::move(path);
  record_.save(path_);
  n_ctx_used_ = n_used;
}

void Chat::set_system(const std::string& text) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = copied(path_, 0, text);
  if (shown(path).empty()) check_system(path);
  copy_path(std::move(path), text);
  system_ = text;
}

void Chat::forget(int n) {
  assert(!generating());
  record_.save_rest(path_);
  if (memory().begin > 0) return forget_more(n);
  const std::string prompt = system();
  copy_path(copied(path_, n, prompt), prompt);
}

void Chat::use_model(engine::ChatModel& model) {
  assert(!generating());
  // If nothing has been said yet, starts again with the prompt recommended for the model.
  const bool begins_anew = !system_ && path_.size() == n_hidden(path_) &&
                           system() == model_info().system && system() != model.info().system;
  const int n_used = count(model, path_, begun_at_);
  drop_note();
  model_ = &model;
  last_.reset();
  n_ctx_used_ = n_used;
  if (begins_anew) start_new();
}

// --- what the person asks

Message Chat::new_answer(const AnswerOptions& options) const {
  Message draft = new_message(Role::assistant, "");
  draft.state = MessageState::draft;
  draft.tokenizer_hash = model_info().tokenizer_hash;
  draft.model = model_info().name;
  draft.sampler_json = to_json(options.sampling);
  return draft;
}

engine::GenerateRequest Chat::request_for(std::vector<engine::Turn> turns,
                                          const AnswerOptions& options) const {
  const auto conversation = record_.conversation();
  return {.turns = std::move(turns),
          .sampling = options.sampling,
          .chosen = chosen_parameters(options),
          .n_predict = options.n_predict,
          .reasoning_budget = options.reasoning_budget,
          .stop = options.stop,
          .settings = template_settings(options),
          .shape = options.shape,
          .origin = conversation ? static_cast<std::int64_t>(*conversation) : 0};
}

Chat::Before Chat::before(const MessagePath& path) {
  Before now{{}, record_.conversation(), begun_at_, last_, n_ctx_used_, {}, {}};
  if (path.size() <= path_.size()) now.beside = std::exchange(record_.beside(), {});
  return now;
}

// Asks the model for the answer at the end of the path, which is saved as a draft, and for the ones
// beside it.
void Chat::start(MessagePath path, std::optional<Question> question,
                 engine::GenerateRequest request) {
  before_->question = std::move(question);
  before_->path = std::exchange(path_, std::move(path));
  last_.reset();
  try {
    for (std::size_t i = 0; i < in_flight_.size(); ++i) {
      engine::GenerateRequest one = request;
      one.sampling = sampling_of(request.sampling, i);
      in_flight_[i].id = model_->generate(std::move(one));
    }
  } catch (...) {
    take_back();
    throw;
  }
}

// Adds drafts of the answers to the question at the end of the path.
void Chat::add_answers(MessagePath& path, const AnswerOptions& options) {
  in_flight_.resize(static_cast<std::size_t>(options.n_answers));
  for (std::size_t i = 1; i < in_flight_.size(); ++i) {
    AnswerOptions other = options;
    other.sampling = sampling_of(options.sampling, i);
    record_.beside().push_back({path.size(), new_answer(other)});
  }
  path.push_back(new_answer(options));
  record_.save(path);
}

// Asks for an answer to the question at the end of the path. The question is saved before the model
// reads anything.
void Chat::ask(MessagePath path, std::optional<Question> question, const AnswerOptions& options) {
  require_difference(options);
  const bool marks = make_it_fit(path) && path.back().id != sessions::MessageId{};
  drop_note();
  before_ = before(path);
  if (!begun_at_) begun_at_ = whole_seconds(path.back().created);
  record_.save(path);
  if (!before_->conversation && record_.created()) begun_at_ = whole_seconds(*record_.created());
  engine::GenerateRequest request =
      request_for(turns_of(path, model_info().tokenizer_hash), options);
  if (marks) record_.save_reading(path, path.size() - 1);
  add_answers(path, options);
  start(std::move(path), std::move(question), std::move(request));
}

void Chat::send(Question question) {
  assert(!generating());
  MessagePath path = path_;
  path.push_back(message_of(question));
  const AnswerOptions options = this->options(question.options);
  ask(std::move(path), std::move(question), options);
}

// The path up to and including a question. Throws UserError.
MessagePath Chat::path_to(std::optional<std::size_t> question) const {
  const std::size_t none = std::numeric_limits<std::size_t>::max() - 1;
  const std::size_t i = n_hidden(path_) + (question ? *question : question_of(none));
  return {path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(i) + 1};
}

void Chat::retry(std::optional<std::size_t> question, std::optional<AnswerOptions> options) {
  assert(!generating());
  record_.save_rest(path_);
  ask(path_to(question), {}, this->options(options));
  record_.leave(before_->path, std::move(before_->beside));
}

void Chat::edit(const Question& changed, std::optional<std::size_t> question) {
  assert(!generating());
  record_.save_rest(path_);
  MessagePath path = path_to(question);
  path.back() = message_of({changed.text, path.back().attachments});
  ask(std::move(path), Question(changed.text), options(changed.options));
  record_.leave(before_->path, std::move(before_->beside));
}

void Chat::continue_answer() {
  assert(!generating());
  path_to({});  // throws if nothing has been asked
  if (path_.back().role != Role::assistant || !has_begun(path_.back())) return retry();
  if (path_.back().state == MessageState::done)
    throw UserError("the last answer is complete; /retry asks again");
  const auto memory = memory_to_go_on();
  drop_note();
  record_.save_rest(path_);
  MessagePath path = path_;
  Message begun = std::move(path.back());
  path.pop_back();
  if (memory) {
    path.back().memory = memory;
    record_.save_reading(path, path.size() - 1);
  }
  engine::Turn turn = answer_turn(begun, model_info().tokenizer_hash);
  // Without the tokens of the reasoning, the answer's tokens alone are not what was sampled.
  if (!begun.reasoning.empty() && begun.answer_begin == 0) turn.tokens.clear();
  Message draft = new_answer(options());
  draft.content = begun.content;
  draft.reasoning = begun.reasoning;
  draft.tokens = turn.tokens;
  draft.answer_begin = turn.tokens.empty() ? 0 : begun.answer_begin;
  engine::GenerateRequest request =
      request_for(turns_of(path, model_info().tokenizer_hash), options());
  request.turns.push_back(std::move(turn));
  request.continues = true;
  before_ = before(path);
  path.push_back(std::move(draft));
  record_.save(path);
  in_flight_.push_back({.draft = AnswerDraft(std::move(begun))});
  start(std::move(path), {}, std::move(request));
  record_.leave(before_->path, std::move(before_->beside));
}

void Chat::summarise() {
  assert(!generating());
  if (messages().empty()) throw UserError("nothing to summarise yet");
  drop_note();
  ask_for(SummaryRequest(turns_of(path_, model_info().tokenizer_hash), n_ctx_used_,
                         model_info().n_ctx));
}

void Chat::ask_for(SummaryRequest summary) {
  engine::GenerateRequest request = request_for(summary.turns(), options());
  request.n_predict = -1;
  request.shape = {};
  request.stop.clear();
  in_flight_ = {{.id = model_->generate(std::move(request))}};
  summary_ = std::move(summary);
}

void Chat::prepare(const Question& draft) {
  std::string prompt = prompt_of(draft);
  if (generating() || note_ || !may_fit(path_, model_info())) return;
  if (!begun_at_) begun_at_ = whole_seconds(new_message(Role::user, "").created);
  engine::GenerateRequest request =
      request_for(turns_of(path_, model_info().tokenizer_hash), options(draft.options));
  model_->prepare({.turns = std::move(request.turns),
                   .draft = std::move(prompt),
                   .settings = request.settings,
                   .origin = request.origin});
}

// --- what the model says

void Chat::stop() noexcept {
  for (std::size_t i = 0; i < in_flight_.size(); ++i) stop(i);
}

void Chat::stop(std::size_t answer) noexcept {
  if (answer < in_flight_.size() && is_writing(answer)) model_->cancel(in_flight_[answer].id);
}

void Chat::choose(std::size_t answer) {
  assert(answer < in_flight_.size());
  chosen_ = answer;
  n_ctx_used_ = in_flight_[answer].n_ctx_used;
}

Message& Chat::message(std::size_t answer) {
  std::vector<Beside>& beside = record_.beside();
  return answer == 0 ? path_.back() : beside[beside.size() - in_flight_.size() + answer].answer;
}

// Restores the state before the question was asked. The question stays in the database as a branch,
// unless the conversation started with it.
std::optional<Question> Chat::take_back() {
  Before before = *std::exchange(before_, {});
  stop();
  for (std::size_t i = in_flight_.size(); i-- > 0;) {
    message(i).state = MessageState::error;
    message(i).stats = sessions::MessageStats{};
    record_.finish(path_, message(i));
  }
  std::erase_if(record_.beside(),
                [this](const Beside& other) { return other.at + 1 == path_.size(); });
  in_flight_.clear();
  chosen_.reset();
  // Saving the question may have given new ids to the messages before it.
  const bool saved_again = before.conversation && before.conversation != record_.conversation();
  for (std::size_t i = 0; i < before.path.size(); ++i) {
    if (i + 2 < path_.size())
      before.path[i].id = path_[i].id;
    else if (saved_again)
      before.path[i].id = {};
  }
  if (shown(before.path).empty())
    record_.discard();
  else
    record_.show(before.path.back());
  path_ = std::move(before.path);
  if (!before.beside.empty()) record_.beside() = std::move(before.beside);
  begun_at_ = before.begun_at;
  last_ = std::move(before.last);
  n_ctx_used_ = before.n_ctx_used;
  return std::move(before.question);
}

void Chat::fill_context(std::size_t answer, int n_tokens) {
  in_flight_[answer].n_ctx_used = n_tokens;
  if (answer == chosen()) n_ctx_used_ = n_tokens;
}

template <class Delta>
void Chat::grow(std::size_t answer, const Delta& delta) {
  AnswerDraft& draft = in_flight_[answer].draft;
  draft.take(delta, message(answer));
  if (const auto n_used = draft.n_ctx_used()) fill_context(answer, *n_used);
  if (draft.has_grown(message(answer))) record_.save_drafts(path_);
}

Outcome Chat::finish_answer(std::size_t number, MessageState state,
                            const sessions::MessageStats& stats) {
  Message& answer = message(number);
  in_flight_[number].draft.end(answer);
  answer.state = state;
  answer.stats = stats;
  in_flight_[number].id = engine::AnswerId::none;
  before_.reset();
  record_.finish(path_, answer);
  return generating() ? Outcome{} : end_answers();
}

// The chosen answer replaces the first at the end of the path.
Outcome Chat::end_answers() {
  const std::size_t number = chosen();
  last_ = std::move(in_flight_[number].finished);
  if (last_) n_ctx_used_ = last_->n_ctx_used;
  if (number > 0) {
    std::swap(path_.back(), message(number));
    record_.show(path_.back());
  }
  record_.forget_saved_beside();
  in_flight_.clear();
  chosen_.reset();
  return {.chosen = number};
}

Outcome Chat::take_failure(std::size_t answer, const engine::Failed& failed) {
  if (!failed.prompt_too_long || !before_) return finish_answer(answer, MessageState::error, {});
  in_flight_[answer].id = engine::AnswerId::none;
  return {.refused = take_back()};
}

Outcome Chat::take(const engine::Event& event, std::size_t answer) {
  if (answer >= in_flight_.size() || !is_writing(answer)) return {};
  if (summary_) return take_of_summary(event);
  if (const auto* progress = std::get_if<engine::PrefillProgress>(&event)) {
    before_.reset();
    in_flight_[answer].draft.take(*progress);
    fill_context(answer, progress->n_done);
  } else if (const auto* remark = std::get_if<engine::Remark>(&event)) {
    notice_ = remark->text;
  } else if (const auto* thought = std::get_if<engine::ReasoningDelta>(&event)) {
    grow(answer, *thought);
  } else if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    grow(answer, *delta);
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    message(answer).tokens = finished->tokens;
    message(answer).answer_begin = finished->answer_begin;
    in_flight_[answer].finished = *finished;
    return finish_answer(answer, to_message_state(finished->reason),
                         to_message_stats(finished->stats));
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    return take_failure(answer, *failed);
  }
  return {};
}

Outcome Chat::take_of_summary(const engine::Event& event) {
  using engine::FinishReason;
  if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    summary_->add(delta->text);
  } else if (const auto* finished = std::get_if<engine::Finished>(&event)) {
    in_flight_.clear();
    if (finished->reason == FinishReason::context_full) {
      summarise_less();
    } else if (finished->reason == FinishReason::cancelled || summary_->text().empty()) {
      summary_.reset();
      notice_ = "No summary; the conversation is unchanged.";
    } else {
      return take_summary();
    }
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    in_flight_.clear();
    if (failed->prompt_too_long) {
      summarise_less();
    } else {
      summary_.reset();
      error_ = fmt::format("no summary: {}; the conversation is unchanged", failed->message);
    }
  }
  return {};
}

Outcome Chat::take_summary() {
  const std::string text = std::exchange(summary_, {})->text();
  start_new(system_with_summary(system(), text));
  return {.summary = text};
}

void Chat::summarise_less() {
  SummaryRequest summary = *std::exchange(summary_, {});
  if (summary.shorten()) return ask_for(std::move(summary));
  error_ = fmt::format(
      "no summary: the context of {} tokens is too small for one; /forget makes room; {}",
      model_info().n_ctx, larger_context(model_info()));
}

// --- for those who show it

std::string Chat::take_error() {
  return error_.empty() ? record_.take_error() : std::exchange(error_, {});
}

std::string Chat::take_notice() {
  return notice_.empty() ? record_.take_notice() : std::exchange(notice_, {});
}

}  // namespace confab::app
