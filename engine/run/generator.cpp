// SPDX-License-Identifier: MIT
#include "engine/run/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <string_view>
#include <utility>

#include "engine/cache/page_pool.h"
#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/platform/pressure.h"
#include "engine/run/answer_state.h"
#include "kernels/thread_pool.h"

namespace confab::engine {
namespace {

bool are_numbers(std::span<const float> logits) {
  return std::ranges::all_of(logits, [](float x) { return !std::isnan(x); });
}

// Two beginnings of a question that share nothing, not even a token. Whatever their prompts have in
// common is the start of the prompt for any question.
constexpr std::array<std::string_view, 2> kProbes = {"What", "\n7"};

// An error raised by a template contains text from the model file.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

// The results of a pass for one answer: all logits of each row, or only the best.
struct Generator::Rows {
  std::span<const float> logits;
  std::span<const TopLogit> top;

  bool are_none() const { return logits.empty() && top.empty(); }
  // The i-th of n rows.
  Rows row(std::size_t i, std::size_t n) const {
    const std::size_t n_all = logits.size() / n, n_top = top.size() / n;
    return {logits.subspan(i * n_all, n_all), top.subspan(i * n_top, n_top)};
  }
};

// An answer in flight. Its sequence holds the start of its context. The rest of the context has yet
// to be run, and the next token is sampled after that.
struct Generator::Task {
  AnswerState answer;
  SequenceUse use;
  CachedSequence* cached = nullptr;  // nullptr while it waits
  bool writes = false;               // the prompt has been read
  bool ended = false;
  Clock::time_point begun = {};  // when reading began
  // For the current pass: the tokens to run. The last n_drafted of them are a draft.
  std::vector<Token> rows = {};
  int n_drafted = 0;
  bool is_alone = false;
  std::optional<Token> sampled = {};  // already sampled from its row of logits

  int n_run() const { return cached->sequence->n_tokens(); }
  int n_pending() const { return static_cast<int>(answer.context.size()) - n_run(); }
  // Whether the next token depends only on its row of logits and its sampler.
  bool may_be_sampled_apart() const {
    return writes && n_drafted == 0 && !answer.shape && !answer.is_full_length() &&
           !answer.is_over_budget() && !answer.is_stopped();
  }
  // Like AnswerState::sample().
  std::optional<Token> sample(const Rows& row) {
    if (row.top.empty()) return answer.sample(row.logits);
    return answer.sampler.sample(row.top);
  }
  // The row at the end of the prompt is needed completely.
  int n_enough() const { return writes ? answer.n_enough() : 0; }
  void show(int n_done) const {
    if (!writes)
      answer.events.push(PrefillProgress{n_done, answer.stats.n_prompt, answer.stats.n_cached});
  }
};

struct Generator::Pass {
  std::vector<Task*> tasks = {};
  std::vector<SequenceRun> runs = {};
  bool reads = false;  // includes a piece of a prompt
  int n_rows = 0;

  void begin() {
    tasks.clear();
    runs.clear();
    reads = false;
    n_rows = 0;
  }
  bool is_stopped() const {
    return std::ranges::all_of(tasks, [](const Task* task) { return task->answer.is_stopped(); });
  }
};

Generator::Generator(Parts parts)
    : parts_(std::move(parts)),
      decoder_(parts_.cache.decoder()),
      constraints_(*parts_.model.tokenizer),
      chunk_(decoder_.n_batch(), decoder_.n_parts()),
      drafting_(decoder_.n_ctx(), parts_.drafts),
      pass_(std::make_unique<Pass>()) {}

Generator::~Generator() = default;

void Generator::start(const GenerateRequest& request, Clock::time_point requested,
                      std::stop_token stop, AnswerEvents events) {
  try {
    parts_.model.gguf.guard();
    check_weights();
    const AnswerBeginnings beginnings{parts_.model, parts_.prompts, parts_.stop, constraints_};
    auto task = std::unique_ptr<Task>(
        new Task{.answer = beginnings.begin(request, requested, std::move(stop), events),
                 .use = {.origin = request.origin}});
    if (std::optional<Failed> refused = refusal(task->answer))
      return events.push(*std::move(refused));
    tasks_.push_back(std::move(task));
  } catch (const Stopped&) {  // while rendering the template
    const Sequence* last = parts_.cache.last();
    events.push(
        Finished{FinishReason::cancelled, {}, {}, 0, last == nullptr ? 0 : last->n_tokens()});
  } catch (const PromptTooLong& error) {
    events.push(Failed{.message = error.what(), .prompt_too_long = true});
  } catch (const std::exception& error) {
    events.push(Failed{.message = one_line(error.what())});
  }
}

// Why an answer cannot be begun, or nullopt.
std::optional<Failed> Generator::refusal(AnswerState& answer) const {
  const int n_prompt = answer.stats.n_prompt;
  if (n_prompt < decoder_.n_ctx()) return shape_refusal(answer);
  return Failed{.message = fmt::format("the prompt of {} tokens does not fit in the context of {} "
                                       "(the model's limit is {})",
                                       n_prompt, decoder_.n_ctx(), parts_.model.hparams.n_ctx_max),
                .prompt_too_long = true};
}

// How many tokens the answer may still have.
int Generator::n_left(const AnswerState& answer) const {
  const int n_room = decoder_.n_ctx() - static_cast<int>(answer.context.size());
  return answer.n_predict < 0 ? n_room
                              : std::min(n_room, answer.n_predict - answer.stats.n_generated);
}

// Why no answer of this shape fits; nullopt if one does, whatever the model writes.
std::optional<Failed> Generator::shape_refusal(AnswerState& answer) const {
  if (!answer.shape) return std::nullopt;
  const int n_least = answer.shape->n_needed();
  if (answer.n_predict >= 0 && n_least > answer.n_predict)
    return Failed{.message = fmt::format("the shortest answer of this shape that is known has {} "
                                         "tokens, and it may have {}",
                                         n_least, answer.n_predict),
                  .shape_too_long = true};
  const int n_markers =
      answer.text.in_reasoning() ? static_cast<int>(parts_.prompts.reasoning_end().size()) : 0;
  const int n_prompt = answer.stats.n_prompt;
  if (n_prompt + n_markers + n_least <= decoder_.n_ctx()) return std::nullopt;
  return Failed{.message = fmt::format("the shortest answer of this shape that is known has {} "
                                       "tokens, and beside the prompt of {} the context of {} has "
                                       "room for {}",
                                       n_least, n_prompt, decoder_.n_ctx(),
                                       std::max(decoder_.n_ctx() - n_prompt - n_markers, 0)),
                .prompt_too_long = true};
}

int Generator::n_in_flight() const {
  return static_cast<int>(
      std::ranges::count_if(tasks_, [](const auto& task) { return task->cached != nullptr; }));
}

// The next waiting task. nullptr if there is none, or if another task is reading what its prompt
// begins with.
Generator::Task* Generator::next_to_admit() const {
  const auto next = std::ranges::find(tasks_, nullptr, [](const auto& t) { return t->cached; });
  if (next == tasks_.end() || is_full_ || n_in_flight() >= decoder_.n_logits()) return nullptr;
  const std::span<const Token> context = (*next)->answer.context;
  const auto is_ahead = [&](const auto& task) {
    if (task->cached == nullptr || task->writes) return false;
    const int n = common_prefix(task->answer.context, context.first(context.size() - 1));
    return n >= PrefixCache::kMinTokens && n > task->n_run();
  };
  return std::ranges::any_of(tasks_, is_ahead) ? nullptr : next->get();
}

void Generator::admit() {
  while (Task* next = next_to_admit()) {
    if (!next->writes) next->begun = Clock::now();
    try {
      next->cached = &parts_.cache.begin(next->answer.context, next->use);
    } catch (const OutOfPages&) {
      if (n_in_flight() == 0) throw;
      is_full_ = true;
      return;
    }
    if (!next->writes) next->answer.stats.n_cached = next->n_run();
    next->answer.tokens.reserve(static_cast<std::size_t>(decoder_.n_ctx() + 1));
  }
}

void Generator::step() {
  try {
    for (const auto& task : tasks_)
      if (task->answer.is_stopped()) finish(*task, FinishReason::cancelled);
    remove_ended();
    admit();
    const Clock::time_point begin = drafting_.now();
    const Pass& pass = plan_pass();
    if (!pass.runs.empty() && run(pass) == RunEnd::done) {
      pass_time_ = drafting_.now() - begin;
      if (pass.reads) chunk_.record(pass.n_rows, pass_time_);
      sample_side_by_side(pass);
      for (std::size_t i = 0; i < pass.runs.size(); ++i) take(*pass.tasks[i], rows_of(i));
    }
  } catch (const OutOfPages&) {
    make_way();
  } catch (const std::exception& error) {
    for (const auto& task : tasks_) fail(*task, error.what());
  }
  remove_ended();
}

// Chooses the tokens of each answer to run, and a draft if an answer is alone.
const Generator::Pass& Generator::plan_pass() {
  Pass& pass = *pass_;
  pass.begin();
  const auto writes = [](const auto& task) { return task->cached && task->n_pending() == 1; };
  const auto n_writing = static_cast<int>(std::ranges::count_if(tasks_, writes));
  int left = std::min(chunk_.n_tokens(), decoder_.n_batch() - n_writing);
  for (const auto& task : tasks_) {
    if (task->cached == nullptr) continue;
    if (task->n_run() == decoder_.n_ctx()) {
      finish(*task, FinishReason::context_full);
      continue;
    }
    const int n_pending = task->n_pending();
    const int n = n_pending == 1 ? 1 : std::min(n_pending, left);
    if (n <= 0) continue;
    if (n_pending > 1) left -= n;
    const auto from = task->answer.context.begin() + task->n_run();
    task->rows.assign(from, from + n);
    task->n_drafted = 0;
    task->sampled.reset();
    pass.reads |= n_pending > 1;
    pass.n_rows += n;
    pass.tasks.push_back(task.get());
    pass.runs.push_back(
        {task->cached->sequence.get(), {}, n == n_pending ? LogitsOf::last_token : LogitsOf::none});
  }
  const bool is_alone = pass.tasks.size() == 1 && !pass.reads;
  for (std::size_t i = 0; i < pass.tasks.size(); ++i) {
    Task& task = *pass.tasks[i];
    task.is_alone = is_alone && task.writes;
    if (task.is_alone) add_draft(task);
    if (task.n_drafted > 0) pass.runs[i].logits = LogitsOf::all_tokens;
    pass.runs[i].tokens = task.rows;
    pass.runs[i].n_top = task.n_enough();
  }
  return pass;
}

void Generator::add_draft(Task& task) {
  if (drafted_ != &task) drafting_.begin(task.answer.context, task.use);
  drafted_ = &task;
  const AnswerState& answer = task.answer;
  const int n_free = decoder_.n_ctx() - task.n_run();
  const int n_wanted = answer.n_predict < 0 ? n_free : answer.n_predict - answer.stats.n_generated;
  const auto by_head = [&](Token token, int n_ahead) -> std::span<const float> {
    try {
      return decoder_.guess(*task.cached->sequence, token, n_ahead);
    } catch (const OutOfPages&) {  // if pages are needed, the pass itself frees some
      return {};
    }
  };
  const Drafting::Guess guess = by_head;
  const auto draft =
      drafting_.propose(std::min({n_free, n_wanted, decoder_.n_batch(), decoder_.n_logits()}) - 1,
                        answer.stop, &guess);
  task.rows.insert(task.rows.end(), draft.begin(), draft.end());
  task.n_drafted = static_cast<int>(draft.size());
}

// Throws OutOfPages. Throws ModelError if there is no memory or the weights have changed.
RunEnd Generator::run(const Pass& pass) {
  for (const Task* task : pass.tasks) task->show(task->n_run());
  const RunEnd end = parts_.cache.run(pass.runs, [&](int il) {
    if (!decoder_.can_stop()) return true;
    for (const Task* task : pass.tasks)
      task->show(task->n_run() + static_cast<int>(task->rows.size()) * il / decoder_.n_layer());
    return !pass.is_stopped();
  });
  check_weights();
  return end;
}

Generator::Rows Generator::rows_of(std::size_t run) const {
  return {decoder_.logits(run), decoder_.top(run)};
}

// Sampling from many thousand logits takes longer than everything else between two passes.
void Generator::sample_side_by_side(const Pass& pass) {
  if (parts_.team == nullptr || pass.tasks.size() < 2) return;
  parts_.team->parallel_for(static_cast<int>(pass.tasks.size()), [&](int i, int) {
    Task& task = *pass.tasks[static_cast<std::size_t>(i)];
    const Rows rows = rows_of(static_cast<std::size_t>(i));
    if (rows.are_none() || !task.may_be_sampled_apart()) return;
    try {
      task.sampled = task.sample(rows);
    } catch (const ModelError&) {  // it is thrown again where it can be reported
    }
  });
}

// Results computed with changed weights are neither shown nor kept. If a change cannot be ruled
// out, the store is not used.
void Generator::check_weights() {
  if (parts_.model.gguf.check() == FileState::touched) parts_.cache.set_fingerprint({});
}

// A pass had too few pages. The answer that began last waits until another has ended, and then
// continues from its text.
void Generator::make_way() {
  const auto last = std::find_if(tasks_.rbegin(), tasks_.rend(),
                                 [](const auto& task) { return task->cached != nullptr; });
  if (last == tasks_.rend()) return finish(*tasks_.front(), FinishReason::context_full);
  if (n_in_flight() == 1) return finish(**last, FinishReason::context_full);
  parts_.cache.drop(*std::exchange((*last)->cached, nullptr));
  is_full_ = true;
}

// Takes the results of the pass for one answer.
void Generator::take(Task& task, const Rows& rows) {
  try {
    if (rows.are_none()) return parts_.cache.grown(*task.cached, true);
    if (!task.writes && !begins(task, rows)) return;
    if (const auto reason = take_rows(task, rows)) finish(task, *reason);
  } catch (const ModelError& error) {
    fail(task, error.what());
  }
}

// The prompt has been read. If there are NaNs, the cached part is suspected before the model: it is
// read again, and this returns false.
bool Generator::begins(Task& task, const Rows& rows) {
  AnswerState& answer = task.answer;
  if (answer.stats.n_cached > 0 && !are_numbers(rows.logits)) {
    parts_.cache.forget(*task.cached);
    answer.stats.n_cached = 0;
    return false;
  }
  task.show(answer.stats.n_prompt);
  answer.stats.prefill = Clock::now() - task.begun;
  return true;
}

// Samples from the rows in turn, as long as the sampled token equals the drafted one. Then cuts the
// sequence to what the answer accepted. Returns why the answer ends, if it does.
std::optional<FinishReason> Generator::take_rows(Task& task, const Rows& rows) {
  AnswerState& answer = task.answer;
  const std::size_t n_rows = task.rows.size(), n_drafted = static_cast<std::size_t>(task.n_drafted);
  const int n_sure = task.n_run() - task.n_drafted;
  std::size_t n_taken = 0;  // accepted tokens of the draft
  std::optional<FinishReason> end;
  for (;;) {
    bool goes_on = true;
    end = next_token(task, rows.row(n_taken, n_drafted + 1), goes_on);
    if (end || !goes_on || n_taken == n_drafted ||
        task.rows[n_rows - n_drafted + n_taken] != answer.context.back())
      break;
    ++n_taken;
  }
  parts_.cache.truncate(*task.cached, n_sure + static_cast<int>(n_taken));
  parts_.cache.grown(*task.cached, n_rows - n_drafted > 1);
  if (task.is_alone) drafting_.record(task.n_drafted, static_cast<int>(n_taken), pass_time_);
  DraftCount& count = count_of(answer.stats, drafting_.source());
  answer.stats.n_passes += task.writes;
  answer.stats.n_drafted += task.n_drafted;
  answer.stats.n_accepted += static_cast<int>(n_taken);
  count.n_drafted += task.n_drafted;
  count.n_accepted += static_cast<int>(n_taken);
  task.writes = true;
  return end;
}

// Picks the token after a row of logits. goes_on becomes false unless exactly that token was
// appended to the context.
std::optional<FinishReason> Generator::next_token(Task& task, const Rows& row, bool& goes_on) {
  AnswerState& answer = task.answer;
  if (answer.is_full_length()) return FinishReason::length;
  if (answer.is_stopped()) return FinishReason::cancelled;
  if (must_close_reasoning(answer)) {
    goes_on = false;
    return close_reasoning(task);
  }
  if (!task.sampled) task.sampled = task.sample(row);
  if (const auto closed = closes_shape(task)) return closed;
  const Token token = *std::exchange(task.sampled, std::nullopt);
  answer.count();
  if (parts_.model.tokenizer->is_eog(token)) return FinishReason::end_of_turn;
  append(task, token);
  if (answer.add(*parts_.model.tokenizer, token)) return FinishReason::stop_string;
  if (answer.must_end()) return FinishReason::end_of_turn;
  if (answer.is_full_length()) return FinishReason::length;  // its logits are not needed
  goes_on = !adds_what_must_follow(task);
  return std::nullopt;
}

// Reasoning must end while there is still room for the answer.
bool Generator::must_close_reasoning(AnswerState& answer) const {
  if (answer.is_over_budget()) return true;
  const auto n_markers = static_cast<int>(parts_.prompts.reasoning_end().size());
  if (!answer.shape || !answer.text.in_reasoning() || n_markers == 0) return false;
  const int n_spare = n_left(answer) - n_markers - answer.shape->n_needed();
  return n_spare <= (answer.text.at_boundary() ? ReasoningBudget::kMaxGrace : 0);
}

// Ends the reasoning so that the answer follows. Returns why the answer ends, if it does.
std::optional<FinishReason> Generator::close_reasoning(Task& task) {
  const std::span<const Token> rest = parts_.prompts.reasoning_end();
  if (task.answer.context.size() + rest.size() > static_cast<std::size_t>(decoder_.n_ctx()))
    return FinishReason::context_full;
  task.answer.close_reasoning(*parts_.model.tokenizer, rest);
  for (const Token token : rest) append(task, token);
  return std::nullopt;
}

// Completes the answer in its shape if no token can continue it, or if the sampled one would leave
// too little room for the end. Returns why the answer ends, if it does.
std::optional<FinishReason> Generator::closes_shape(Task& task) {
  AnswerState& answer = task.answer;
  if (!answer.shape) return std::nullopt;
  const std::optional<Token> next = task.sampled;
  if (next && answer.shape->leaves_room(*next, answer.text, n_left(answer) - 1))
    return std::nullopt;
  for (const Token token : answer.shape->close()) {
    answer.count();
    answer.context.push_back(token);  // no more drafts are made
    answer.add(*parts_.model.tokenizer, token);
  }
  return next ? FinishReason::length : FinishReason::end_of_turn;
}

// If the shape leaves no choice, nothing is sampled.
bool Generator::adds_what_must_follow(Task& task) {
  AnswerState& answer = task.answer;
  if (!answer.shape) return false;
  const std::vector<Token> forced = answer.shape->forced(answer.text);
  const int n_then = n_left(answer) - static_cast<int>(forced.size());
  if (forced.empty() || n_then <= 0 || !answer.shape->leaves_room(forced, n_then)) return false;
  for (const Token token : forced) {
    answer.count();
    append(task, token);
    answer.add(*parts_.model.tokenizer, token);
  }
  return true;
}

void Generator::append(Task& task, Token token) {
  task.answer.context.push_back(token);
  if (drafted_ == &task) drafting_.add(token);
}

void Generator::finish(Task& task, FinishReason reason) {
  AnswerState& answer = task.answer;
  answer.finish_text();
  const Sequence* sequence = task.cached ? task.cached->sequence.get() : parts_.cache.last();
  const int n_ctx_used = sequence == nullptr ? 0 : sequence->n_tokens();
  const int answer_begin = answer.begin_for_events();
  answer.stats.n_major_faults = platform::major_faults() - answer.faults_before;
  answer.events.push(Finished{reason, answer.stats, std::move(answer.tokens), answer_begin,
                              n_ctx_used, answer.is_in_shape()});
  if (task.cached) parts_.cache.end(*std::exchange(task.cached, nullptr));
  task.ended = true;
}

void Generator::remark(const std::string& text) {
  for (const auto& task : tasks_) task->answer.events.push(Remark{text});
}

// Results of a failed computation must not be used again.
void Generator::fail(Task& task, const std::string& message) {
  if (task.ended) return;
  if (task.cached) parts_.cache.discard(*std::exchange(task.cached, nullptr));
  task.answer.events.push(Failed{.message = one_line(message)});
  task.ended = true;
}

void Generator::remove_ended() {
  const auto has_ended = [](const auto& task) { return task->ended; };
  for (const auto& task : tasks_) {
    if (!task->ended || drafted_ != task.get()) continue;
    drafted_ = nullptr;
    drafting_.end();
  }
  if (std::erase_if(tasks_, has_ended) > 0) is_full_ = false;
}

std::vector<Token> likely_prompt(const PromptBuilder& builder, const PrepareRequest& request,
                                 const std::stop_token& stop) {
  std::vector<Turn> turns = request.turns;
  turns.push_back({.message = {.role = "user", .content = {}}});
  std::array<std::vector<Token>, kProbes.size()> prompts;
  for (std::size_t i = 0; i < kProbes.size(); ++i) {
    turns.back().message.content = request.draft + std::string(kProbes[i]);
    prompts[i] = builder.build(turns, request.settings, stop);
  }
  const auto end = std::ranges::mismatch(prompts[0], prompts[1]).in1;
  return {prompts[0].begin(), end};
}

void Generator::prepare(const PrepareRequest& request, const std::stop_token& stop) {
  assert(!is_busy());
  const std::vector<Token> prompt = likely_prompt(parts_.prompts, request, stop);
  if (prompt.empty() || prompt.size() >= static_cast<std::size_t>(decoder_.n_ctx())) return;
  parts_.model.gguf.guard();
  check_weights();
  CachedSequence& cached =
      parts_.cache.begin(prompt, {.origin = request.origin, .secret = !request.draft.empty()});
  try {
    read_ahead(cached, prompt, stop);
  } catch (...) {
    parts_.cache.drop(cached);
    throw;
  }
  parts_.cache.end(cached);
}

void Generator::read_ahead(CachedSequence& cached, std::span<const Token> prompt,
                           const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto rest = prompt.subspan(static_cast<std::size_t>(cached.sequence->n_tokens()));
    if (rest.empty()) return;
    const auto n = std::min(static_cast<std::size_t>(chunk_.n_tokens()), rest.size());
    const SequenceRun run{cached.sequence.get(), rest.first(n), LogitsOf::none};
    const Clock::time_point begin = drafting_.now();
    const RunEnd end = parts_.cache.run(
        {&run, 1}, [&](int) { return !decoder_.can_stop() || !stop.stop_requested(); });
    check_weights();
    if (end != RunEnd::done) continue;
    chunk_.record(static_cast<int>(n), drafting_.now() - begin);
    parts_.cache.grown(cached, true);
  }
}

}  // namespace confab::engine
