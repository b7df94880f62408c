// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "sessions/error.h"
#include "ui/text.h"

namespace confab::app {

std::vector<std::string> welcome(const engine::ModelInfo& model, bool is_demo,
                                 const std::optional<Suggestion>& suggestion, Keeping keeping) {
  std::vector<std::string> lines;
  if (is_demo) {
    lines.push_back("confab · a tiny demo model: quick, fluent and often wrong");
    lines.push_back("Try: What is confab? · Tell me a story about a fox. · What can you do?");
    if (suggestion)
      for (std::string& line : suggestion_lines(*suggestion, SuggestedFor::chat))
        lines.push_back(std::move(line));
  } else {
    lines.push_back(fmt::format("confab · {}", ui::one_line(model.name)));
    lines.push_back("Try: Explain @README.md in two sentences. · /resume · /theme");
  }
  const std::string where =
      model.place.empty() || model.is_on_this_machine
          ? "Nothing leaves this machine."
          : fmt::format("What you say is sent to {}.", ui::one_line(model.place));
  lines.push_back(keeping == Keeping::incognito
                      ? "Incognito: nothing is saved here. " + where
                      : where + " confab -C continues the last conversation.");
  return lines;
}

std::string way_back(sessions::Store& store) {
  try {
    const auto latest = store.latest_conversation();
    if (!latest || !store.read_only_reason().empty()) return {};
    return fmt::format("confab -C continues \"{}\"", ui::one_line(latest->title));
  } catch (const sessions::StoreError&) {
    return {};  // saving has already reported it
  }
}

std::string in_ascii(std::string line) {
  for (const std::string_view sign : {"·", "─"})
    for (std::size_t at = 0; (at = line.find(sign, at)) != std::string::npos;)
      line.replace(at, sign.size(), "-");
  return line;
}

std::vector<std::string> greeting(const engine::ModelInfo& model, bool is_demo, Keeping keeping) {
  const auto suggestion = is_demo ? std::optional(suggest_model()) : std::nullopt;
  std::vector<std::string> lines;
  for (std::string& line : welcome(model, is_demo, suggestion, keeping))
    lines.push_back(in_ascii(std::move(line)));
  lines.emplace_back("/ or ? lists the commands and keys; @FILE attaches a file; Ctrl+D leaves.");
  return lines;
}

}  // namespace confab::app
