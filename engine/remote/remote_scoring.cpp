// SPDX-License-Identifier: MIT
#include "engine/remote/remote_scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/error.h"
#include "engine/remote/error_reply.h"
#include "engine/remote/json_fields.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMostBody = 4U << 20;
constexpr int kOk = 200;

std::string_view without_space(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n\t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

const Json* first_of(const Json* list) {
  return list != nullptr && list->is_array() && !list->empty() ? &list->front() : nullptr;
}

}  // namespace

std::vector<OptionScore> scores_of(const std::vector<std::string>& options,
                                   const std::vector<TokenChance>& chances) {
  constexpr double kLeast = 1e-9;  // of what the engine does not name among the likeliest
  std::vector<double> p(options.size(), 0);
  for (const TokenChance& chance : chances) {
    const double p_token = std::exp(chance.log_p);
    const std::string_view text = without_space(chance.text);
    if (text.empty()) continue;
    std::vector<std::size_t> begun;
    for (std::size_t i = 0; i < options.size(); ++i)
      if (options[i].starts_with(text)) begun.push_back(i);
    if (begun.size() > 1)
      throw ModelError(
          fmt::format("it tells only how likely the first token is, and '{}' and '{}' "
                      "begin with the same one; name choices that begin differently",
                      options[begun[0]], options[begun[1]]));
    if (!begun.empty()) p[begun.front()] += p_token;
  }
  std::vector<OptionScore> scores;
  for (const double one : p) scores.push_back({.log_p = std::log(std::max(one, kLeast))});
  return scores;
}

std::vector<TokenChance> chances_in(std::string_view body) {
  const auto json = parse_json(body);
  if (!json) return {};
  const Json* choice = first_of(field(*json, "choices"));
  const Json* tokens =
      choice != nullptr ? field(*choice, "logprobs", "content") : field(*json, "logprobs");
  const Json* first = first_of(tokens);
  const Json* top = field(first, "top_logprobs");
  std::vector<TokenChance> chances;
  if (top == nullptr || !top->is_array()) return chances;
  for (const Json& one : *top)
    if (const auto log_p = number_of(field(one, "logprob")))
      chances.push_back({text_of(field(one, "token")), std::min(*log_p, 0.0)});
  return chances;
}

void RemoteScoring::stop() {
  Finished end{.reason = FinishReason::cancelled, .stats = {}, .tokens = {}};
  tell(std::move(end));
}

void RemoteScoring::tell(Event event) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(has_ended_, true)) events_.push(std::move(event));
}

bool RemoteScoring::body(std::string_view bytes) {
  body_ += bytes.substr(0, kMostBody - body_.size());
  return true;
}

std::optional<HttpRequest> RemoteScoring::end(const std::string& fault) {
  tell(result(fault));
  return std::nullopt;
}

Event RemoteScoring::result(const std::string& fault) const {
  if (!fault.empty()) return Failed{fmt::format("{}: {}", engine_, fault)};
  if (head_.status != kOk) {
    const ErrorReply refusal = refusal_of(head_, body_);
    return Failed{fmt::format("{}: {}", engine_, refusal.message), refusal.prompt_too_long};
  }
  const std::vector<TokenChance> chances = chances_in(body_);
  if (chances.empty())
    return Failed{
        fmt::format("{}: it does not tell how likely an answer is; decide with a model on "
                    "this machine",
                    engine_)};
  try {
    Scored scored{.options = scores_of(options_, chances), .stats = {}};
    scored.stats.n_prompt = n_prompt_;
    scored.stats.n_scored = static_cast<int>(options_.size());
    scored.stats.n_passes = 1;
    return scored;
  } catch (const ModelError& refused) {
    return Failed{fmt::format("{}: {}", engine_, refused.what())};
  }
}

}  // namespace confab::engine
