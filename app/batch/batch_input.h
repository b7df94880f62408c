// SPDX-License-Identifier: MIT
// The input file of a batch: one request per line, and how to tell requests apart.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/expectation.h"
#include "app/options.h"
#include "engine/api/turn.h"

namespace confab::app {

// A request: one line of a batch, in one of two forms. confab's own is
//   {"prompt": "..."} or {"messages": [{"role", "content"}, ...]}, with optional "id" (a text or
//   a whole number), "system", "files": [paths], "stop", "thinking", "max_tokens", the parameters
//   of app/parameters.h by their names, and either a shape ("json_schema", "grammar" or "regex",
//   and "within": [opening, closing]) or "expect" and "retries".
// OpenAI's is {"custom_id", "method", "url", "body": {"messages", ...}}.
// Anything unknown, or that cannot be honoured, is a fault of that line. Nothing is ignored
// silently.
struct BatchRequest {
  std::string id = {};  // as JSON: "\"a\"", "7"; empty: no id
  bool openai = false;  // it has OpenAI's form, and so has its answer
  std::vector<engine::ChatMessage> messages = {};
  std::vector<std::string> files = {};  // files attached to the last message
  std::vector<std::string> stop = {};
  AnswerOptions options = {};
  Expectation expected = {};                // the form that the answer must have
  int n_retries = OnceOptions().n_retries;  // how often to ask again if the answer has another form
  std::string fault = {};                   // why it cannot be answered, in one line; empty: it can
};

// Reads only the id and the form of a request, as far as the line can be read.
BatchRequest read_heading(std::string_view text, int line);
// Reads the whole request. `defaults` supply what the line does not say, except a question and
// files.
BatchRequest read_request(std::string_view text, int line, const ChatOptions& defaults);

// The turns of a request that has no fault, with its files read and included, and with what was
// wrong with the answers so far. Throws UserError.
std::vector<engine::Turn> turns_of(const BatchRequest& request,
                                   std::span<const std::string> faults = {});
// Puts this system prompt before the turns if they have none; empty: no prompt.
std::vector<engine::Turn> with_system(std::vector<engine::Turn> turns, const std::string& system);

struct BatchEntry {
  int line = 0;  // counted from 1
  std::size_t begin = 0, n_bytes = 0;
  std::string id = {};  // as in BatchRequest
  bool openai = false;
};

class BatchInput {
 public:
  // Blank lines are skipped. Throws UserError if the file cannot be read, has no requests, or
  // contains an id twice.
  BatchInput(const std::string& path, ChatOptions defaults);

  const std::vector<BatchEntry>& entries() const noexcept { return entries_; }
  BatchRequest request(const BatchEntry& entry) const;

 private:
  std::string text_;
  ChatOptions defaults_;
  std::vector<BatchEntry> entries_;
};

}  // namespace confab::app
