// SPDX-License-Identifier: MIT
// Chooses the template that a prompt is asked with: the one the person named, or the one for the
// prompt's class. Rules determine the class, and the model if they are in doubt. Nothing here waits
// for a model: the router makes the request and takes the result.
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

inline constexpr std::string_view kRouteAuto = "auto";    // rules, then the model if in doubt
inline constexpr std::string_view kRouteRules = "rules";  // rules; no template if in doubt
inline constexpr std::string_view kRouteOff = "off";

struct RouteDecision {
  const PromptTemplate* asked_with = nullptr;  // in the router's set; nullptr for no template
  std::string reason = {};                     // a clause: "it says \"translate\""
  bool in_doubt = false;                       // the rules could not decide
};

class Router {
 public:
  Router() = default;  // off, without templates
  // Uses the route in the options. Throws like set_route().
  Router(TemplateSet templates, const ChatOptions& options);
  Router(Router&&) noexcept = default;
  Router& operator=(Router&&) noexcept = default;

  const TemplateSet& templates() const noexcept { return templates_; }
  const std::string& route() const noexcept { return route_; }
  // `route` is one of the constants above or a template's name. Throws UsageError, starting with
  // `called` ("--route"), and changes nothing if there is no such template, or if it needs
  // arguments and `given` is empty.
  void set_route(const std::string& route, std::string_view called,
                 const ArgumentValues& given = {});
  // The template named for all questions, or nullptr.
  const PromptTemplate* named() const noexcept;

  RouteDecision decide(const std::string& text, std::span<const std::string> attachments) const;
  // Returns true if the model should be asked about this.
  bool asks_model(const RouteDecision& decision) const noexcept {
    return decision.in_doubt && route_ == kRouteAuto;
  }
  // All requests start alike, so the model can reuse that part. A long prompt is shortened to its
  // start and end.
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
// The values that --route and /route accept: the constants above, then the templates.
std::vector<std::string> route_names(const TemplateSet& templates);

}  // namespace confab::app
