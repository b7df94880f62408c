// SPDX-License-Identifier: MIT
#include "engine/run/scoring/scorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "engine/cache/page_pool.h"
#include "engine/error.h"
#include "engine/model/model.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

// log(sum(exp(x - most))) over these logits, none of which is above `most`.
template <typename Logits>
double log_sum_exp(const Logits& logits, double most) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(x - most);
  return std::log(sum);
}

using Clock = std::chrono::steady_clock;

// If a sequence remembers more than blocks, each fork copies it.
constexpr int kMaxCopies = 4;

std::vector<Token> end_tokens(const Tokenizer& tokenizer) {
  std::vector<Token> ends;
  for (Token token = 0; token < tokenizer.n_vocab(); ++token)
    if (tokenizer.is_eog(token)) ends.push_back(token);
  return ends;
}

void check(const ScoreRequest& request) {
  if (request.options.empty()) throw ModelError("options: found none, expected 1 or more");
  const auto empty = std::ranges::find(request.options, std::string());
  if (empty != request.options.end())
    throw ModelError(
        fmt::format("option {} is empty: give it a text", empty - request.options.begin() + 1));
}

void check(const OptionPrompt& prompt) {
  if (prompt.ids.empty())
    throw ModelError("prompt: the chat template makes no prompt from these messages");
  if (std::ranges::any_of(prompt.options, &std::vector<Token>::empty))
    throw ModelError("an option cannot be written with this model's tokens");
}

int longest_option(const OptionPrompt& prompt) {
  const auto longest =
      std::ranges::max_element(prompt.options, std::ranges::less(), &std::vector<Token>::size);
  return static_cast<int>(longest->size());
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

// Runs the tokens of one path of the tree.
struct Scorer::Branch {
  // Begins with the prompt. nullptr if it has not begun or is no longer needed.
  std::unique_ptr<Sequence> sequence = nullptr;
  std::vector<Token> rows = {};  // of the current pass
  int first = 0;                 // index in the path of the first of them
};

struct Scorer::Task {
  std::vector<Token> prompt;
  OptionTree tree;
  std::size_t n_options;
  SequenceUse use;
  std::stop_token stop;
  AnswerEvents events;
  ScoreStats stats = {};
  CachedSequence* cached = nullptr;   // the prompt's, while it is in use
  std::vector<Branch> branches = {};  // one per path
  int width;                          // most paths in a pass
  bool waits = false;                 // for pages held by answers
  bool ended = false;
  // For the current pass.
  std::vector<SequenceRun> runs = {};
  std::vector<std::size_t> paths = {};

  int n_prompt() const { return static_cast<int>(prompt.size()); }
  bool is_stopped() const { return stop.stop_requested(); }
  const OptionTree::Path& path(std::size_t i) const { return tree.paths()[i]; }
  bool is_done(std::size_t i) const { return tree.has(path(i).nodes.back()); }
  void show(int n_done) const {
    events.push(PrefillProgress{n_done, stats.n_prompt, stats.n_cached});
  }
};

Scorer::Scorer(Parts parts)
    : parts_(parts),
      decoder_(parts_.cache.decoder()),
      chunk_(decoder_.n_batch(), decoder_.n_parts()),
      ends_(end_tokens(*parts_.model.tokenizer)) {
  parts_.cache.on_shortage([this] { return give_up(); });
}

Scorer::~Scorer() {
  parts_.cache.on_shortage(nullptr);
}

void Scorer::start(const ScoreRequest& request, std::stop_token stop, AnswerEvents events) {
  try {
    check(request);
    parts_.model.gguf.guard();
    OptionPrompt prompt =
        parts_.prompts.build_options(request.turns, request.options, request.settings, stop);
    check(prompt);
    const int n_prompt = static_cast<int>(prompt.ids.size()), n_option = longest_option(prompt);
    if (n_prompt + n_option > decoder_.n_ctx()) {
      events.push(Failed{.message = fmt::format(
                             "the prompt of {} tokens and an option of {} do not fit in the "
                             "context of {} (the model's limit is {})",
                             n_prompt, n_option, decoder_.n_ctx(), parts_.model.hparams.n_ctx_max),
                         .prompt_too_long = true});
      return;
    }
    const OptionTree tree(prompt.options, ends_);
    const std::size_t n_paths = tree.paths().size();
    tasks_.push_back(std::unique_ptr<Task>(new Task{.prompt = std::move(prompt.ids),
                                                    .tree = tree,
                                                    .n_options = request.options.size(),
                                                    .use = {.origin = request.origin},
                                                    .stop = std::move(stop),
                                                    .events = events,
                                                    .stats = {.n_prompt = n_prompt},
                                                    .branches = std::vector<Branch>(n_paths),
                                                    .width = widest()}));
  } catch (const Stopped&) {  // while rendering the template
    events.push(Finished{FinishReason::cancelled, {}, {}});
  } catch (const std::exception& error) {
    events.push(Failed{.message = one_line(error.what())});
  }
}

int Scorer::widest() const noexcept {
  const int n = std::min(decoder_.n_logits(), decoder_.n_batch());
  return decoder_.is_made_of_blocks() ? n : std::min(n, kMaxCopies);
}

void Scorer::step(bool alone) {
  end_stopped();
  if (tasks_.empty()) return;
  Task& task = *tasks_.front();
  if (task.waits && !alone) return;
  task.waits = false;
  is_running_ = true;
  try {
    advance(task);
  } catch (const OutOfPages&) {
    make_way(alone);
  } catch (const std::exception& error) {
    fail(task, error.what());
  }
  is_running_ = false;
  std::erase_if(tasks_, [](const auto& each) { return each->ended; });
}

void Scorer::end_stopped() {
  for (const auto& task : tasks_) {
    if (!task->is_stopped()) continue;
    const int n_used = task->cached ? task->cached->sequence->n_tokens() : 0;
    task->branches.clear();
    if (task->cached) parts_.cache.end(*std::exchange(task->cached, nullptr));
    task->events.push(Finished{FinishReason::cancelled, {}, {}, 0, n_used});
    task->ended = true;
  }
  std::erase_if(tasks_, [](const auto& each) { return each->ended; });
}

void Scorer::advance(Task& task) {
  if (task.cached == nullptr) {
    task.cached = &parts_.cache.begin(task.prompt, task.use);
    if (!task.tree.has(OptionTree::kRoot)) task.stats.n_cached = task.cached->sequence->n_tokens();
  }
  if (task.cached->sequence->n_tokens() < task.n_prompt()) return read(task);
  score(task);
  for (std::size_t i = 0; i < task.branches.size(); ++i)
    if (!task.is_done(i)) return;
  finish(task);
}

// Reads a piece of the prompt.
void Scorer::read(Task& task) {
  Sequence& sequence = *task.cached->sequence;
  const Clock::time_point begin = Clock::now();
  const auto rest = std::span(task.prompt).subspan(static_cast<std::size_t>(sequence.n_tokens()));
  const auto n = std::min(static_cast<std::size_t>(chunk_.n_tokens()), rest.size());
  const SequenceRun piece{&sequence, rest.first(n),
                          n == rest.size() ? LogitsOf::last_token : LogitsOf::none};
  task.show(sequence.n_tokens());
  const RunEnd end = run(task, {&piece, 1}, true);
  task.stats.prefill += Clock::now() - begin;
  if (end != RunEnd::done) return;
  chunk_.record(static_cast<int>(n), Clock::now() - begin);
  parts_.cache.grown(*task.cached, true);
  if (piece.logits == LogitsOf::last_token) take_prompt(task, decoder_.logits(0));
}

// If there are NaNs, the cached part is suspected before the model, and the prompt is read again.
void Scorer::take_prompt(Task& task, std::span<const float> logits) {
  if (!task.tree.take(OptionTree::kRoot, logits)) {
    if (task.stats.n_cached == 0) throw ModelError("the model gives values that are not numbers");
    parts_.cache.forget(*task.cached);
    task.stats.n_cached = 0;
    return;
  }
  task.show(task.n_prompt());
}

// Runs a pass of options.
void Scorer::score(Task& task) {
  const Clock::time_point begin = Clock::now();
  plan(task);
  const RunEnd end = run(task, task.runs, false);
  if (end == RunEnd::done) take_rows(task);
  drop_used(task);
  task.stats.scoring += Clock::now() - begin;
}

// Runs fewer texts at a time rather than take pages from sequences that may be wanted again.
void Scorer::plan(Task& task) {
  task.runs.clear();
  task.paths.clear();
  int left = std::min(decoder_.n_logits(), decoder_.n_batch());
  int n_new =
      // How many forks may begin; one more if there is nothing else to do.
      decoder_.n_free_pages();
  for (std::size_t i = 0; i < task.branches.size(); ++i) {
    if (left == 0 || static_cast<int>(task.runs.size()) == task.width) break;
    Branch& branch = task.branches[i];
    const bool is_new = !branch.sequence;
    if (task.is_done(i) || (is_new && n_new <= 0 && !task.runs.empty())) continue;
    if (!has_fork(task, i)) continue;
    n_new -= is_new ? 1 : 0;
    const std::vector<int>& nodes = task.path(i).nodes;
    branch.first = branch.sequence->n_tokens() - task.n_prompt();
    const int n = std::min(left, static_cast<int>(nodes.size()) - branch.first);
    branch.rows.clear();
    for (int k = branch.first; k < branch.first + n; ++k)
      branch.rows.push_back(task.tree.token(nodes[static_cast<std::size_t>(k)]));
    task.runs.push_back({branch.sequence.get(), branch.rows, LogitsOf::all_tokens});
    task.paths.push_back(i);
    left -= n;
  }
}

// Gives a path a sequence if it has none. Returns false if another path must first run the tokens
// that they share.
bool Scorer::has_fork(Task& task, std::size_t i) {
  Branch& branch = task.branches[i];
  if (branch.sequence && branch.sequence->n_tokens() < task.n_prompt())
    branch.sequence.reset();  // memory was lost
  if (branch.sequence) return true;
  const OptionTree::Path& path = task.path(i);
  const int n_known = task.n_prompt() + path.n_shared;
  if (path.n_shared > 0) {
    if (!task.tree.has(path.nodes[static_cast<std::size_t>(path.n_shared - 1)])) return false;
    const Branch& parent = task.branches[static_cast<std::size_t>(path.parent)];
    if (parent.sequence && parent.sequence->n_tokens() >= n_known)
      branch.sequence = parent.sequence->fork(n_known);
    if (branch.sequence && branch.sequence->n_tokens() == n_known) return true;
  }
  branch.sequence = task.cached->sequence->fork(task.n_prompt());
  return true;
}

void Scorer::take_rows(Task& task) {
  const auto n_vocab = static_cast<std::size_t>(parts_.model.hparams.n_vocab);
  for (std::size_t i = 0; i < task.paths.size(); ++i) {
    const Branch& branch = task.branches[task.paths[i]];
    const std::vector<int>& nodes = task.path(task.paths[i]).nodes;
    std::span<const float> logits = decoder_.logits(i);
    for (std::size_t k = 0; k < branch.rows.size(); ++k, logits = logits.subspan(n_vocab)) {
      const int node = nodes[static_cast<std::size_t>(branch.first) + k];
      if (!task.tree.take(node, logits.first(n_vocab)))
        throw ModelError("the model gives values that are not numbers");
    }
    task.stats.n_scored += static_cast<int>(branch.rows.size());
  }
  ++task.stats.n_passes;
}

// A finished path is kept while other paths are to begin from it, if there is room.
void Scorer::drop_used(Task& task) noexcept {
  for (std::size_t i = 0; i < task.branches.size(); ++i) {
    if (!task.branches[i].sequence || !task.is_done(i)) continue;
    const bool has_room = task.width > 1 && decoder_.n_free_pages() > 0;
    bool is_wanted = false;
    for (std::size_t k = i + 1; k < task.branches.size() && has_room; ++k)
      is_wanted |= task.path(k).parent == static_cast<int>(i) && !task.branches[k].sequence &&
                   !task.is_done(k);
    if (!is_wanted) task.branches[i].sequence.reset();
  }
}

// Throws OutOfPages. Throws ModelError if there is no memory or the weights have changed. See
// Generator::run().
RunEnd Scorer::run(Task& task, std::span<const SequenceRun> runs, bool shows) {
  const RunEnd end = parts_.cache.run(runs, [&](int il) {
    if (!decoder_.can_stop()) return true;
    const int n_done = runs.front().sequence->n_tokens();
    const auto n_rows = static_cast<int>(runs.front().tokens.size());
    if (shows) task.show(n_done + n_rows * il / decoder_.n_layer());
    return !task.is_stopped();
  });
  if (parts_.model.gguf.check() == FileState::touched) parts_.cache.set_fingerprint({});
  return end;
}

// A pass had too few pages. Runs fewer paths at a time, or waits until no answer holds any pages. A
// single path always fits, because start() checked the longest one.
void Scorer::make_way(bool alone) {
  Task& task = *tasks_.front();
  const bool was_single = std::exchange(task.width, std::max(1, task.width / 2)) == 1;
  int n_kept = was_single ? task.width : 0;
  for (Branch& branch : task.branches)
    if (branch.sequence && ++n_kept > task.width) branch.sequence.reset();
  if (!was_single) return;
  if (alone) return fail(task, "there is no memory left for the options in this context");
  if (task.cached) parts_.cache.end(*std::exchange(task.cached, nullptr));
  task.waits = true;
}

// Gives up this scoring's pages when an answer needs some and all are in use. It is computed again
// later.
bool Scorer::give_up() noexcept {
  if (is_running_ || tasks_.empty() || tasks_.front()->cached == nullptr) return false;
  Task& task = *tasks_.front();
  for (Branch& branch : task.branches) branch.sequence.reset();
  parts_.cache.drop(*std::exchange(task.cached, nullptr));
  task.waits = true;
  return true;
}

void Scorer::finish(Task& task) {
  Scored scored{.options = {}, .stats = task.stats};
  for (std::size_t i = 0; i < task.n_options; ++i) scored.options.push_back(task.tree.score(i));
  task.branches.clear();
  parts_.cache.end(*std::exchange(task.cached, nullptr));
  task.events.push(std::move(scored));
  task.ended = true;
}

// Results of a failed computation must not be used again.
void Scorer::fail(Task& task, const std::string& message) {
  task.branches.clear();
  if (task.cached) parts_.cache.discard(*std::exchange(task.cached, nullptr));
  task.events.push(Failed{.message = one_line(message)});
  task.ended = true;
}

OptionTree::OptionTree(std::span<const std::vector<Token>> options, std::span<const Token> ends)
    : ends_(ends.begin(), ends.end()), nodes_({{.token = -1, .parent = -1}}) {
  for (const std::vector<Token>& option : options) {
    assert(!option.empty());
    int node = kRoot;
    for (const Token token : option) node = child(node, token);
    at(node).is_end = true;
    last_.push_back(node);
  }
  find_paths();
}

int OptionTree::child(int node, Token token) {
  for (const int known : at(node).children)
    if (at(known).token == token) return known;
  const int added = static_cast<int>(nodes_.size());
  nodes_.push_back({.token = token, .parent = node});
  at(node).children.push_back(added);
  return added;
}

std::vector<int> OptionTree::way_to(int node) const {
  std::vector<int> nodes;
  for (; node != kRoot; node = at(node).parent) nodes.push_back(node);
  std::ranges::reverse(nodes);
  return nodes;
}

void OptionTree::find_paths() {
  std::vector<int> path_of(nodes_.size(), -1);  // the path that runs each node
  const auto runs = [&](int node) -> int& { return path_of[static_cast<std::size_t>(node)]; };
  for (const int node : last_) {
    // It is on the way to another option, or equal to one.
    if (!at(node).children.empty() || runs(node) >= 0) continue;
    Path path{.nodes = way_to(node)};
    for (const int step : path.nodes) {
      if (runs(step) < 0) {
        runs(step) = static_cast<int>(paths_.size());
        continue;
      }
      path.parent = runs(step);
      ++path.n_shared;
    }
    paths_.push_back(std::move(path));
  }
}

bool OptionTree::take(int node, std::span<const float> logits) {
  if (std::ranges::any_of(logits, [](float x) { return std::isnan(x); })) return false;
  Node& before = at(node);
  const double most = *std::ranges::max_element(logits);
  const double total = most + log_sum_exp(logits, most);
  if (!std::isfinite(total)) return false;
  const auto logit = [&](Token token) { return logits[static_cast<std::size_t>(token)]; };
  for (const int next : before.children) at(next).log_p = logit(at(next).token) - total;
  if (before.is_end) {
    std::vector<float> ends;
    for (const Token token : ends_) ends.push_back(logit(token));
    before.log_p_end = most + log_sum_exp(ends, most) - total;
  }
  before.taken = true;
  return true;
}

OptionScore OptionTree::score(std::size_t option) const {
  OptionScore score{.log_p_end = at(last_[option]).log_p_end};
  for (const int node : way_to(last_[option])) {
    score.tokens.push_back(token(node));
    score.log_p += at(node).log_p;
  }
  return score;
}

}  // namespace confab::engine
