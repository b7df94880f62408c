// SPDX-License-Identifier: MIT
#include "app/chat/welcome.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "app/figures.h"
#include "sessions/error.h"
#include "ui/text.h"

namespace confab::app {

namespace {

// Each fits beside the margin of 80 columns.
constexpr int kNameCols = 28;

std::string short_name(const std::string& name) {
  return ui::ellipsize(ui::one_line(name), ui::Cols{kNameCols});
}

std::string found_text(const Suggestion& suggestion) {
  if (suggestion.n_found == 0) return "On this disk: no model but the bundled one";
  const std::string found =
      "On this disk: " + counted(static_cast<std::int64_t>(suggestion.n_found), "model");
  if (suggestion.model)
    return fmt::format("{}; {} ({}) fits", found, short_name(suggestion.model->name),
                       size_text(suggestion.model->bytes));
  return found + ", too large for the memory that is free";
}

std::string fitting_text(const Suggestion& suggestion) {
  const std::string text =
      fmt::format("What fits: files up to {}", size_text(suggestion.room_bytes));
  if (!suggestion.to_pull) return text;
  return fmt::format("{}, such as {} ({})", text, short_name(suggestion.to_pull->name),
                     size_text(suggestion.to_pull->bytes));
}

// What was found, what would fit, and what to type.
std::array<std::string, 3> real_model(const Suggestion& suggestion) {
  std::string type = "confab -m FILE.gguf";
  if (suggestion.model)
    type = "/model " + short_name(suggestion.model->name);
  else if (suggestion.to_pull)
    type = "confab pull " + suggestion.to_pull->pull;
  return {found_text(suggestion), fitting_text(suggestion), "A real model: " + type};
}

}  // namespace

std::vector<std::string> welcome(const engine::ModelInfo& model, bool is_demo,
                                 const std::optional<Suggestion>& suggestion, Keeping keeping) {
  std::vector<std::string> lines;
  if (is_demo) {
    lines.push_back("confab · a tiny demo model: quick, fluent and often wrong");
    lines.push_back("Try: What is confab? · Tell me a story about a fox. · What can you do?");
    if (suggestion)
      for (std::string& line : real_model(*suggestion)) lines.push_back(std::move(line));
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
