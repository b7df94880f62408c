// SPDX-License-Identifier: MIT
// Which template a prompt is asked with: the one that somebody has named, or that of the prompt's
// class, by rules and, where these are in doubt, by the model. Nothing here waits for a model: what
// it is to be asked comes out, and its answer goes in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/options.h"
#include "app/prompts/template_call.h"
#include "app/prompts/template_set.h"
#include "engine/api/events.h"
#include "engine/api/requests.h"
#include "sessions/conversations/attachment.h"

namespace confab::app {

inline constexpr std::string_view kRouteAuto = "auto";    // the rules, in doubt the model
inline constexpr std::string_view kRouteRules = "rules";  // the rules; in doubt, nothing
inline constexpr std::string_view kRouteOff = "off";

struct RouteDecision {
  const PromptTemplate* asked_with = nullptr;  // of the router's set; nullptr: asked as it is
  std::string reason = {};                     // a clause: "it says \"translate\""
  bool in_doubt = false;                       // the rules are
};

class Router {
 public:
  Router() = default;  // off, without templates
  // With the route of the options. Throws as set_route() does.
  Router(TemplateSet templates, const ChatOptions& options);
  Router(Router&&) noexcept = default;
  Router& operator=(Router&&) noexcept = default;

  const TemplateSet& templates() const noexcept { return templates_; }
  const std::string& route() const noexcept { return route_; }
  // route: one of those above, or the name of a template. Throws UsageError, which begins with
  // `called` ("--route"), and nothing has changed: there is none of that name, or it cannot do
  // without arguments, and none are given.
  void set_route(const std::string& route, std::string_view called,
                 const ArgumentValues& given = {});
  // The template that somebody has named for all that is asked; nullptr: none.
  const PromptTemplate* named() const noexcept;

  RouteDecision decide(const std::string& text, std::span<const std::string> attachments) const;
  // Whether the model is to be asked about this.
  bool asks_model(const RouteDecision& decision) const noexcept {
    return decision.in_doubt && route_ == kRouteAuto;
  }
  // All requests begin alike, so that the model has read that much of the next one; of a long
  // prompt the beginning and the end are shown.
  engine::ScoreRequest request(const std::string& text,
                               std::span<const std::string> attachments) const;
  RouteDecision decide(const engine::Scored& scored) const;

 private:
  TemplateSet templates_;
  std::string route_ = std::string(kRouteOff);
};

std::vector<std::string> names_of(std::span<const sessions::Attachment> attachments);
// "asked as code, since it says \"python\": temperature 0.3".
std::string told_of(const RouteDecision& decision, const std::vector<std::string>& changed);
// What --route and /route take: those above, then the templates.
std::vector<std::string> route_names(const TemplateSet& templates);

}  // namespace confab::app
