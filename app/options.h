// SPDX-License-Identifier: MIT
// What a person can choose. app/option_table.h has a row for each choice that lasts; what is
// about one run alone is a flag of app/cli/cli.cpp.
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
// How often an answer that is not as expected may be asked for again.
inline constexpr int kMaxRetries = 20;

struct ModelOptions {
  // Empty: the bundled demo model. Else a file, the name of a model, or what app/engines takes.
  std::string path;
  bool named = false;  // by -m, and not by the configuration: it is the one that is wanted
  int n_ctx = 0;       // 0: the model's own limit, at most 8192 and what memory holds
  bool force = false;  // load also what does not fit into memory
  int n_threads = 0;   // 0: usable cores
  engine::DeviceChoice device = {};
  std::optional<int> n_gpu_layers = {};  // of -ngl: as engine::LoadOptions has it
  int n_batch = 512;
  int n_parallel = 1;                    // answers that memory is planned for
  bool fewer = false;                    // where it is too little, as many as there is for
  std::optional<kernels::Dtype> type_k;  // none: q8_0, or f16 where a head does not divide by 32
  std::optional<kernels::Dtype> type_v;
  engine::RopeOptions rope = {};
  bool exact = false;
  bool lookup = true;  // guess the next tokens from the context
  bool drafts = true;  // guess them with a draft model
  // Its path is a file, or the name of a model; empty: the bundled one, for the bundled model.
  engine::DraftOptions draft = {};
  std::string chat_template = {};  // Jinja, or the name of one that the engine has; empty: its own
  std::string chat_template_file = {};     // that has it; read into chat_template before a model is
  std::vector<EngineConfig> engines = {};  // that config.toml names
};

// Where a value is from: of a file, in which line.
struct Source {
  Origin origin = Origin::built_in;
  int line = 0;
};

inline constexpr int kMaxAnswers = 8;
inline constexpr std::size_t kMaxParameters = 48;  // rows of app/parameters.h

// How an answer is made: app/parameters.h has a row for each of these but thinking and
// what stands behind it.
// A question may have its own, see chat/question.h.
struct AnswerOptions {
  bool operator==(const AnswerOptions&) const = default;

  engine::SamplerParams sampling;
  int n_predict = -1;         // tokens of an answer at most; -1: no limit
  int reasoning_budget = -1;  // after so many tokens its reasoning is closed; -1: no limit
  // Whether the model reasons before it answers; nullopt: as its template has it.
  std::optional<bool> thinking = {};
  // Of the rows of parameters(), where each is from: app/parameters.h reads and writes it.
  std::array<Origin, kMaxParameters> origins = {};
  int n_answers = 1;                   // written at once, each sampled for itself
  std::vector<std::string> stop = {};  // texts that end an answer, and are not part of it
  engine::ConstraintSpec shape = {};   // that the answer must have, once it has been thought about
};

// What `confab -p` writes to standard output.
enum class OutputFormat {
  text,
  code,         // the first code block of the answer
  json,         // an object, when all is known
  json_events,  // an object a line, as things happen
};

// What is done about a context that is too small. A single question: it fails, is cut, or asked in
// pieces. A chat: the oldest turns go, or become a note, or the person is asked. None: the first of
// these, for either.
enum class Overflow { none, error, truncate, split, shift, summarise, stop };
constexpr bool is_of_question(Overflow overflow) noexcept {
  return overflow == Overflow::error || overflow == Overflow::truncate ||
         overflow == Overflow::split;
}

struct OnceOptions {
  OutputFormat output = OutputFormat::text;
  std::string language;       // of code; empty: any
  bool quiet = false;         // nothing on standard error but errors
  bool keep_html = false;     // attach web pages with their tags
  Expectation expected = {};  // what the answer is checked for
  int n_retries = 2;          // how often it is asked for again where it is not like that
};

// What is decided instead of answered, by how likely each of a few texts is as the answer.
struct DecisionOptions {
  bool yes_no = false;
  std::vector<std::string> choices = {};  // else between these; empty: nothing is decided
  float threshold = 0;                    // where none is so likely, it is unsure
  bool json = false;
  bool is_wanted() const noexcept { return yes_no || !choices.empty(); }
};

struct ChatOptions : AnswerOptions {
  ModelOptions model;
  Overflow overflow = Overflow::none;
  int keep = 0;                  // tokens at the beginning that stay when the oldest turns go
  std::string system;            // system prompt; empty: none
  std::string system_file = {};  // that has it; read into `system` before a chat begins
  std::string theme;             // name or path; empty: the default one
  std::optional<std::string> prompt;
  std::string prompt_file = {};  // that has the prompt; read into it
  bool escape = false;           // escape sequences in the prompt, and in `stop`, are to be read
  std::vector<std::string> files;
  DecisionOptions decision;  // what to do with the prompt instead of answering it
  bool continue_last = false;
  bool read_stdin = true;  // with the prompt
  OnceOptions once;        // with the prompt
  // Which template a question is asked with: app/prompts/router.h has the values.
  std::string route = "rules";
  // Of the template that `route` names: its arguments, and its instruction with these in it, as
  // app/prompts/template_call.h fills it. Empty: none.
  std::map<std::string, std::string, std::less<>> template_arguments = {};
  std::vector<std::string> instruction = {};
  std::optional<std::string> resume;
  bool plain = false;
  bool mouse = false;  // the wheel scrolls; else the terminal's own selection works
  bool stats = false;
  bool save = true;
  // After so long without a key the model gives back its memory, until the next one; 0: never.
  std::chrono::seconds unload_after = std::chrono::minutes(3);
  std::string notice;  // to be told when the chat begins; empty: nothing
  std::optional<std::uint64_t>
      cache_max_bytes;  // of the prompt cache; none: sessions/blocks/kv_store.h
  // By keys of app/option_table.h, which writes them; what is not there is built in.
  std::map<std::string, Source, std::less<>> sources = {};
};

// Which engines there are: app/tools/engines_command.h.
struct EnginesQuery {
  std::vector<EngineConfig> engines = {};  // that config.toml names
  bool check = false;                      // these are asked as well
  bool json = false;
};

// Which devices there are.
struct DevicesQuery {
  bool json = false;
};

struct BenchOptions {
  ModelOptions model;
  int n_prompt = 512;
  int n_gen = 128;
  int n_depth = 0;
  std::vector<int> passes;          // tokens of each, from 1 on
  std::vector<int> parallel;        // sequences that are written together
  std::vector<std::string> replay;  // files of a prompt and of an answer, or none
  int repetitions = 3;
  bool kernels = false;  // also what a graphics processor runs, kernel by kernel
  bool json = false;
  bool verbose = false;
};

// Whether a model fits, or which ones would.
struct FitOptions {
  ModelOptions model;
  bool table = false;                              // of models by size, not of one
  std::optional<std::uint64_t> memory_bytes = {};  // of another machine, all free
  bool json = false;
};

// Which models are there.
struct ModelsOptions {
  ModelOptions model;          // as a chat would begin with
  bool all_revisions = false;  // of Hugging Face's cache: not of the branch main alone
  bool json = false;
};

inline constexpr int kMaxParallel = 1024;

struct BatchOptions {
  ChatOptions chat;  // the model, and what a request does not say itself
  std::string in;
  std::string out;
  std::optional<int> n_parallel = {};  // answers at a time; none: 8, or what there is memory for
  bool ordered = false;                // answers in the order of the requests
};

struct QuantizeCommand {
  std::string in;
  std::string out;
  engine::FileType type{};
  int n_threads = 0;   // 0: usable cores
  bool force = false;  // replaces a file
};

struct PullOptions {
  std::string model = {};  // "org/name[:QUANT]"
  bool suggest = false;    // name models instead
  bool quiet = false;
};

// Of a model that confab pulled.
struct RemoveOptions {
  std::string model = {};
  bool yes = false;  // do not ask
};

enum class ConversationAction { list, search, rename, pin, unpin, remove, write, read };

struct ConversationOptions {  // what is not of the action is empty
  ConversationAction action = ConversationAction::list;
  std::string name = {};                // or id, of the conversation that is meant
  std::string text = {};                // the words that are looked for, or a new title
  std::vector<std::string> files = {};  // to import
  std::string format = {};              // to export to; empty: as the output is called
  std::string output = {};              // empty: standard output
  std::optional<int> limit = {};
  bool yes = false;
  bool force = false;  // an export replaces a file
};

enum class CacheCommand { list, clear, gc, verify };

struct CacheOptions {
  CacheCommand command = CacheCommand::list;
  bool prefixes = false;                        // list: the tree of blocks, not conversations
  bool json = false;                            // list
  std::optional<std::uint64_t> max_bytes = {};  // as ChatOptions::cache_max_bytes
};

enum class DebugCommand { tokenize, detokenize, render, logits, greedy, info, cache_stat };

struct DebugOptions {
  DebugCommand command = DebugCommand::info;
  ModelOptions model;
  bool special = false;       // tokenize: parse the text of special tokens
  bool bos = false;           // tokenize: add BOS/EOS as the model wants them
  bool jsonl = false;         // one case a line
  std::string template_file;  // render
  std::string bos_token;
  std::string eos_token;
  std::string tokens_file;  // logits, greedy, cache_stat; empty: none
  std::string out_file;     // logits
  int n_predict = 16;       // greedy
};

}  // namespace confab::app
