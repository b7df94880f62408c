// SPDX-License-Identifier: MIT
// How likely options are as an answer of an engine elsewhere, which is asked for a token at a time.
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

// A token and how likely it is, as an engine tells it.
struct TokenChance {
  std::string text;
  double log_p = 0;
};

// How likely options are, of what an engine tells of the next token alone: it is asked again behind
// each beginning that several options share, so that what is known in the end is exact but for what
// is not among the likeliest tokens.
class OptionSearch {
 public:
  explicit OptionSearch(std::vector<std::string> options);

  // The beginning of the answer whose next token is to be looked at, "" at first; nullopt: all is
  // known. Throws ModelError, once it has been asked so often that it is not worth it.
  std::optional<std::string> next() const;
  // What may follow next(). White space before the answer is none of it.
  void take(const std::vector<TokenChance>& chances);
  // Each option has what the tokens have together that lead to it and to no other; one that others
  // go on from has what does not lead to these. So none counts another one's, and as tokens, which
  // are not known here, each has its number. One that no token leads to is as good as impossible.
  std::vector<OptionScore> scores() const;
  // Whether any is likely enough to be told from the others.
  bool has_found() const noexcept;
  int n_asked() const noexcept { return n_asked_; }
  // Two of the options that next() is the beginning of, quoted: "'north' and 'no'".
  std::string alike() const;

 private:
  std::vector<std::size_t> options_with(std::string_view beginning) const;

  std::vector<std::string> options_;
  std::vector<double> p_;
  std::map<std::string, double> open_ = {{"", 1.0}};  // beginnings, and how likely each is
  int n_asked_ = 0;
};

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
