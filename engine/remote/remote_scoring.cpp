// SPDX-License-Identifier: MIT
#include "engine/remote/remote_scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/error.h"
#include "engine/remote/error_reply.h"
#include "engine/remote/json_fields.h"

namespace confab::engine {
namespace {

constexpr int kMostAsked = 24;
constexpr double kLeast = 1e-9;       // for options that no reported token leads to
constexpr double kNegligible = 1e-6;  // less likely beginnings are not followed

std::string_view without_space(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n\t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

constexpr int kOk = 200;

const Json* first_of(const Json* list) {
  return list != nullptr && !list->elements().empty() ? &list->elements().front() : nullptr;
}

}  // namespace

OptionSearch::OptionSearch(std::vector<std::string> options)
    : options_(std::move(options)), p_(options_.size(), 0) {}

std::vector<std::size_t> OptionSearch::options_with(std::string_view beginning) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < options_.size(); ++i)
    if (options_[i].starts_with(beginning)) found.push_back(i);
  return found;
}

// Takes the first in order: no other open beginning is a prefix of it, so its likelihood is final.
std::optional<std::string> OptionSearch::next() const {
  if (open_.empty()) return std::nullopt;
  if (n_asked_ == kMostAsked)
    throw ModelError(
        fmt::format("{} begin alike for too long; name choices that differ sooner", alike()));
  return open_.begin()->first;
}

std::string OptionSearch::alike() const {
  const auto found = options_with(open_.begin()->first);
  return fmt::format("'{}' and '{}'", options_[found[0]], options_[found[1]]);
}

void OptionSearch::take(const std::vector<TokenChance>& chances) {
  ++n_asked_;
  const auto [beginning, p_beginning] = *open_.begin();
  open_.erase(open_.begin());
  double p_led = 0;  // total that leads to any option
  for (const TokenChance& chance : chances) {
    const std::string_view text = beginning.empty() ? without_space(chance.text) : chance.text;
    if (text.empty()) continue;
    const std::string reached = beginning + std::string(text);
    const auto found = options_with(reached);
    const double p = p_beginning * std::exp(chance.log_p);
    if (!found.empty()) p_led += p;
    if (found.size() == 1) p_[found.front()] += p;
    if (found.size() > 1 && p >= kNegligible) open_[reached] += p;
  }
  const auto whole = std::ranges::find(options_, beginning);
  if (whole != options_.end())
    p_[static_cast<std::size_t>(whole - options_.begin())] += std::max(p_beginning - p_led, 0.0);
}

std::vector<OptionScore> OptionSearch::scores() const {
  std::vector<OptionScore> scores;
  for (const double p : p_)
    scores.push_back(
        {.tokens = {static_cast<Token>(scores.size())}, .log_p = std::log(std::max(p, kLeast))});
  return scores;
}

bool OptionSearch::has_found() const noexcept {
  return std::ranges::any_of(p_, [](double p) { return p >= kNegligible; });
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
  if (top == nullptr) return chances;
  for (const Json& one : top->elements())
    if (const auto log_p = number_of(field(one, "logprob")))
      chances.push_back({text_of(field(one, "token")), std::min(*log_p, 0.0)});
  return chances;
}

void RemoteScoring::stop() {
  Finished end{.reason = FinishReason::cancelled, .stats = {}, .tokens = {}};
  tell(std::move(end));
}

void RemoteScoring::tell(Event event) {
  const bool had_ended = has_ended_.with([](bool& ended) { return std::exchange(ended, true); });
  if (!had_ended) events_.push(std::move(event));
}

bool RemoteScoring::body(std::string_view bytes) {
  body_ += bytes.substr(0, kMostBody - body_.size());
  return true;
}

void RemoteScoring::fail(const std::string& why, bool prompt_too_long) {
  tell(Failed{fmt::format("{}: {}", engine_, why), prompt_too_long});
}

std::optional<HttpRequest> RemoteScoring::end(const std::string& fault) {
  const HttpHead head = std::exchange(head_, {});
  const std::string body = std::exchange(body_, {});
  if (!fault.empty()) return fail(fault), std::nullopt;
  if (head.status != kOk) {
    const ErrorReply refusal = refusal_of(head, body);
    return fail(refusal.message, refusal.prompt_too_long), std::nullopt;
  }
  const std::vector<TokenChance> chances = chances_in(body);
  if (chances.empty())
    return fail("it does not tell how likely an answer is; decide with a model on this machine"),
           std::nullopt;
  search_.take(chances);
  try {
    return go_on();
  } catch (const ModelError& refused) {
    return fail(refused.what()), std::nullopt;
  }
}

// Makes the next request, or sends the result.
std::optional<HttpRequest> RemoteScoring::go_on() {
  if (const auto beginning = search_.next()) {
    if (ask_behind_) return ask_behind_(*beginning);
    throw ModelError(fmt::format(
        "it tells only how likely the first token is, and {} begin with the same one; name choices "
        "that begin differently",
        search_.alike()));
  }
  if (!search_.has_found())
    throw ModelError(
        "none of the choices is among the likeliest beginnings of its answer; tell it in the "
        "question to answer with one of them");
  Scored scored{.options = search_.scores(), .stats = {}};
  scored.stats.n_prompt = n_prompt_;
  scored.stats.n_scored = static_cast<int>(scored.options.size());
  scored.stats.n_passes = search_.n_asked();
  tell(std::move(scored));
  return std::nullopt;
}

}  // namespace confab::engine
