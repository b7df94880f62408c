// SPDX-License-Identifier: MIT
// Scores texts as a prompt's answer: reads the prompt, or has it from the cache, then runs the
// tokens of the texts on forks of it, those of several texts in a pass. Shares the decoder and the
// cache with the answers that a Generator writes; what they become does not depend on each other.
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
  // All must outlive the object; so must it the last run of the cache, to which it gives its pages
  // up when there are none left.
  struct Parts {
    const Model& model;
    const PromptBuilder& prompts;
    PrefixCache& cache;
  };
  explicit Scorer(Parts parts);
  ~Scorer();

  // Begins a scoring, whose events come from step(), or at once where there is nothing to do. Those
  // that were asked for before it come first.
  void start(const ScoreRequest& request, std::stop_token stop, AnswerEvents events);
  bool is_busy() const noexcept { return !tasks_.empty(); }
  // One pass. alone: no answers are being written, whose pages it could wait for. What fails is the
  // end of the scoring that it is of.
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
  std::vector<Token> ends_;                   // the tokens that end an answer
  std::vector<std::unique_ptr<Task>> tasks_;  // in the order of their start
  bool is_running_ = false;                   // a pass of it, which needs its own pages
};

// Texts that an answer may be, as a tree of their tokens: what several begin with is one branch,
// and is run once. From the logits after each token it gathers how likely each text is.
class OptionTree {
 public:
  static constexpr int kRoot = 0;  // the prompt's last token
  // A way from below the root to a leaf. Its first nodes, so many, are those of an earlier path,
  // its parent: -1 where there are none.
  struct Path {
    std::vector<int> nodes;
    int n_shared = 0;
    int parent = -1;
  };

  // Options of 1 or more tokens each; two may be the same. ends: the tokens that end an answer.
  OptionTree(std::span<const std::vector<Token>> options, std::span<const Token> ends);

  // Each token is run in one of them, a parent before those that share its nodes. All of these
  // tokens are to be run, each with its logits.
  std::span<const Path> paths() const noexcept { return paths_; }
  Token token(int node) const noexcept { return at(node).token; }
  // Takes the logits after a node, [n_vocab]. Taking them again changes nothing. False: they have
  // values that are not numbers, and nothing is taken.
  bool take(int node, std::span<const float> logits);
  bool has(int node) const noexcept { return at(node).taken; }
  // Once all have been taken.
  OptionScore score(std::size_t option) const;

 private:
  struct Node {
    Token token;
    int parent;
    std::vector<int> children = {};
    bool is_end = false;   // of an option
    bool taken = false;    // the logits after it
    double log_p = 0;      // given those before it
    double log_p_end = 0;  // given it, where it is_end
  };
  const Node& at(int node) const noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  Node& at(int node) noexcept { return nodes_[static_cast<std::size_t>(node)]; }
  int child(int node, Token token);
  std::vector<int> way_to(int node) const;
  void find_paths();

  std::vector<Token> ends_;
  std::vector<Node> nodes_;
  std::vector<int> last_;  // nodes, by option
  std::vector<Path> paths_;
};

}  // namespace confab::engine
