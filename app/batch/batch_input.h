// SPDX-License-Identifier: MIT
// The file of a batch: its requests, a line each, and how they are told apart.
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

// A line of a batch: a request in words of confab's,
//   {"prompt": "..."} or {"messages": [{"role", "content"}, ...]}, and perhaps "id" (a text or a
//   whole number), "system", "files": [paths], "stop", "thinking", "max_tokens", the parameters of
//   app/parameters.h by their names, and either a shape ("json_schema", "grammar" or "regex", and
//   "within": [opening, closing]) or "expect" and "retries";
// or of OpenAI's batches: {"custom_id", "method", "url", "body": {"messages", ...}}.
// What is not known, or cannot be honoured, is a fault of that line: nothing is left out silently.
struct BatchRequest {
  std::string id = {};  // as JSON: "\"a\"", "7"; empty: it has none
  bool openai = false;  // so is its answer
  std::vector<engine::ChatMessage> messages = {};
  std::vector<std::string> files = {};  // that go with the last message
  std::vector<std::string> stop = {};
  AnswerOptions options = {};
  Expectation expected = {};  // what the answer is checked for
  int n_retries =
      OnceOptions().n_retries;  // how often it is asked for again where it is not like that
  std::string fault = {};       // why it cannot be answered, one line; empty: it can
};

// Its id and whether it is in OpenAI's words, as far as the line can be read.
BatchRequest read_heading(std::string_view text, int line);
// `defaults` are for what the line does not say, but its questions and files.
BatchRequest read_request(std::string_view text, int line, const ChatOptions& defaults);

// The turns of a request without a fault, with its files read and composed, and what was wrong with
// the answers so far. Throws UserError.
std::vector<engine::Turn> turns_of(const BatchRequest& request,
                                   std::span<const std::string> faults = {});
// With that prompt before them, where they have none; empty: none.
std::vector<engine::Turn> with_system(std::vector<engine::Turn> turns, const std::string& system);

struct BatchEntry {
  int line = 0;  // from 1
  std::size_t begin = 0, n_bytes = 0;
  std::string id = {};  // as BatchRequest has it
  bool openai = false;
};

class BatchInput {
 public:
  // Lines of white space are no requests. Throws UserError when the file cannot be read, has no
  // requests, or has two with the same id.
  BatchInput(const std::string& path, ChatOptions defaults);

  const std::vector<BatchEntry>& entries() const noexcept { return entries_; }
  BatchRequest request(const BatchEntry& entry) const;

 private:
  std::string text_;
  ChatOptions defaults_;
  std::vector<BatchEntry> entries_;
};

}  // namespace confab::app
