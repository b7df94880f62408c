// SPDX-License-Identifier: MIT
#include "app/stores/store_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/hub/hub_name.h"
#include "ui/words.h"

namespace confab::app {
namespace {

constexpr std::string_view kExtension = ".gguf";
constexpr std::array<std::string_view, 4> kDrafts = {"mtp-", "eagle3-", "dflash-", "dspark-"};

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) noexcept {
  return ui::to_lower(c) >= 'a' && ui::to_lower(c) <= 'z';
}

std::string_view without_extension(std::string_view name) {
  const bool has_it = name.size() >= kExtension.size() &&
                      ui::lower_case(name.substr(name.size() - kExtension.size())) == kExtension;
  return has_it ? name.substr(0, name.size() - kExtension.size()) : name;
}

// The name without its extension and the number of a shard.
std::string stem_of(std::string_view name) {
  const auto shard = shard_of(name);
  return shard ? shard->stem : std::string(without_extension(name));
}

// A draft's name begins with its kind. In the middle of a name, as in a flat cache, the kind must
// be in lower case.
bool is_draft(std::string_view name) {
  const std::string lower = ui::lower_case(name);
  return std::ranges::any_of(kDrafts, [&](std::string_view word) {
    if (lower.starts_with(word)) return true;
    const std::size_t at = name.find(word);
    return at != std::string_view::npos && at > 0 && !is_letter(name[at - 1]);
  });
}

// The name of a model without its number format, and of a sidecar also without its kind.
std::string core_of(std::string_view file_name) {
  std::string core = ui::lower_case(stem_of(file_name));
  const auto take_out = [&core](std::string_view word) {
    if (const std::size_t at = core.rfind(word); at != std::string::npos)
      core.erase(at, word.size());
  };
  take_out(ui::lower_case(engine::quantisation_of(file_name)));
  for (const std::string_view word : kDrafts) take_out(word);
  take_out("mmproj");
  const std::size_t first = core.find_first_not_of("-._");
  if (first == std::string::npos) return {};
  return core.substr(first, core.find_last_not_of("-._") - first + 1);
}

}  // namespace

std::string_view name_of(Store store) noexcept {
  constexpr std::array<std::string_view, 8> kNames = {
      "bundled", "folder", "Hugging Face", "llama.cpp", "Ollama", "LM Studio", "Jan", "GPT4All"};
  return kNames[static_cast<std::size_t>(store)];
}

bool is_gguf(const std::filesystem::path& path) {
  return ui::lower_case(path.extension().string()) == kExtension;
}

StoreFileKind kind_of(std::string_view file_name) {
  const std::string lower = ui::lower_case(file_name);
  if (lower.find("mmproj") != std::string::npos) return StoreFileKind::projector;
  if (lower.find("imatrix") != std::string::npos && engine::quantisation_of(file_name).empty())
    return StoreFileKind::importance_matrix;
  return is_draft(file_name) ? StoreFileKind::draft : StoreFileKind::model;
}

bool is_made_for(std::string_view sidecar, std::string_view model) {
  const std::string a = core_of(sidecar), b = core_of(model);
  return !a.empty() && !b.empty() && (b.starts_with(a) || a.starts_with(b));
}

std::string Shard::file_name(int i) const {
  return fmt::format("{}-{:05}-of-{:05}.gguf", stem, i, count);
}

std::optional<Shard> shard_of(std::string_view file_name) {
  constexpr std::size_t kDigits = 5;
  constexpr std::string_view kOf = "-of-";
  constexpr std::size_t kEnd = 1 + kDigits + kOf.size() + kDigits;  // "-00002-of-00003"
  const std::string_view name = without_extension(file_name);
  if (name.size() == file_name.size() || name.size() <= kEnd) return std::nullopt;
  const std::string_view end = name.substr(name.size() - kEnd);
  const std::string_view index = end.substr(1, kDigits), count = end.substr(kEnd - kDigits);
  if (end[0] != '-' || end.substr(1 + kDigits, kOf.size()) != kOf ||
      !std::ranges::all_of(index, is_digit) || !std::ranges::all_of(count, is_digit))
    return std::nullopt;
  Shard shard{.stem = std::string(name.substr(0, name.size() - kEnd))};
  std::from_chars(index.data(), index.data() + kDigits, shard.index);
  std::from_chars(count.data(), count.data() + kDigits, shard.count);
  if (shard.index < 1 || shard.index > shard.count) return std::nullopt;
  return shard;
}

}  // namespace confab::app
