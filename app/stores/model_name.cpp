// SPDX-License-Identifier: MIT
#include "app/stores/model_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>

#include "app/nearest.h"
#include "app/stores/store_file.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Models = std::vector<const FoundModel*>;
using Test = std::function<bool(const std::string& known)>;  // of a name in lower case

constexpr std::string_view kExtension = ".gguf";

bool is_letter_or_digit(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::vector<std::string> names_of(const FoundModel& model) {
  std::vector<std::string> names{model.name};
  names.insert(names.end(), model.also.begin(), model.also.end());
  return names;
}

// The models that have a name for which the test is true.
Models all_with(std::span<const FoundModel> models, const Test& test) {
  Models found;
  for (const FoundModel& model : models)
    if (std::ranges::any_of(names_of(model),
                            [&](const auto& name) { return test(ui::lower_case(name)); }))
      found.push_back(&model);
  return found;
}

Models with_name(std::span<const FoundModel> models, std::string_view name) {
  for (const FoundModel& model : models)
    if (model.name == name) return {&model};
  for (const FoundModel& model : models)
    if (std::ranges::find(model.also, name) != model.also.end()) return {&model};
  return {};
}

std::string last_part(const std::string& name) {
  return name.substr(name.rfind('/') + 1);
}

std::string_view without(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// "org/repo:tag", in lower case.
struct HubName {
  std::string repository;
  std::string tag;  // empty: no tag
};

// Returns an empty repository if the name does not have that form.
HubName hub_name(std::string_view lower) {
  lower = without(without(lower, "hf.co/"), "huggingface.co/");
  const std::size_t colon = std::min(lower.find(':'), lower.size());
  const std::string_view repository = lower.substr(0, colon);
  if (std::ranges::count(repository, '/') != 1) return {};
  return {std::string(repository), std::string(lower.substr(std::min(colon + 1, lower.size())))};
}

Models of_repository(std::span<const FoundModel> models, const std::string& repository) {
  return all_with(models, [begin = repository + '/'](const std::string& known) {
    return known.starts_with(begin) && known.ends_with(kExtension);
  });
}

// Whether the file's name contains the tag, followed by a dot or a dash.
bool has_tag(const FoundModel& model, std::string_view tag) {
  const std::string name = ui::lower_case(model.path.filename().string());
  for (std::size_t at = name.find(tag); at != std::string::npos; at = name.find(tag, at + 1)) {
    const char before = at == 0 ? '-' : name[at - 1];
    const char behind = at + tag.size() < name.size() ? name[at + tag.size()] : ' ';
    if (!is_letter_or_digit(before) && (behind == '.' || behind == '-')) return true;
  }
  return false;
}

// https://github.com/ggml-org/llama.cpp/blob/master/common/download.cpp, find_best_model()
Models by_tag(std::span<const FoundModel> models, const std::string& lower) {
  const HubName wanted = hub_name(lower);
  if (wanted.repository.empty()) return {};
  const Models here = of_repository(models, wanted.repository);
  const auto first_with = [&](std::string_view tag) {
    return std::ranges::find_if(here, [&](const auto* model) { return has_tag(*model, tag); });
  };
  if (!wanted.tag.empty()) {
    const auto found = first_with(wanted.tag);
    return found == here.end() ? Models{} : Models{*found};
  }
  for (const std::string_view tag : {"q4_k_m", "q8_0"})
    if (const auto found = first_with(tag); found != here.end()) return {*found};
  if (!here.empty()) return {here.front()};
  return all_with(models, [&](const std::string& known) { return known == wanted.repository; });
}

bool is_written_as_file(std::string_view name) {
  return name.starts_with('/') || name.starts_with('.') || name.starts_with('~') ||
         ui::lower_case(name).ends_with(kExtension);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (is_letter_or_digit(c) || c == '_')
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

Models models_called(std::string_view name, std::span<const FoundModel> models) {
  if (Models found = with_name(models, name); !found.empty() || name.empty()) return found;
  const std::string lower = ui::lower_case(name);
  const std::vector<std::string> words = words_of(lower);
  const std::array<std::function<Models()>, 5> ways = {
      [&] {
        return all_with(models, [&](const std::string& known) {
          return known == lower || known == lower + ":latest";
        });
      },
      [&] {
        return all_with(models, [&](const std::string& known) {
          const std::string file = last_part(known);
          return file == lower || file == lower + std::string(kExtension);
        });
      },
      [&] { return by_tag(models, lower); },
      [&] {
        return all_with(models,
                        [&](const auto& known) { return known.find(lower) != std::string::npos; });
      },
      [&] {
        return all_with(models, [&](const std::string& known) {
          return !words.empty() && std::ranges::all_of(words, [&](const auto& word) {
            return known.find(word) != std::string::npos;
          });
        });
      },
  };
  // If the tag does not exist, no other one is used instead.
  const HubName of_hub = hub_name(lower);
  const bool is_exact = is_written_as_file(name) ||
                        (!of_hub.tag.empty() && !of_repository(models, of_hub.repository).empty());
  const std::size_t n_ways = is_exact ? 3 : ways.size();
  for (std::size_t i = 0; i < n_ways; ++i)
    if (Models found = ways[i](); !found.empty()) return found;
  return {};
}

std::string ambiguity_text(std::string_view name, std::span<const FoundModel* const> found) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string_view> names;
  for (const FoundModel* model : found.first(std::min(found.size(), kShown)))
    names.push_back(model->name);
  return fmt::format("'{}' matches {} models: {}{}; give more of the name", name, found.size(),
                     fmt::join(names, ", "), found.size() > kShown ? ", ..." : "");
}

std::string unknown_text(std::string_view name, std::span<const FoundModel> models) {
  const HubName wanted = hub_name(ui::lower_case(name));
  if (const Models here =
          wanted.repository.empty() ? Models{} : of_repository(models, wanted.repository);
      !here.empty()) {
    std::vector<std::string> files;
    for (const FoundModel* model : here) files.push_back(model->path.filename().string());
    return fmt::format("no model '{}': of that repository there is {} here", name,
                       fmt::join(files, ", "));
  }
  std::vector<std::string_view> names;
  for (const FoundModel& model : models) names.push_back(model.name);
  const auto near = nearest(name, names);
  return fmt::format("no model '{}': give a GGUF file, or a name that confab models lists{}", name,
                     near ? fmt::format("; did you mean {}?", *near) : "");
}

}  // namespace confab::app
