// SPDX-License-Identifier: MIT
// What app sees of an engine: load, count, generate with events, cancel.
//
// The local engine owns a generation thread with the model, the KV cache and the sampler. Requests
// go in, events come out of a bounded queue; wake_fd() becomes readable when there are some. All
// functions are for one thread (the user interface's) and none waits for the model, but for
// count_tokens(), which only tokenises.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/cache/block_store.h"
#include "engine/prompt/chat_template.h"
#include "engine/run/sampler.h"
#include "kernels/dtype.h"

namespace confab::engine {

struct ModelInfo {
  std::string path;
  std::string name;  // general.name, else the file's name; untrusted text
  std::string architecture;
  std::int64_t n_params = 0;
  std::uint64_t file_bytes = 0;
  int n_ctx = 0;        // of this context
  int n_ctx_train = 0;  // what the model was made for
  int n_threads = 0;
  std::string kv_types;  // "q8_0/q8_0"
  std::string isa;
  std::string chat_template;         // where it is from: "the file's own"
  std::string template_source;       // untrusted text
  bool can_reason = false;           // the template sets reasoning apart from the answer
  bool can_switch_thinking = false;  // the template lets the caller choose (TemplateSettings)
  std::string tokenizer_hash;  // with the template's: token ids stored with another one are void
};

struct Turn {
  ChatMessage message;
  std::vector<Token> tokens = {};  // of an answer, all as sampled; empty: tokenise the content
  int answer_begin = 0;            // the first of them after the reasoning; -1: not known
};

struct GenerateRequest {
  std::vector<Turn> turns = {};
  SamplerParams sampling = {};
  int n_predict = -1;  // at most so many tokens sampled; -1: until the context is full
  // After so many tokens of reasoning, those of an answer that is gone on with among them, it is
  // closed: the tokens of the answer then have markers that were not sampled. -1: no limit.
  int reasoning_budget = -1;
  std::vector<std::string> stop = {};  // further stop strings
  TemplateSettings settings = {};
  // The last turn is an answer that was cut off, in its reasoning or after; the model goes on with
  // it. The events then tell the whole answer from its beginning.
  bool continues = false;
  std::int64_t origin = 0;  // of the blocks that this adds to the store, for its lists; 0: none
};

// What is likely to be asked next.
struct PrepareRequest {
  std::vector<Turn> turns = {};  // all that has been said
  std::string draft = {};        // what the next question will begin with, as far as it is known
  TemplateSettings settings = {};
  std::int64_t origin = 0;
};

// A model file is read once, before the first answer that may be cached: later the file is known.
struct LoadProgress {
  std::uint64_t bytes_done;
  std::uint64_t n_bytes;
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
};
struct TextDelta {
  std::string text;                // whole UTF-8 characters only; bytes that are none are U+FFFD
  int n_generated = 0;             // tokens of the answer so far
  std::vector<Token> tokens = {};  // come since the delta before: also those with no text yet
};
enum class FinishReason { end_of_turn, stop_string, length, context_full, cancelled };
struct GenerateStats {
  int n_prompt = 0;     // tokens of the whole prompt
  int n_cached = 0;     // of these, how many were not computed again
  int n_generated = 0;  // tokens sampled, with the end-of-generation token, without markers

  std::chrono::duration<double> ttft{0};     // request to first token
  std::chrono::duration<double> prefill{0};  // spent on n_prompt - n_cached tokens; 0: cut short
  std::chrono::duration<double> decode{0};   // spent on n_generated - 1 tokens

  double prefill_tps() const noexcept;
  double decode_tps() const noexcept;
};
struct Finished {
  FinishReason reason;
  GenerateStats stats;
  std::vector<Token> tokens;  // all in their order, without the end-of-generation token
  // The first token of the answer, after the reasoning: tokens.size() when none has come, -1 when
  // it belongs to both.
  int answer_begin = 0;
  int n_ctx_used = 0;
};
struct Failed {
  std::string message;  // one line; the engine can be used again
};
using Event =
    std::variant<LoadProgress, PrefillProgress, ReasoningDelta, TextDelta, Finished, Failed>;

class ChatModel {
 public:
  virtual ~ChatModel() = default;

  virtual const ModelInfo& info() const noexcept = 0;
  // Tokens of the prompt that these turns make, as generate() would count them. Throws ModelError.
  virtual int count_tokens(const std::vector<Turn>& turns,
                           const TemplateSettings& settings = {}) const = 0;
  // The prompt as text, as the template makes it. Throws ModelError.
  virtual std::string prompt_text(const std::vector<Turn>& turns,
                                  const TemplateSettings& settings = {}) const = 0;

  // Starts an answer; a running one must have ended (Finished or Failed seen).
  virtual void generate(GenerateRequest request) = 0;
  // Asks the running answer to end; Finished{cancelled} follows within one token or prefill chunk.
  virtual void cancel() noexcept = 0;
  // Reads ahead while nothing is generated: computes what the next prompt will begin with, so that
  // generate() finds it done. Has no events, reports no errors, and ends within one layer of a
  // prefill chunk at the next generate() or prepare(). Text of a draft is not kept in the store.
  virtual void prepare(PrepareRequest request) = 0;
  virtual std::optional<Event> next_event() = 0;  // nullopt: none now
  virtual int wake_fd() const noexcept = 0;       // poll for POLLIN, then drain next_event()
};

struct LoadOptions {
  std::string path = {};
  int n_ctx = 0;                              // 0: the model's own limit, at most 8192
  int n_threads = 0;                          // 0: usable cores
  int n_batch = 512;                          // tokens of a prefill chunk; 1 decodes token by token
  std::optional<kernels::Dtype> type_k = {};  // none: q8_0, or f16 (see engine/run/memory_plan.h)
  std::optional<kernels::Dtype> type_v = {};
  bool exact = false;              // keep activations in f32
  std::string isa = {};            // forced instruction set; empty: $CONFAB_ISA, else the best
  std::string chat_template = {};  // overrides the file's
  BlockStore* store = nullptr;     // must outlive the model; nullptr: nothing is kept
};

// Loads a model and starts its generation thread. Throws ModelError; refuses before loading what
// cannot fit into memory.
std::unique_ptr<ChatModel> load_chat_model(const LoadOptions& options);

}  // namespace confab::engine
