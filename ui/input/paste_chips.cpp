// SPDX-License-Identifier: MIT
#include "ui/input/paste_chips.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/utf8.h"

namespace confab::ui {
namespace {

// U+10E000 to U+10EFFF, which all begin with the same bytes.
constexpr char32_t kFirst = 0x10e000, kLast = 0x10efff;
constexpr std::string_view kLead = "\xf4\x8e";
constexpr std::size_t kChipBytes = 4;

std::string character(std::size_t index) {
  return to_utf8(kFirst + static_cast<char32_t>(index));
}

// The number of the chip that a line begins with.
std::optional<std::size_t> number_at(std::string_view line) {
  if (line.size() < kChipBytes || !line.starts_with(kLead)) return std::nullopt;
  const char32_t c = from_utf8(line);
  return c >= kFirst && c <= kLast ? std::optional<std::size_t>(c - kFirst) : std::nullopt;
}

std::string size_of(std::size_t n_bytes) {
  if (n_bytes < 1000) return fmt::format("{} B", n_bytes);
  const double kilobytes = static_cast<double>(n_bytes) / 1000;
  if (kilobytes < 1000) return fmt::format("{:.1f} KB", kilobytes);
  return fmt::format("{:.1f} MB", kilobytes / 1000);
}

}  // namespace

std::optional<std::string> PasteChips::fold(std::string_view text) {
  const bool ended = text.ends_with('\n');
  const auto n_lines = std::ranges::count(text, '\n') + (ended ? 0 : 1);
  if (n_lines <= kMaxOpenLines || pastes_.size() == kMaxChips) return std::nullopt;
  pastes_.push_back(
      {fmt::format("[paste #{}: {} lines, {}]", pastes_.size() + 1, n_lines, size_of(text.size())),
       std::string(text)});
  return character(pastes_.size() - 1);
}

std::optional<PasteChips::Chip> PasteChips::at(std::string_view line) const {
  const std::optional<std::size_t> number = number_at(line);
  if (!number || *number >= pastes_.size()) return std::nullopt;
  const Paste& paste = pastes_[*number];
  return Chip{kChipBytes, paste.label, paste.text};
}

std::optional<std::size_t> PasteChips::nearest(std::string_view line, std::size_t caret) const {
  std::optional<std::size_t> best;
  for (std::size_t i = line.find(kLead); i < line.size(); i = line.find(kLead, i + 1)) {
    if (best && i > caret) break;
    if (at(line.substr(i))) best = i;
  }
  return best;
}

std::string PasteChips::expand(std::string_view line) const {
  std::string out;
  while (!line.empty()) {
    const std::size_t lead = std::min(line.find(kLead), line.size());
    out += line.substr(0, lead);
    line.remove_prefix(lead);
    const std::optional<Chip> chip = at(line);
    const std::size_t n_bytes = std::min(chip ? chip->n_bytes : 1, line.size());
    out += chip ? chip->text : line.substr(0, n_bytes);
    line.remove_prefix(n_bytes);
  }
  return out;
}

std::string PasteChips::without_chips(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t lead = std::min(text.find(kLead), text.size());
    out += text.substr(0, lead);
    text.remove_prefix(lead);
    if (text.empty()) break;
    const bool whole = number_at(text).has_value();
    out += whole ? std::string_view("\uFFFD") : text.substr(0, 1);
    text.remove_prefix(whole ? kChipBytes : 1);
  }
  return out;
}

}  // namespace confab::ui
