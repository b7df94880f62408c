// SPDX-License-Identifier: MIT
// Facts about a loaded model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace confab::engine {

// A value of general.sampling.*, under llama.cpp's name: how the model's makers would sample it.
struct Recommendation {
  std::string name;  // "temp"; untrusted text
  double value = 0;
  std::string text = {};  // untrusted; empty if the value is a number
};

// Recommendations for a model by its packager rather than by the file itself. An explicit choice of
// the user takes precedence over it, and it takes precedence over the file's own values.
struct Recommended {
  std::vector<Recommendation> sampling = {};  // under the names of Ollama's parameters
  std::vector<std::string> stop = {};         // texts that end an answer; untrusted
  std::string system = {};                    // system prompt; untrusted; may be empty
  int n_ctx = 0;            // context size in tokens, if it fits; 0: the usual size
  std::string notice = {};  // one line about its unsupported parts; may be empty
};

struct ModelInfo {
  std::string path;  // of its file; for a remote model, the engine's name and the model's
  std::string name;  // general.name, else the file's name; untrusted text
  std::string architecture;
  std::int64_t n_params = 0;
  std::uint64_t file_bytes = 0;
  int n_ctx = 0;        // of this context
  int n_ctx_train = 0;  // the model's limit; with RopeOptions, beyond its training
  int n_threads = 0;
  int n_parallel = 1;    // answers in parallel, each with a whole context
  std::string kv_types;  // "q8_0/q8_0"
  std::string isa;
  std::string device = {};  // graphics processor in use; empty if none. Untrusted text
  // Why this device, or the processor, was chosen automatically: a sentence without a full stop,
  // untrusted text. Empty if the user chose it.
  std::string device_reason = {};
  std::string chat_template;    // where it comes from: "the file's own"
  std::string template_source;  // untrusted text
  std::vector<Recommendation> sampling;
  std::vector<std::string> stop = {};  // recommended stop strings; untrusted
  std::string system = {};             // recommended system prompt; untrusted; may be empty
  std::string draft = {};              // name of the draft model; empty if none. Untrusted text
  bool drafts_itself = false;          // drafts with its own head
  std::string notice = {};           // lines about features that were requested but are not in use
  bool can_reason = false;           // the template separates reasoning from the answer
  bool can_switch_thinking = false;  // the template lets the caller choose (TemplateSettings)
  // Host and port of the remote engine that runs the model and receives the conversation:
  // "127.0.0.1:8080". Empty if the model runs in this process.
  std::string place = {};
  bool is_on_this_machine = true;  // whether `place` is this machine
  bool is_in_the_clear = false;    // others can read the conversation on its way there
  bool estimates_tokens = false;   // token counts are estimates until the engine reports them
  // Covers the vocabulary and the template. Token ids stored under another hash are void.
  std::string tokenizer_hash;
};

}  // namespace confab::engine
