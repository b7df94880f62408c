// SPDX-License-Identifier: MIT
#include "app/prompts/router.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "app/error.h"
#include "app/nearest.h"
#include "app/prompts/prompt_class.h"
#include "app/prompts/template_call.h"

namespace confab::app {
namespace {

// The model's choice counts if one name has this share, and if it is this likely to answer with any
// of the names.
constexpr double kSure = 0.6;
constexpr double kFollows = 0.5;

constexpr std::string_view kAsked =
    "Of which kind is the request below? Answer with one word.\n\n"
    "code: to write, explain or mend programs, queries, formulas or shell commands\n"
    "question: to know a fact, or to have something explained\n"
    "summary: to make a given text short\n"
    "rewrite: to translate, correct or rephrase a given text\n"
    "extraction: to find the names, dates, numbers or other parts of a kind in a given text\n"
    "chat: small talk, feelings, advice, ideas, stories, poems, letters\n\n"
    "The request:\n";

bool is_way(std::string_view route) noexcept {
  return route == kRouteAuto || route == kRouteRules || route == kRouteOff;
}

bool continues_character(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

// The text, or its start and end if it is long.
std::string excerpt(const std::string& text) {
  constexpr std::size_t kBegin = 600, kEnd = 200;
  if (text.size() <= kBegin + kEnd) return text;
  std::size_t n = kBegin, from = text.size() - kEnd;
  while (n > 0 && continues_character(text[n])) --n;
  while (from < text.size() && continues_character(text[from])) ++from;
  return text.substr(0, n) + "\n[...]\n" + text.substr(from);
}

std::string capital(std::string_view name) {
  std::string word(name);
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

}  // namespace

Router::Router(TemplateSet templates, const ChatOptions& options)
    : templates_(std::move(templates)) {
  const Option& option = *find_option("route");
  set_route(options.route, name_for(option, source_of(option, options).origin),
            options.template_arguments);
}

void Router::set_route(const std::string& route, std::string_view called,
                       const ArgumentValues& given) {
  if (is_way(route)) {
    route_ = route;
    return;
  }
  if (const std::string fault = templates_.fault_of(route); !fault.empty()) throw UsageError(fault);
  const PromptTemplate* found = templates_.find(route);
  const std::vector<std::string> names = route_names(templates_);
  if (found == nullptr) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearest(route, views);
    throw UsageError(
        fmt::format("{}: no template '{}'; {}", called, route,
                    near ? fmt::format("did you mean {}?", *near) : "confab templates lists them"));
  }
  if (needs_arguments(*found) && given.empty())
    throw UsageError(fmt::format("{}: {} needs arguments, so it is called by its name: {}", called,
                                 route, usage_of(*found, "confab " + route)));
  route_ = route;
}

const PromptTemplate* Router::named() const noexcept {
  return is_way(route_) ? nullptr : templates_.find(route_);
}

RouteDecision Router::decide(const std::string& text,
                             std::span<const std::string> attachments) const {
  if (route_ == kRouteOff) return {.reason = "routing is off"};
  if (const PromptTemplate* one = named()) return {one, "it was chosen for all questions"};
  const Classed classed = class_of(text, attachments);
  if (!classed.is) return {.reason = classed.reason, .in_doubt = true};
  return {templates_.find(name_of(*classed.is)), classed.reason};
}

engine::ScoreRequest Router::request(const std::string& text,
                                     std::span<const std::string> attachments) const {
  std::string asked(kAsked);
  if (!attachments.empty())
    asked += fmt::format("(with the files {})\n", fmt::join(attachments, ", "));
  asked += excerpt(text);
  engine::ScoreRequest request{.turns = {{{"user", asked}}}, .settings = {.thinking = false}};
  for (const PromptClass one : kPromptClasses) {
    request.options.emplace_back(name_of(one));
    request.options.push_back(capital(name_of(one)));
  }
  return request;
}

RouteDecision Router::decide(const engine::Scored& scored) const {
  std::array<double, kPromptClasses.size()> shares{};
  double total = 0, most = -std::numeric_limits<double>::infinity();
  for (const engine::OptionScore& option : scored.options) most = std::max(most, option.log_p);
  if (!std::isfinite(most)) return {.reason = "the model cannot tell"};
  for (std::size_t i = 0; i < scored.options.size() && i / 2 < shares.size(); ++i) {
    const double share = std::exp(scored.options[i].log_p - most);
    shares[i / 2] += share;
    total += share;
  }
  const auto best = std::ranges::max_element(shares);
  const double p = *best / total;
  const std::string_view name =
      name_of(kPromptClasses[static_cast<std::size_t>(best - shares.begin())]);
  if (total * std::exp(most) < kFollows)
    return {.reason = "the model does not answer with the name of a class"};
  if (p < kSure) return {.reason = fmt::format("the model is not sure: {} with {:.2f}", name, p)};
  return {templates_.find(name), fmt::format("the model says so, with {:.2f}", p)};
}

std::vector<std::string> names_of(std::span<const sessions::Attachment> attachments) {
  std::vector<std::string> names;
  for (const sessions::Attachment& one : attachments) names.push_back(one.name);
  return names;
}

std::string told_of(const RouteDecision& decision, const std::vector<std::string>& changed) {
  if (decision.asked_with == nullptr) return fmt::format("asked as it is: {}", decision.reason);
  return fmt::format(
      "asked as {}, since {}: {}", decision.asked_with->name, decision.reason,
      changed.empty() ? "nothing is changed" : fmt::format("{}", fmt::join(changed, ", ")));
}

std::vector<std::string> route_names(const TemplateSet& templates) {
  std::vector<std::string> names{std::string(kRouteAuto), std::string(kRouteRules),
                                 std::string(kRouteOff)};
  for (const PromptTemplate& one : templates.all())
    if (!needs_arguments(one)) names.push_back(one.name);
  return names;
}

}  // namespace confab::app
