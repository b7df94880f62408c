// SPDX-License-Identifier: MIT
// The events that a model sends. An answer sends any number of Waiting, Remark, LoadProgress,
// PrefillProgress and delta events, then exactly one Finished or Failed, and nothing after that. A
// scoring sends LoadProgress and PrefillProgress, then Scored, Failed, or Finished if it was
// cancelled. The events of answers that run at the same time are interleaved. Counted belongs to no
// answer and may come at any time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

// The engine is not ready; the request will be repeated at `until`.
struct Waiting {
  std::string reason;  // one line, without a full stop
  std::chrono::steady_clock::time_point until;
};
// One line about the answer that is not part of it.
struct Remark {
  std::string text;
};
// A model file is read completely once, before the first answer that may be cached; later runs
// recognise the file. Also sent while weights are copied back to a device that had given its memory
// back.
struct LoadProgress {
  std::uint64_t bytes_done;
  std::uint64_t n_bytes;
  bool is_copy = false;  // weights are being copied to the device
};
struct PrefillProgress {
  int n_done;  // of n_prompt, including cached tokens
  int n_prompt;
  int n_cached;
};
// The model's thoughts before its answer, separate from the answer.
struct ReasoningDelta {
  std::string text;                // as in TextDelta
  int n_generated = 0;             // tokens so far, of reasoning and answer together
  std::vector<Token> tokens = {};  // as in TextDelta
  bool at_budget = false;          // the reasoning budget ended the reasoning here
  double tokens_per_pass = 0;      // as in TextDelta
  // All text of this answer so far was in fact reasoning, which ends with this delta: the model
  // closed a reasoning block that neither it nor its template had opened.
  bool takes_back = false;
};
// Applies the delta to the reasoning and text received so far.
void append(const ReasoningDelta& delta, std::string& reasoning, std::string& text);
struct TextDelta {
  std::string text;                // whole UTF-8 characters only; invalid bytes become U+FFFD
  int n_generated = 0;             // tokens of the answer so far
  std::vector<Token> tokens = {};  // new since the last delta, even without text
  double tokens_per_pass = 0;      // average over the passes so far; 0 if not known
};
enum class FinishReason { end_of_turn, stop_string, length, context_full, cancelled };
// Tokens that were guessed and checked in a pass of the model.
struct DraftCount {
  int n_drafted = 0;
  int n_accepted = 0;  // how many of them were right
};
struct GenerateStats {
  int n_prompt = 0;           // tokens of the whole prompt
  int n_cached = 0;           // how many of them were not computed again
  int n_generated = 0;        // sampled tokens, with the end-of-generation token, without markers
  int n_passes = 0;           // passes of the model while it wrote
  int n_drafted = 0;          // tokens that were guessed and checked in these passes
  int n_accepted = 0;         // how many of them were right
  DraftCount by_lookup = {};  // the part found by look-up
  DraftCount by_model = {};   // the part guessed by a draft model
  DraftCount by_heads = {};   // the part guessed by the model's own heads

  // Pages that the process had to wait for while they were read from disk, because the weights are
  // not in memory. Counts all answers that are written at the same time.
  std::int64_t n_major_faults = 0;

  std::chrono::duration<double> ttft{0};     // request to first token
  std::chrono::duration<double> prefill{0};  // spent on n_prompt - n_cached tokens; 0 if cut short
  std::chrono::duration<double> decode{0};   // spent on n_generated - 1 tokens

  double tokens_per_pass() const noexcept;  // while it wrote; 0 if there was no pass
  double prefill_tps() const noexcept;
  double decode_tps() const noexcept;
  double major_faults_per_token() const noexcept;
};
struct Finished {
  FinishReason reason;
  GenerateStats stats;
  std::vector<Token> tokens;  // all tokens in order, without the end-of-generation token
  // Index of the first token of the answer after the reasoning. tokens.size() if the answer has not
  // begun; -1 if one token belongs to both.
  int answer_begin = 0;
  int n_ctx_used = 0;
  bool is_in_shape = true;  // the whole answer has the requested shape
};
struct Failed {
  std::string message;  // one line; the engine can be used again
  // If one of these is set, nothing was computed, because it would be of no use.
  bool prompt_too_long = false;  // the prompt leaves no room for an answer
  bool shape_too_long = false;   // no answer of this shape fits in n_predict tokens
  // The engine did not respond at all, so this says nothing about the request.
  bool is_unreachable = false;
};
// How likely an option of a ScoreRequest is as the text of the answer. If the model reasons, the
// reasoning is taken to be empty. Natural logarithms of the model's own probabilities, without
// temperature. A text can be cut into tokens in several ways; only the tokenizer's own way counts.
struct OptionScore {
  std::vector<Token> tokens = {};
  double log_p = 0;      // probability that the answer begins with all of these tokens
  double log_p_end = 0;  // probability that it then ends there
};
struct ScoreStats {
  int n_prompt = 0;  // tokens up to where the text of an answer begins
  int n_cached = 0;  // how many of them were not computed again
  int n_scored = 0;  // tokens of options that were run; a shared prefix counts once
  int n_passes = 0;  // passes that this took

  std::chrono::duration<double> prefill{0};
  std::chrono::duration<double> scoring{0};
};
struct Scored {
  std::vector<OptionScore> options;  // in the order of the request
  ScoreStats stats;
};
struct Counted {
  std::uint64_t number;         // the number of the request
  std::optional<int> n_tokens;  // of the prompt; nullopt if the template refuses it
};
using Event = std::variant<Waiting, Remark, LoadProgress, PrefillProgress, ReasoningDelta,
                           TextDelta, Finished, Scored, Failed, Counted>;

// Identifies a requested answer; unique within one model.
enum class AnswerId : std::uint64_t { none = 0 };

struct AnswerEvent {
  AnswerId answer;  // none for Counted
  Event event;
};

bool is_end(const Event& event) noexcept;  // Finished, Scored or Failed

}  // namespace confab::engine
