// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <fmt/format.h>

#include "app/figures.h"
#include "sessions/error.h"
#include "ui/text.h"

namespace confab::app {

namespace {

// Each fits beside the margin of 80 columns.
constexpr int kNameCols = 28;

std::string real_model(const Suggestion& suggestion) {
  if (suggestion.model)
    return fmt::format("A real model: /model {} ({}) fits this machine",
                       ui::ellipsize(ui::one_line(suggestion.model->name), ui::Cols{kNameCols}),
                       size_text(suggestion.model->bytes));
  return fmt::format("A real model: confab -m FILE.gguf; files up to {} fit this machine",
                     size_text(suggestion.room_bytes));
}

}  // namespace

std::vector<std::string> welcome(const engine::ModelInfo& model, bool is_demo,
                                 const std::optional<Suggestion>& suggestion, Keeping keeping) {
  std::vector<std::string> lines;
  if (is_demo) {
    lines.push_back("confab · a tiny demo model: quick, fluent and often wrong");
    lines.push_back("Try: What is confab? · Tell me a story about a fox. · What can you do?");
    if (suggestion) lines.push_back(real_model(*suggestion));
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
    return {};  // saving has told it
  }
}

}  // namespace confab::app
