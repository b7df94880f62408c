// SPDX-License-Identifier: MIT
#include "engine/hub/hub_name.h"

#include <algorithm>

namespace confab::engine {
namespace {

constexpr std::size_t kMostPath = 1024, kMostPart = 255;
constexpr std::size_t kMostName = 96;  // the hub's own limit for names

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

// Allowed are letters, digits, "-", "_" and ".", but not "--" or "..":
// https://huggingface.co/docs/huggingface_hub
bool is_hub_word(std::string_view text) noexcept {
  const auto fits = [](char c) { return is_word(c) || c == '-' || c == '.'; };
  return !text.empty() && text.size() <= kMostName && std::ranges::all_of(text, fits) &&
         is_word(text.front()) && text.find("--") == std::string_view::npos &&
         text.find("..") == std::string_view::npos;
}

bool is_plain_part(std::string_view part) noexcept {
  return !part.empty() && part.size() <= kMostPart && part != "." && part != "..";
}

bool has_control(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F || byte == '\\') return true;
    const bool is_c1 =
        byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (is_c1) return true;
  }
  return false;
}

// Examples: "Q4_K_M", "IQ2_XXS", "TQ1_0", "BF16", "FP16", "MXFP4_MOE". Case is ignored.
bool is_quantisation(std::string_view word) {
  std::string upper(word);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - ('a' - 'A'));
  std::string_view rest = upper;
  if (rest == "F16" || rest == "BF16" || rest == "F32" || rest == "FP16" || rest == "FP32" ||
      rest.starts_with("MXFP4") || rest.starts_with("NVFP4"))
    return true;
  for (const std::string_view prefix : {"IQ", "TQ", "Q"})
    if (rest.starts_with(prefix)) {
      rest.remove_prefix(prefix.size());
      return !rest.empty() && is_digit(rest.front());
    }
  return false;
}

}  // namespace

std::optional<HubName> parse_hub_name(std::string_view text) {
  for (const std::string_view prefix : {"https://", "hf.co/", "huggingface.co/"})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  const std::size_t first = text.find('/');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = text.find_first_of("/:", first + 1);
  HubName name{std::string(text.substr(0, first)),
               std::string(text.substr(first + 1, second - first - 1))};
  if (!is_hub_word(name.owner) || !is_hub_word(name.name)) return std::nullopt;
  if (second == std::string_view::npos) return name;
  name.choice = text.substr(second + 1);
  const bool is_file = name.choice.ends_with(".gguf");
  const bool fits = text[second] == '/' || name.choice.find('/') != std::string::npos
                        ? is_file && is_safe_path(name.choice)
                        : is_safe_path(name.choice);
  return fits ? std::optional(name) : std::nullopt;
}

bool is_safe_path(std::string_view path) noexcept {
  if (path.size() > kMostPath || has_control(path)) return false;
  for (;;) {
    const std::size_t slash = path.find('/');
    if (!is_plain_part(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::string quantisation_of(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  if (path.ends_with(".gguf")) path.remove_suffix(5);
  std::string found;
  for (std::string_view before; !path.empty();) {
    const std::size_t end = std::min(path.find_first_of("-."), path.size());
    const std::string_view word = path.substr(0, end);
    if (is_quantisation(word)) found = (before == "UD" ? "UD-" : "") + std::string(word);
    before = word;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return found;
}

}  // namespace confab::engine
