// SPDX-License-Identifier: MIT
// Scores options as the answer of a remote engine, by asking it for one token at a time.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/events.h"
#include "engine/events/event_queue.h"
#include "engine/locked.h"
#include "engine/remote/http_client.h"

namespace confab::engine {

// A token and its likelihood, as reported by an engine.
struct TokenChance {
  std::string text;
  double log_p = 0;
};

// Finds the likelihood of options from an engine that only reports the next token. It asks again
// after each beginning that several options share. The result is exact except for tokens that are
// not among the likeliest.
class OptionSearch {
 public:
  explicit OptionSearch(std::vector<std::string> options);

  // The beginning of the answer whose next token must be asked for, "" at first; nullopt if
  // everything is known. Throws ModelError if it has asked too often to be worth it.
  std::optional<std::string> next() const;
  // Takes the tokens that may follow next(). White space before the answer is ignored.
  void take(const std::vector<TokenChance>& chances);
  // Each option gets the total likelihood of the tokens that lead to it alone. An option that is
  // the beginning of others gets the rest that does not lead to these. So no likelihood is counted
  // twice. The tokens are not known here, so each option has its index as its only token. An option
  // that no token leads to gets a likelihood near 0.
  std::vector<OptionScore> scores() const;
  // Whether any option is likely enough to be distinguished from the others.
  bool has_found() const noexcept;
  int n_asked() const noexcept { return n_asked_; }
  // Two of the options that begin with next(), quoted: "'north' and 'no'".
  std::string alike() const;

 private:
  std::vector<std::size_t> options_with(std::string_view beginning) const;

  std::vector<std::string> options_;
  std::vector<double> p_;
  std::map<std::string, double> open_ = {{"", 1.0}};  // likelihood of each open beginning
  int n_asked_ = 0;
};

// The likelihoods in a response with top_logprobs, in OpenAI's or Ollama's form. Empty if it has
// none.
std::vector<TokenChance> chances_in(std::string_view body);

// Makes the request for the token after a beginning of the answer, which is not empty. Called by
// the client's thread.
using AskBehind = std::function<HttpRequest(const std::string& beginning)>;

class RemoteScoring final : public HttpReader {
 public:
  static constexpr std::size_t kMostBody = 4U << 20;  // bytes of a response

  // engine: its name. n_prompt: an estimate. ask_behind: empty if the engine cannot continue a
  // given beginning; options with the same first token are then refused.
  RemoteScoring(std::string engine, std::vector<std::string> options, int n_prompt,
                AskBehind ask_behind, AnswerEvents events)
      : engine_(std::move(engine)),
        search_(std::move(options)),
        n_prompt_(n_prompt),
        ask_behind_(std::move(ask_behind)),
        events_(events) {}

  // Sends Finished{cancelled} and nothing more, unless the scoring has ended. May be called by any
  // thread.
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
