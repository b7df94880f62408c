// SPDX-License-Identifier: MIT
// Everything that a person can choose. app/option_table.h has a row for each lasting option;
// options for a single run are flags in app/cli/cli.cpp.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/engine_config.h"
#include "app/expectation.h"
#include "app/origin.h"
#include "engine/api/chat_model.h"
#include "engine/api/constraint_spec.h"
#include "engine/gguf/file_type.h"
#include "engine/run/local_chat_model.h"
#include "engine/run/sampler.h"

namespace confab::app {

inline constexpr int kMaxContext = 16 << 20;  // tokens
inline constexpr int kMaxThreads = 1024;
inline constexpr int kMaxDraft = 15;  // tokens
// The most times that an answer in the wrong form may be requested again.
inline constexpr int kMaxRetries = 20;

struct ModelOptions {
  // A file, the name of a model, or what app/engines accepts; empty: the bundled demo model.
  std::string path;
  bool named =
      false;      // named by -m rather than by the configuration, so it is the one that is wanted
  int n_ctx = 0;  // 0: the model's own limit, at most 8192, and what memory holds
  bool force = false;  // load a model even if it does not fit into memory
  int n_threads = 0;   // 0: all usable cores
  engine::DeviceChoice device = {};
  std::optional<int> n_gpu_layers = {};  // from -ngl, as engine::LoadOptions has it
  int n_batch = 512;
  int n_parallel = 1;  // parallel answers that memory is planned for
  bool fewer = false;  // if there is too little memory, as many answers as fit
  std::optional<kernels::Dtype>
      type_k;  // nullopt: q8_0, or f16 if the head size is not a multiple of 32
  std::optional<kernels::Dtype> type_v;
  engine::RopeOptions rope = {};
  bool exact = false;
  bool lookup = true;  // guess the next tokens from the context
  bool drafts = true;  // guess them with a draft model
  // Its path is a file or the name of a model; empty: the bundled draft model, for the bundled
  // model.
  engine::DraftOptions draft = {};
  std::string chat_template =
      {};  // Jinja, or the name of one of the engine's templates; empty: the model's own
  std::string chat_template_file =
      {};  // file with the template; read into chat_template before a model is loaded
  std::vector<EngineConfig> engines = {};  // engines named in config.toml
};

// The source of a value, and the line if it is a file.
struct Source {
  Origin origin = Origin::built_in;
  int line = 0;
};

inline constexpr int kMaxAnswers = 8;
inline constexpr std::size_t kMaxParameters = 48;  // rows of app/parameters.h

// The options for making an answer. app/parameters.h has a row for each of these up to `thinking`.
// A question may have its own, see chat/question.h.
struct AnswerOptions {
  bool operator==(const AnswerOptions&) const = default;

  engine::SamplerParams sampling;
  int n_predict = -1;         // maximum tokens of an answer; -1: no limit
  int reasoning_budget = -1;  // tokens after which its reasoning is closed; -1: no limit
  // Whether the model reasons before it answers; nullopt: its template decides.
  std::optional<bool> thinking = {};
  // The origin of each row of parameters(), read and written by app/parameters.h.
  std::array<Origin, kMaxParameters> origins = {};
  int n_answers = 1;                   // written at once, each sampled independently
  std::vector<std::string> stop = {};  // texts that end an answer and are not part of it
  engine::ConstraintSpec shape = {};   // shape that the answer must have, after the reasoning
};

// What `confab -p` writes to standard output.
enum class OutputFormat {
  text,
  code,         // the first code block of the answer
  json,         // one object, when everything is known
  json_events,  // one object per line, as things happen
};

// The reaction to a context that is too small. A single question fails, is truncated, or is asked
// in pieces. In a chat the oldest turns are dropped or summarised, or the person is asked. none:
// the first of these in either case.
enum class Overflow { none, error, truncate, split, shift, summarise, stop };
constexpr bool is_of_question(Overflow overflow) noexcept {
  return overflow == Overflow::error || overflow == Overflow::truncate ||
         overflow == Overflow::split;
}

struct OnceOptions {
  OutputFormat output = OutputFormat::text;
  std::string language;       // language of the code; empty: any
  bool quiet = false;         // print only errors on standard error
  bool keep_html = false;     // attach web pages with their tags
  Expectation expected = {};  // the form that the answer must have
  int n_retries = 2;          // how often to ask again if the answer has another form
};

// A decision instead of an answer: which of a few texts is the likeliest answer.
struct DecisionOptions {
  bool yes_no = false;
  std::vector<std::string> choices = {};  // otherwise, the choices; empty: no decision
  float threshold = 0;                    // if no choice is this likely, the outcome is unsure
  bool json = false;
  bool is_wanted() const noexcept { return yes_no || !choices.empty(); }
};

struct ChatOptions : AnswerOptions {
  ModelOptions model;
  Overflow overflow = Overflow::none;
  int keep = 0;        // tokens at the beginning that stay when the oldest turns are dropped
  std::string system;  // system prompt; empty: none
  std::string system_file = {};  // file with it; read into `system` before a chat begins
  std::string theme;             // name or path; empty: the default theme
  std::optional<std::string> prompt;
  std::string prompt_file = {};  // file with the prompt; read into `prompt`
  bool escape = false;           // interpret escape sequences in the prompt and in `stop`
  std::vector<std::string> files;
  DecisionOptions decision;  // what to do with the prompt instead of answering it
  bool continue_last = false;
  bool read_stdin = true;  // together with the prompt
  OnceOptions once;        // together with the prompt
  // The template that questions are asked with: app/prompts/router.h lists the values.
  std::string route = "rules";
  // For the template that `route` names: its arguments, and its instruction with the arguments
  // filled in by app/prompts/template_call.h; empty: none.
  std::map<std::string, std::string, std::less<>> template_arguments = {};
  std::vector<std::string> instruction = {};
  std::optional<std::string> resume;
  bool plain = false;
  bool mouse = false;  // true: the wheel scrolls; false: the terminal's own selection works
  bool stats = false;
  bool save = true;
  // After this long without a key press the model's memory is given back until the next one; 0:
  // never.
  std::chrono::seconds unload_after = std::chrono::minutes(3);
  std::string notice;  // shown when the chat begins; empty: nothing
  std::optional<std::uint64_t>
      cache_max_bytes;  // size of the prompt cache; nullopt: see sessions/blocks/kv_store.h
  // Sources by the keys of app/option_table.h, which writes them; an option that is missing has its
  // built-in value.
  std::map<std::string, Source, std::less<>> sources = {};
};

// Lists engines: app/tools/engines_command.h.
struct EnginesQuery {
  std::vector<EngineConfig> engines = {};  // engines named in config.toml
  bool check = false;                      // contact these engines as well
  bool json = false;
};

// Lists the devices that models can run on.
struct DevicesQuery {
  bool json = false;
};

struct BenchOptions {
  ModelOptions model;
  int n_prompt = 512;
  int n_gen = 128;
  int n_depth = 0;
  std::vector<int> passes;          // tokens of each pass, at least 1
  std::vector<int> parallel;        // sequences decoded together
  std::vector<std::string> replay;  // the files of a prompt and of an answer, or empty
  int repetitions = 3;
  bool kernels = false;  // also report what a graphics processor runs, kernel by kernel
  bool json = false;
  bool verbose = false;
};

// Asks whether a model fits into memory, or which models would.
struct FitOptions {
  ModelOptions model;
  bool table = false;                              // a table of models by size instead of one model
  std::optional<std::uint64_t> memory_bytes = {};  // memory of another machine, all of it free
  bool json = false;
};

// Lists the models on this machine.
struct ModelsOptions {
  ModelOptions model;          // the model that a chat would start with
  bool all_revisions = false;  // all revisions in Hugging Face's cache, not only the branch main
  bool json = false;
};

inline constexpr int kMaxParallel = 1024;

struct BatchOptions {
  ChatOptions chat;  // the model, and defaults for what a request does not say
  std::string in;
  std::string out;
  std::optional<int> n_parallel = {};  // answers at a time; nullopt: 8, or as many as memory allows
  bool ordered = false;                // write answers in the order of the requests
};

struct QuantizeCommand {
  std::string in;
  std::string out;
  engine::FileType type{};
  int n_threads = 0;   // 0: all usable cores
  bool force = false;  // replace an existing file
};

struct PullOptions {
  std::string model = {};  // "org/name[:QUANT]"
  bool suggest = false;    // suggest models instead
  bool quiet = false;
};

// Removes a model that confab pulled.
struct RemoveOptions {
  std::string model = {};
  bool yes = false;  // do not ask for confirmation
};

enum class ConversationAction { list, search, rename, pin, unpin, remove, write, read };

struct ConversationOptions {  // members that the action does not use are empty
  ConversationAction action = ConversationAction::list;
  std::string name = {};                // name or id of the conversation
  std::string text = {};                // the words to search for, or the new title
  std::vector<std::string> files = {};  // to import
  std::string format = {};              // export format; empty: from the name of the output
  std::string output = {};              // empty: standard output
  std::optional<int> limit = {};
  bool yes = false;
  bool force = false;  // an export may replace a file
};

enum class CacheCommand { list, clear, gc, verify };

struct CacheOptions {
  CacheCommand command = CacheCommand::list;
  bool prefixes = false;  // for list: show the tree of blocks instead of conversations
  bool json = false;      // for list
  std::optional<std::uint64_t> max_bytes = {};  // as in ChatOptions::cache_max_bytes
};

enum class DebugCommand { tokenize, detokenize, render, logits, greedy, info, cache_stat };

struct DebugOptions {
  DebugCommand command = DebugCommand::info;
  ModelOptions model;
  bool special = false;       // tokenize: read the text of special tokens as special tokens
  bool bos = false;           // tokenize: add BOS and EOS if the model wants them
  bool jsonl = false;         // one case per line
  std::string template_file;  // render
  std::string bos_token;
  std::string eos_token;
  std::string tokens_file;  // logits, greedy, cache_stat; empty: no file
  std::string out_file;     // logits
  int n_predict = 16;       // greedy
};

}  // namespace confab::app
