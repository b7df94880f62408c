// SPDX-License-Identifier: MIT
#include "app/cli/candidates.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <system_error>

#include "app/models/model_finder.h"
#include "app/paths.h"
#include "app/prompts/template_set.h"
#include "app/themes.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/store.h"
#include "ui/text.h"

namespace confab::app {
namespace {

constexpr int kMaxConversations = 1000;

// Whether the text is safe in a completion: one line, without control characters, and not like an
// option.
bool can_be_typed(const std::string& text) {
  return !text.empty() && text.front() != '-' && ui::one_line(text) == text;
}

std::string model_lines() {
  std::string lines;
  for (const FoundModel& model : find_models({}))
    if (can_be_typed(model.name))
      lines += fmt::format("{}\t{:.1f} GB\n", model.name, static_cast<double>(model.bytes) / 1e9);
  return lines;
}

std::string theme_lines() {
  std::string lines;
  for (const std::string& name : theme_names(Paths::from_environment()))
    if (can_be_typed(name)) lines += name + '\n';
  return lines;
}

std::string conversation_lines() {
  const Paths paths = Paths::from_environment();
  std::error_code error;
  if (!std::filesystem::exists(paths.database, error)) return {};
  sessions::Store store(paths.database);
  const std::vector<sessions::Conversation> all = store.list(kMaxConversations);
  const std::vector<std::string> names = names_of(all);
  std::string lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string number = number_of(all[i].id), time = when(all[i].updated);
    if (names[i] != number && can_be_typed(names[i]))
      lines += fmt::format("{}\t{}, {}\n", names[i], number, time);
    else
      lines += fmt::format("{}\t{}, {}\n", number, ui::one_line(all[i].title), time);
  }
  return lines;
}

// Completion scripts already know the built-in templates.
std::string template_lines() {
  const TemplateSet templates = TemplateSet::load(Paths::from_environment().templates);
  std::string lines;
  for (const PromptTemplate* one : templates.commands())
    if (!one->is_built_in())
      lines += fmt::format("{}\t{}\n", one->name, ui::one_line(one->description));
  return lines;
}

}  // namespace

std::string candidates(ValueKind kind) {
  try {
    if (kind == ValueKind::model) return model_lines();
    if (kind == ValueKind::theme) return theme_lines();
    if (kind == ValueKind::conversation) return conversation_lines();
    if (kind == ValueKind::own_template) return template_lines();
  } catch (const std::exception&) {  // completion has no place for an error message
  }
  return {};
}

}  // namespace confab::app
