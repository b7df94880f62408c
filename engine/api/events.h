// SPDX-License-Identifier: MIT
// What a model tells. Of one answer: Waiting, Remark, LoadProgress, PrefillProgress and deltas, any
// number of each, then Finished or Failed, one of them and nothing after it. Where options are
// scored: LoadProgress and PrefillProgress, then Scored, Failed, or Finished when it was cancelled.
// Answers that are written together tell theirs in between each other. Counted is of no answer and
// comes at any time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

// The engine is not ready: the request is made again then.
struct Waiting {
  std::string reason;  // a line, without a dot
  std::chrono::steady_clock::time_point until;
};
// About the answer, and no part of it: a line.
struct Remark {
  std::string text;
};
// A model file is read once, before the first answer that may be cached: later the file is known.
// Where a device has given its memory back, the weights are copied there again.
struct LoadProgress {
  std::uint64_t bytes_done;
  std::uint64_t n_bytes;
  bool is_copy = false;  // to the device
};
struct PrefillProgress {
  int n_done;  // of n_prompt, with the cached ones
  int n_prompt;
  int n_cached;
};
// What the model thinks before it answers, apart from its answer.
struct ReasoningDelta {
  std::string text;                // as that of TextDelta
  int n_generated = 0;             // tokens so far, of reasoning and answer
  std::vector<Token> tokens = {};  // as that of TextDelta
  bool at_budget = false;          // the budget has ended it here
  double tokens_per_pass = 0;      // as that of TextDelta
  // All text of this answer so far was reasoning, which ends with this: the model closed what
  // neither it nor its template had opened.
  bool takes_back = false;
};
// What is known of an answer, with this.
void append(const ReasoningDelta& delta, std::string& reasoning, std::string& text);
struct TextDelta {
  std::string text;                // whole UTF-8 characters only; bytes that are none are U+FFFD
  int n_generated = 0;             // tokens of the answer so far
  std::vector<Token> tokens = {};  // come since the delta before: also those with no text yet
  double tokens_per_pass = 0;      // of the model, in the passes before this one; 0: not known
};
enum class FinishReason { end_of_turn, stop_string, length, context_full, cancelled };
// Tokens that were guessed and checked in a pass of the model.
struct DraftCount {
  int n_drafted = 0;
  int n_accepted = 0;  // of them, how many were right
};
struct GenerateStats {
  int n_prompt = 0;           // tokens of the whole prompt
  int n_cached = 0;           // of these, how many were not computed again
  int n_generated = 0;        // tokens sampled, with the end-of-generation token, without markers
  int n_passes = 0;           // of the model, while it wrote
  int n_drafted = 0;          // tokens that were guessed and checked in these passes
  int n_accepted = 0;         // of them, how many were right
  DraftCount by_lookup = {};  // of these, what was looked up
  DraftCount by_model = {};   // what a draft model guessed
  DraftCount by_heads = {};   // and what the model's own heads did

  // Pages that the process waited for meanwhile until they were read from a disk: of weights that
  // are not in memory. Of all answers that are written at once.
  std::int64_t n_major_faults = 0;

  std::chrono::duration<double> ttft{0};     // request to first token
  std::chrono::duration<double> prefill{0};  // spent on n_prompt - n_cached tokens; 0: cut short
  std::chrono::duration<double> decode{0};   // spent on n_generated - 1 tokens

  double tokens_per_pass() const noexcept;  // while it wrote; 0: there was no pass
  double prefill_tps() const noexcept;
  double decode_tps() const noexcept;
  double major_faults_per_token() const noexcept;
};
struct Finished {
  FinishReason reason;
  GenerateStats stats;
  std::vector<Token> tokens;  // all in their order, without the end-of-generation token
  // The first token of the answer, after the reasoning: tokens.size() when none has come, -1 when
  // it belongs to both.
  int answer_begin = 0;
  int n_ctx_used = 0;
  bool is_in_shape = true;  // the answer has the shape that was asked for, as a whole
};
struct Failed {
  std::string message;  // one line; the engine can be used again
  // Nothing has been computed, as it cannot be of use:
  bool prompt_too_long = false;  // it leaves the context no room for an answer
  bool shape_too_long = false;   // no answer that has the shape is as short as n_predict
  // The engine has not replied with a word: that says nothing of what it was asked.
  bool is_unreachable = false;
};
// How likely an option of a ScoreRequest is as the text of the answer, after a reasoning that is
// empty where the model has one. Natural logarithms, as the model gives them: no temperature. Of
// all the ways to cut the text into tokens, the one that the tokenizer takes.
struct OptionScore {
  std::vector<Token> tokens = {};
  double log_p = 0;      // that the answer begins with all of these
  double log_p_end = 0;  // and then, that it ends there
};
struct ScoreStats {
  int n_prompt = 0;  // tokens, up to where the text of an answer begins
  int n_cached = 0;  // of these, how many were not computed again
  int n_scored = 0;  // tokens of options that were run: once, what several begin with
  int n_passes = 0;  // for these

  std::chrono::duration<double> prefill{0};
  std::chrono::duration<double> scoring{0};
};
struct Scored {
  std::vector<OptionScore> options;  // in the order of the request
  ScoreStats stats;
};
struct Counted {
  std::uint64_t number;         // of the request
  std::optional<int> n_tokens;  // of the prompt; nullopt: the template refuses it
};
using Event = std::variant<Waiting, Remark, LoadProgress, PrefillProgress, ReasoningDelta,
                           TextDelta, Finished, Scored, Failed, Counted>;

// An answer that has been asked for: a number that no other one of this model has had.
enum class AnswerId : std::uint64_t { none = 0 };

struct AnswerEvent {
  AnswerId answer;  // none: Counted
  Event event;
};

bool is_end(const Event& event) noexcept;  // Finished, Scored or Failed

}  // namespace confab::engine
