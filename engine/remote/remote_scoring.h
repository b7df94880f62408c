// SPDX-License-Identifier: MIT
// How likely options are, of an engine that tells only how likely the first token is: exact where
// the options begin with different tokens, else refused.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/events.h"
#include "engine/events/event_queue.h"
#include "engine/remote/http_client.h"

namespace confab::engine {

// A token and how likely it is, as an engine tells it.
struct TokenChance {
  std::string text;
  double log_p = 0;
};

// Each option has what the tokens have together that it begins with, where no other option does;
// an option that none of them begins is as good as impossible. Throws ModelError where two options
// begin with the same token.
std::vector<OptionScore> scores_of(const std::vector<std::string>& options,
                                   const std::vector<TokenChance>& chances);
// Of an answer with top_logprobs, of OpenAI's form or Ollama's. Empty: it has none.
std::vector<TokenChance> chances_in(std::string_view body);

class RemoteScoring final : public HttpReader {
 public:
  // engine: its name. n_prompt: an estimate.
  RemoteScoring(std::string engine, std::vector<std::string> options, int n_prompt,
                AnswerEvents events)
      : engine_(std::move(engine)),
        options_(std::move(options)),
        n_prompt_(n_prompt),
        events_(events) {}

  // Tells Finished{cancelled} and nothing more, unless it has ended. For any thread.
  void stop();

  void head(const HttpHead& head) override { head_ = head; }
  bool body(std::string_view bytes) override;
  std::optional<HttpRequest> end(const std::string& fault) override;

 private:
  void tell(Event event);
  Event result(const std::string& fault) const;

  const std::string engine_;
  const std::vector<std::string> options_;
  const int n_prompt_;
  const AnswerEvents events_;
  HttpHead head_ = {};
  std::string body_ = {};
  std::mutex mutex_;
  bool has_ended_ = false;
};

}  // namespace confab::engine
