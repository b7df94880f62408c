// SPDX-License-Identifier: MIT
#include "app/models/template_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "app/error.h"
#include "app/paths.h"
#include "engine/prompt/builtin_template.h"

namespace confab::app {
namespace {

bool is_jinja(std::string_view text) noexcept {
  return text.find("{{") != std::string_view::npos || text.find("{%") != std::string_view::npos;
}

}  // namespace

std::vector<std::string> template_names() {
  std::vector<std::string> names;
  for (const engine::BuiltinTemplate& one : engine::builtin_templates())
    names.emplace_back(one.name);
  return names;
}

std::string chosen_template(const ModelOptions& options) {
  const std::string& text = options.chat_template;
  if (text.empty() || is_jinja(text) || engine::find_builtin_template(text) != nullptr) return text;
  if (!options.chat_template_file.empty())
    throw UsageError(fmt::format("{}: is not a chat template: it has no {{{{ or {{%",
                                 options.chat_template_file));
  throw UsageError(fmt::format("no chat template '{}'; confab has {}, and takes Jinja",
                               text.substr(0, text.find('\n')), fmt::join(template_names(), ", ")));
}

}  // namespace confab::app
