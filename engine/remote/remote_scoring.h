// SPDX-License-Identifier: MIT
// How likely options are as an answer of an engine elsewhere, which is asked for a token at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/events.h"
#include "engine/events/event_queue.h"
#include "engine/locked.h"
#include "engine/remote/http_client.h"
#include "engine/remote/option_search.h"

namespace confab::engine {

// Of an answer with top_logprobs, of OpenAI's form or Ollama's. Empty: it has none.
std::vector<TokenChance> chances_in(std::string_view body);

// Asks for the token that follows a beginning of the answer, which is not empty. Called by the
// client's thread.
using AskBehind = std::function<HttpRequest(const std::string& beginning)>;

class RemoteScoring final : public HttpReader {
 public:
  static constexpr std::size_t kMostBody = 4U << 20;  // bytes of an answer

  // engine: its name. n_prompt: an estimate. ask_behind: empty where the engine does not go on with
  // what is begun; options that begin with the same token are refused then.
  RemoteScoring(std::string engine, std::vector<std::string> options, int n_prompt,
                AskBehind ask_behind, AnswerEvents events)
      : engine_(std::move(engine)),
        search_(std::move(options)),
        n_prompt_(n_prompt),
        ask_behind_(std::move(ask_behind)),
        events_(events) {}

  // Tells Finished{cancelled} and nothing more, unless it has ended. For any thread.
  void stop();

  void head(const HttpHead& head) override { head_ = head; }
  bool body(std::string_view bytes) override;
  bool has_enough() override { return body_.size() >= kMostBody; }
  std::optional<HttpRequest> end(const std::string& fault) override;

 private:
  void tell(Event event);
  void fail(const std::string& why, bool prompt_too_long = false);
  std::optional<HttpRequest> go_on();

  const std::string engine_;
  OptionSearch search_;
  const int n_prompt_;
  const AskBehind ask_behind_;
  const AnswerEvents events_;
  HttpHead head_ = {};
  std::string body_ = {};
  Locked<bool> has_ended_;
};

}  // namespace confab::engine
