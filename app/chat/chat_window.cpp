// SPDX-License-Identifier: MIT
// The part of Chat that decides what the model reads of a conversation that outgrows its context.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "app/chat/chat.h"
#include "app/chat/turns.h"
#include "app/error.h"
#include "app/figures.h"

namespace confab::app {
namespace {

using sessions::Memory;
using sessions::Reading;

// The oldest turns leave if less than this share of the context is free after an answer.
constexpr int kRoomShare = 8;
// A question is asked only with this share free for its answer. If that is too little, the answer
// makes room itself.
constexpr int kLeastShare = 16;
// The longest note, in tokens.
constexpr int kMostNote = 512;

int note_length(int n_ctx) {
  return std::clamp(n_ctx / 8, 1, kMostNote);
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::vector<TurnSize> turn_sizes(const MessagePath& path, const MessageSizes& sizes) {
  std::vector<TurnSize> turns;
  for (const TurnSpan& span : turns_in(shown(path))) {
    TurnSize turn{.reading = shown(path)[span.begin].reading};
    for (std::size_t i = span.begin; i < span.end; ++i) turn.n_tokens += sizes.n_tokens[i];
    turns.push_back(turn);
  }
  return turns;
}

}  // namespace

int Chat::room_after_answer() const {
  const int n_ctx = model_info().n_ctx;
  return std::max(n_ctx / kRoomShare, std::min(options().n_predict, n_ctx / 4));
}

int Chat::least_room() const {
  return std::max(model_info().n_ctx / kLeastShare, 1);
}

// The memory to record after the next step, which leaves `room` tokens free; nullopt if no turn can
// leave.
std::optional<Memory> Chat::next_memory(const MessagePath& path, int room) const {
  const auto said = shown(path);
  const MessageSizes sizes = sizes_of(*model_, path, template_settings(options_));
  const std::vector<TurnSpan> spans = turns_in(said);
  const std::vector<TurnSize> turns = turn_sizes(path, sizes);
  Memory memory = memory_of(said);
  const auto first = std::ranges::find_if(
      spans, [&](const TurnSpan& span) { return static_cast<int>(span.begin) >= memory.begin; });
  const auto n_gone = static_cast<std::size_t>(first - spans.begin());
  const int n_ctx = model_info().n_ctx;
  if (policy_.overflow == Overflow::summarise) room += note_length(n_ctx);
  WindowChoice choice = next_step(turns, n_gone, {sizes.n_fixed, n_ctx, room, policy_.keep});
  if (choice.first == n_gone) return std::nullopt;
  const auto place = [&](std::size_t turn) {
    return static_cast<int>(turn < spans.size() ? spans[turn].begin : said.size());
  };
  MessagePath asked = path;
  for (;; ++choice.first) {  // sizes are estimates, but the first try is usually right
    memory.begin = place(choice.first);
    memory.n_kept = std::min(place(choice.n_kept), memory.begin);
    asked.back().memory = memory;
    if (choice.first + 1 >= turns.size() || count(asked) + least_room() <= n_ctx) return memory;
  }
}

// Makes the question at the end of the path record what is read. Returns false if nothing has to
// leave, or nothing can. A short question is not counted if there is plenty of room.
bool Chat::make_it_fit(MessagePath& path) const {
  constexpr int kAround = 64;  // tokens that a template adds to a question
  if (!lets_go()) return false;
  const int n_ctx = model_info().n_ctx;
  const bool goes_on = path.size() == path_.size() + 1;
  const std::size_t n_bytes = prompt_of(path.back()).size() + kAround;
  if (goes_on && n_bytes < static_cast<std::size_t>(n_ctx) &&
      n_ctx_used_ + static_cast<int>(n_bytes) + least_room() <= n_ctx)
    return false;
  if (may_fit(path, model_info()) && count(path) + least_room() <= n_ctx) return false;
  const auto memory = next_memory(path, room_after_answer());
  if (memory) path.back().memory = memory;
  return memory.has_value();
}

// The memory that the last answer's question has to record for the answer to continue; nullopt if
// nothing changes.
std::optional<Memory> Chat::memory_to_go_on() const {
  if (path_.back().memory) return path_.back().memory;
  if (!lets_go() || count(path_) + least_room() <= model_info().n_ctx) return std::nullopt;
  return next_memory(path_, room_after_answer());
}

// Records the memory in a message of the open path.
void Chat::apply(const Memory& memory, std::size_t message) {
  MessagePath path = path_;
  path[message].memory = memory;
  const int n_used = count(path);
  drop_note();
  path_ = std::move(path);
  n_ctx_used_ = n_used;
  record_.save_reading(path_, message);
}

void Chat::set_overflow(Overflow overflow) {
  drop_note();
  policy_.overflow = overflow;
}

bool Chat::make_room() {
  if (generating() || note_ || messages().empty() || !lets_go()) return false;
  const Memory now = memory();
  const bool is_behind = policy_.overflow == Overflow::summarise && now.n_noted < now.begin;
  const int n_free = model_info().n_ctx - n_ctx_used_;
  std::optional<Memory> next;
  if (n_free < room_after_answer()) next = next_memory(path_, room_after_answer());
  if (policy_.overflow == Overflow::summarise) {
    if (next || is_behind) begin_note(next.value_or(now));
    return false;
  }
  if (!next) return false;
  apply(*next, path_.size() - 1);
  return true;
}

bool Chat::let_go() {
  assert(!generating());
  if (messages().empty()) return false;
  const auto next = next_memory(path_, room_after_answer());
  if (next) apply(*next, path_.size() - 1);
  return next.has_value();
}

// Does nothing if the question is too long even for the remaining context.
bool Chat::make_room_for(const Question& question) {
  if (generating() || messages().empty()) return false;
  MessagePath path = path_;
  path.push_back(message_of(question));
  if (!make_it_fit(path) || count(path) >= model_info().n_ctx) return false;
  apply(*path.back().memory, path_.size() - 1);
  return true;
}

// The answer is rewritten as it continues, so its question records what is read.
bool Chat::go_on_with_room() {
  assert(!generating());
  if (!last_ || last_->reason != engine::FinishReason::context_full || path_.size() < 2)
    return false;
  const auto next = next_memory(path_, room_after_answer());
  if (!next) return false;
  apply(*next, path_.size() - 2);
  continue_answer();
  return true;
}

// --- what the person says

void Chat::require_room(int n_used) const {
  const int n_ctx = model_info().n_ctx;
  if (n_used > n_ctx_used_ && n_used + least_room() > n_ctx)
    throw UserError(fmt::format(
        "no room: the model would read {} tokens, and its context holds {}; /context drop N lets "
        "something else go",
        grouped(n_used), grouped(n_ctx)));
}

void Chat::set_reading(std::size_t question, Reading reading) {
  assert(!generating());
  MessagePath path = path_;
  const std::size_t at = n_hidden(path) + question;
  path[at].reading = reading;
  const int n_used = count(path);
  require_room(n_used);
  drop_note();
  path_ = std::move(path);
  n_ctx_used_ = n_used;
  record_.save_reading(path_, at);
}

void Chat::set_note(const std::string& text) {
  assert(!generating());
  Memory memory = this->memory();
  if (memory.begin == 0)
    throw UserError("there is nothing to note: the model reads the whole conversation");
  memory.note = text;
  memory.n_noted = memory.begin;
  MessagePath path = path_;
  path.back().memory = memory;
  require_room(count(path));
  apply(memory, path_.size() - 1);
}

void Chat::forget_more(int n) {
  Memory memory = this->memory();
  const std::vector<TurnSpan> turns = turns_in(messages());
  auto first = std::ranges::find_if(
      turns, [&](const TurnSpan& turn) { return static_cast<int>(turn.begin) >= memory.begin; });
  first += std::min<std::ptrdiff_t>(n, turns.end() - first);
  const std::size_t begin = first == turns.end() ? messages().size() : first->begin;
  memory.begin = static_cast<int>(begin);
  apply(memory, path_.size() - 1);
}

// --- the note that a model writes

// The turns that the note has to cover, with the previous note. They are the part of the model's
// last prompt that leaves, so the model has almost nothing new to read.
MessagePath Chat::path_for_note(const Memory& memory) const {
  const Memory now = this->memory();
  const std::size_t end = n_hidden(path_) + static_cast<std::size_t>(memory.begin);
  MessagePath path(path_.begin(), path_.begin() + static_cast<std::ptrdiff_t>(end));
  path.back().memory = Memory{.n_kept = std::min(now.n_kept, now.n_noted),
                              .begin = now.n_noted,
                              .n_noted = now.n_noted,
                              .note = now.note};
  return path;
}

// A template without a system prompt has no place for a note. It is checked here, before the note
// is written.
void Chat::begin_note(Memory memory) {
  MessagePath asked = path_;
  asked.back().memory = memory;
  asked.back().memory->note = "?";
  count(asked);
  const MessagePath path = path_for_note(memory);
  const std::vector<engine::Turn> turns = turns_of(path, model_info().tokenizer_hash);
  note_ = NoteInFlight{.request = SummaryRequest(turns, count(path), model_info().n_ctx),
                       .memory = std::move(memory)};
  ask_for_note();
}

void Chat::ask_for_note() {
  AnswerOptions answered_with = options();
  answered_with.reasoning_budget = 0;
  answered_with.shape = {};
  answered_with.stop.clear();
  engine::GenerateRequest request = request_for(note_->request.turns(), answered_with);
  request.n_predict = note_length(model_info().n_ctx);
  note_->id = model_->generate(std::move(request));
}

void Chat::drop_note() noexcept {
  if (note_) model_->cancel(note_->id);
  note_.reset();
}

bool Chat::take_note(const engine::Event& event) {
  if (!note_) return false;
  if (const auto* delta = std::get_if<engine::TextDelta>(&event)) {
    note_->request.add(delta->text);
  } else if (const auto* failed = std::get_if<engine::Failed>(&event)) {
    if (!failed->prompt_too_long || !note_->request.shorten()) return end_note("");
    ask_for_note();
  } else if (std::holds_alternative<engine::Finished>(event)) {
    return end_note(trimmed(note_->request.text()));
  }
  return false;
}

// The turns leave even without a note, because the next question needs the room.
bool Chat::end_note(const std::string& text) {
  Memory memory = std::exchange(note_, {})->memory;
  if (text.empty())
    error_ = "no note could be written on the questions that the model no longer reads";
  else
    memory.note = text;
  memory.n_noted = memory.begin;
  apply(memory, path_.size() - 1);
  return true;
}

}  // namespace confab::app
