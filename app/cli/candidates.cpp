// SPDX-License-Identifier: MIT
#include "app/cli/candidates.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <map>
#include <system_error>

#include "app/models/model_finder.h"
#include "app/paths.h"
#include "app/themes.h"
#include "app/transfer/lists.h"
#include "sessions/conversations/store.h"
#include "ui/text.h"

namespace confab::app {
namespace {

constexpr int kMaxConversations = 1000;

std::string one_line(std::string_view text) {
  std::string line = ui::sanitize(text);
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  return line;
}

// Nothing that a terminal would act on, or that would be two lines, or an option.
bool can_be_typed(const std::string& text) {
  return !text.empty() && text.front() != '-' && one_line(text) == text;
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
  std::map<std::string_view, int> n_of_title;
  for (const sessions::Conversation& conversation : all) ++n_of_title[conversation.title];
  std::string lines;
  for (const sessions::Conversation& conversation : all) {
    const std::string& title = conversation.title;
    const auto id = static_cast<std::int64_t>(conversation.id);
    if (can_be_typed(title) && n_of_title[title] == 1)
      lines += fmt::format("{}\t{}, {}\n", title, id, when(conversation.updated));
    else
      lines += fmt::format("{}\t{}, {}\n", id, one_line(title), when(conversation.updated));
  }
  return lines;
}

}  // namespace

std::string candidates(ValueKind kind) {
  try {
    if (kind == ValueKind::model) return model_lines();
    if (kind == ValueKind::theme) return theme_lines();
    if (kind == ValueKind::conversation) return conversation_lines();
  } catch (const std::exception&) {  // a shell that completes a word has no place for it
  }
  return {};
}

}  // namespace confab::app
