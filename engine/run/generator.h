// SPDX-License-Identifier: MIT
// Writes one answer: prompt, prefix reuse, prefill, then token by token until something ends it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/api/chat_model.h"
#include "engine/cache/prefix_cache.h"
#include "engine/cpu/forward.h"
#include "engine/error.h"
#include "engine/prompt/prompt.h"
#include "engine/run/chunk_size.h"
#include "engine/run/drafting.h"
#include "engine/run/event_queue.h"

namespace confab::engine {

struct AnswerState;
struct Model;

// The context does not hold the prompt; nothing has been computed.
class PromptTooLong : public ModelError {
 public:
  using ModelError::ModelError;
};

class Generator {
 public:
  using Clock = std::chrono::steady_clock;
  // What the generator works with; all must outlive it.
  struct Parts {
    const Model& model;
    const PromptBuilder& prompts;
    Forward& forward;
    PrefixCache& cache;
    std::vector<std::string> stop = {};  // besides those of the request
    // Whether to look up what may follow. Then no layer is recurrent, and `forward` gives the
    // logits of as many rows as DraftLength::kMost + 1, or the batch has.
    bool lookup = false;
  };
  Generator(Parts parts, int n_batch);

  // Pushes progress, text and Finished, and then gives new KV blocks to the store. `requested` is
  // when the answer was asked for. Throws ModelError, PromptTooLong among them, where there was no
  // Finished and will be none; the generator can be used again. A model file that was changed
  // meanwhile is such an error, and nothing that was computed since is kept. Throws Stopped when it
  // is stopped before the prompt is there.
  void run(const GenerateRequest& request, Clock::time_point requested, std::stop_token stop,
           AnswerEvents events);
  // Computes what all next prompts will begin with that the request allows, until stopped. Throws
  // ModelError as run() does.
  void prepare(const PrepareRequest& request, const std::stop_token& stop);

 private:
  struct Reading;
  struct Rows;
  void check(const GenerateRequest& request, std::span<const Token> prompt) const;
  void write(AnswerState& answer);
  std::vector<Token> likely_prompt(const PrepareRequest& request,
                                   const std::stop_token& stop) const;
  std::optional<std::span<const float>> prefill(const Reading& reading);
  std::optional<std::span<const float>> prefill_chunk(const Reading& reading, std::size_t begin,
                                                      std::size_t n);
  std::optional<std::span<const float>> run_tokens(std::span<const Token> tokens,
                                                   LogitsOf logits_of,
                                                   kernels::FunctionRef<bool(int il)> go_on);
  std::optional<std::span<const float>> compute(std::span<const Token> tokens, LogitsOf logits_of,
                                                kernels::FunctionRef<bool(int il)> go_on);
  void check_weights();
  bool may_go_on(const std::stop_token& stop) const;
  std::span<const Token> first_chunk(std::span<const Token> tokens) const;
  bool add(AnswerState& answer, Token token);
  std::optional<FinishReason> close_reasoning(AnswerState& answer, std::span<const float>& logits);
  std::optional<FinishReason> run_next(AnswerState& answer, Token token, Rows& rows);
  void settle(AnswerState& answer, Rows& rows);
  FinishReason decode(AnswerState& answer, Rows& rows);

  Parts parts_;
  ChunkSize chunk_;
  Drafting drafting_;
};

}  // namespace confab::engine
