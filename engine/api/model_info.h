// SPDX-License-Identifier: MIT
// What there is to know of a loaded model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace confab::engine {

// A value of general.sampling.*, which llama.cpp names: how the model's makers would sample it.
struct Recommendation {
  std::string name;  // "temp"; untrusted text
  double value = 0;
  std::string text = {};  // untrusted; empty: it is a number
};

// What others than the file recommend for a model: how whoever packed it meant it to be used. It
// holds where nobody asks for something else, and before what the file says.
struct Recommended {
  std::vector<Recommendation> sampling = {};  // by the names of Ollama's parameters
  std::vector<std::string> stop = {};         // texts that end an answer; untrusted
  std::string system = {};                    // prompt of a conversation; untrusted; empty: none
  int n_ctx = 0;                              // tokens of a context, where they fit; 0: as usual
  std::string notice = {};                    // what of it cannot be done, a line; empty: nothing
};

struct ModelInfo {
  std::string path;  // of its file; of a model elsewhere, its engine's name and its own
  std::string name;  // general.name, else the file's name; untrusted text
  std::string architecture;
  std::int64_t n_params = 0;
  std::uint64_t file_bytes = 0;
  int n_ctx = 0;        // of this context
  int n_ctx_train = 0;  // what the model allows; with RopeOptions, more than it was made for
  int n_threads = 0;
  int n_parallel = 1;    // answers that each have a whole context
  std::string kv_types;  // "q8_0/q8_0"
  std::string isa;
  std::string device = {};  // the graphics processor that runs it; empty: none. Untrusted text
  // Why that is it, or the processor, where it was to be the better one: a sentence without its
  // dot, untrusted text; empty: it was asked for.
  std::string device_reason = {};
  std::string chat_template;    // where it is from: "the file's own"
  std::string template_source;  // untrusted text
  std::vector<Recommendation> sampling;
  std::vector<std::string> stop = {};  // that it is recommended to end answers with; untrusted
  std::string system = {};             // and the prompt to begin with; untrusted; empty: none
  std::string draft = {};              // the draft model's name; empty: none. Untrusted text
  bool drafts_itself = false;          // by a head of its own
  std::string notice = {};             // what was to be used, but is not: a line; empty: nothing
  bool can_reason = false;             // the template sets reasoning apart from the answer
  bool can_switch_thinking = false;    // the template lets the caller choose (TemplateSettings)
  // The engine elsewhere that runs it, where what is said to it goes: "127.0.0.1:8080"; empty: it
  // runs here.
  std::string place = {};
  bool is_on_this_machine = true;  // the place is
  bool is_in_the_clear = false;    // others can read what is said, on its way there
  bool estimates_tokens = false;   // what it has not counted itself
  std::string tokenizer_hash;  // with the template's: token ids stored with another one are void
};

}  // namespace confab::engine
