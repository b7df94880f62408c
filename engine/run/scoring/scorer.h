// SPDX-License-Identifier: MIT
// Scores texts as the answer to a prompt. Reads the prompt, or takes it from the cache, then runs
// the tokens of the texts on forks of it, several texts in one pass. Shares the decoder and the
// cache with the answers that a Generator writes; neither affects the other's results.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/api/events.h"
#include "engine/api/requests.h"
#include "engine/api/token.h"
#include "engine/cache/prefix_cache.h"
#include "engine/events/event_queue.h"
#include "engine/prompt/prompt.h"
#include "engine/run/chunk_size.h"

namespace confab::engine {

struct Model;

class Scorer {
 public:
  // All must outlive the object. The object must outlive the last run of the cache, because it
  // gives up its pages when the cache runs out of them.
  struct Parts {
    const Model& model;
    const PromptBuilder& prompts;
    PrefixCache& cache;
  };
  explicit Scorer(Parts parts);
  ~Scorer();

  // Begins a scoring. Its events come from step(), or at once if it cannot begin. Scorings are done
  // in the order they were requested.
  void start(const ScoreRequest& request, std::stop_token stop, AnswerEvents events);
  bool is_busy() const noexcept { return !tasks_.empty(); }
  // Runs one pass. `alone`: no answers are being written, so there is no point in waiting for their
  // pages. A failure ends only the scoring that it concerns.
  void step(bool alone);

 private:
  struct Task;
  struct Branch;
  void end_stopped();
  void advance(Task& task);
  void read(Task& task);
  void take_prompt(Task& task, std::span<const float> logits);
  void score(Task& task);
  void plan(Task& task);
  bool has_fork(Task& task, std::size_t path);
  void take_rows(Task& task);
  void drop_used(Task& task) noexcept;
  RunEnd run(Task& task, std::span<const SequenceRun> runs, bool shows);
  void make_way(bool alone);
  bool give_up() noexcept;
  void finish(Task& task);
  void fail(Task& task, const std::string& message);
  int widest() const noexcept;

  Parts parts_;
  Decoder& decoder_;
  ChunkSize chunk_;
  std::vector<Token> ends_;                   // tokens that end an answer
  std::vector<std::unique_ptr<Task>> tasks_;  // in the order they were started
  bool is_running_ = false;                   // a pass is running and needs its pages
};

// Possible answers as a tree of their tokens. A prefix that several texts share is one branch and
// is run once. The tree collects the likelihood of each text from the logits after each token.
class OptionTree {
 public:
  static constexpr int kRoot = 0;  // stands for the prompt's last token
  // A path from below the root to a leaf. Its first n_shared nodes belong to an earlier path,
  // `parent`; -1 if there is none.
  struct Path {
    std::vector<int> nodes;
    int n_shared = 0;
    int parent = -1;
  };

  // Options have at least one token each; two may be equal. `ends` are the tokens that end an
  // answer.
  OptionTree(std::span<const std::vector<Token>> options, std::span<const Token> ends);

  // All tokens of these paths must be run, each with its logits. Each token belongs to one path,
  // and a path comes before those that share its nodes.
  std::span<const Path> paths() const noexcept { return paths_; }
  Token token(int node) const noexcept { return at(node).token; }
  // Takes the logits after a node, [n_vocab]. Taking them again changes nothing. Returns false, and
  // takes nothing, if some are not numbers.
  bool take(int node, std::span<const float> logits);
  bool has(int node) const noexcept { return at(node).taken; }
  // Valid once all logits have been taken.
  OptionScore score(std::size_t option) const;

 private:
  struct Node {
    Token token;
    int parent;
    std::vector<int> children = {};
    bool is_end = false;   // of an option
    bool taken = false;    // the logits after it were taken
    double log_p = 0;      // given the tokens before it
    double log_p_end = 0;  // given this token, if is_end
  };
  const Node& at(int node) const noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  int child(int node, Token token);
  std::vector<int> way_to(int node) const;
  void find_paths();

  std::vector<Token> ends_;
  std::vector<Node> nodes_;
  std::vector<int> last_;  // last node of each option
  std::vector<Path> paths_;
};

}  // namespace confab::engine
