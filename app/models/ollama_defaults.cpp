// SPDX-License-Identifier: MIT
#include "app/models/ollama_defaults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "app/models/template_choice.h"
#include "app/stores/folder_walk.h"
#include "app/stores/model_name.h"
#include "app/stores/ollama.h"
#include "base/json.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/safetensors/open_model.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;
using base::Json;

// A marker of a template that none before it in the list contains; or an architecture.
struct Marker {
  std::string_view text;
  std::string_view builtin;
};
constexpr auto kMarkers = std::to_array<Marker>({{"<|im_sep|>", "phi4"},
                                                 {"<|im_start|>", "chatml"},
                                                 {"<start_of_turn>", "gemma"},
                                                 {"<|start_header_id|>", "llama3"},
                                                 {"<|start_of_role|>", "granite"},
                                                 {"[SYSTEM_PROMPT] ", "mistral-v7"},
                                                 {"[SYSTEM_PROMPT]", "mistral-v7-tekken"},
                                                 {"<<SYS>>", "llama2"},
                                                 {"[INST]", "mistral-v3"},
                                                 {"<|start|>", "gpt-oss"},
                                                 {"<|turn>", "gemma4"},
                                                 {"<|end|>", "phi3"},
                                                 {"ASSISTANT:", "vicuna"}});

// Ollama writes the turns of these models in code (RENDERER in a Modelfile, model/renderers), so
// their template says nothing. They are listed by architecture, as llama.cpp calls it.
constexpr auto kFamilies = std::to_array<Marker>({{"gemma3", "gemma"},
                                                  {"gemma4", "gemma4"},
                                                  {"gpt-oss", "gpt-oss"},
                                                  {"mistral3", "mistral-v7-tekken"},
                                                  {"olmo2", "chatml"},
                                                  {"qwen35", "chatml"},
                                                  {"qwen35moe", "chatml"},
                                                  {"qwen3next", "chatml"}});

// The files of blobs are named by their digests.
bool may_be_blob(const fs::path& path) {
  std::error_code error;
  return fs::weakly_canonical(path, error).filename().string().starts_with("sha256-");
}

// The Ollama models with these weights, the requested one first.
std::vector<OllamaModel> models_of(const Places& places, const std::string& asked,
                                   const fs::path& path) {
  std::vector<OllamaModel> models = ollama_models(places);
  std::error_code error;
  std::erase_if(models, [&](const OllamaModel& model) {
    return model.has_adapter || !fs::equivalent(model.weights, path, error);
  });
  const auto is_called = [](const std::string& wanted) {
    return [wanted](const OllamaModel& model) { return model.name == wanted; };
  };
  const std::vector<FoundModel> all = find_files(places, {}).models;
  const std::vector<const FoundModel*> meant = models_called(asked, all);
  if (meant.size() == 1) std::ranges::stable_partition(models, is_called(meant.front()->name));
  std::ranges::stable_partition(models, is_called(asked));
  return models;
}

// The architecture of a file without a template; nullopt if it has one.
std::optional<std::string> family_without_template(const std::string& path) {
  try {
    const engine::Gguf file = engine::open_model(path);
    if (file.find_string("tokenizer.chat_template")) return std::nullopt;
    return std::string(file.find_string("general.architecture").value_or(""));
  } catch (const engine::ModelError&) {
    return std::nullopt;  // loading it will report why
  }
}

std::string builtin_of_family(std::string_view architecture) {
  const auto* found = std::ranges::find(kFamilies, architecture, &Marker::text);
  return found == kFamilies.end() ? std::string() : std::string(found->builtin);
}

void take_template(const OllamaModel& model, const std::string& path, OllamaDefaults& defaults) {
  const std::optional<std::string> family = family_without_template(path);
  if (!family) return;
  if (!model.chat_template.empty())
    defaults.chat_template = builtin_for(small_text(model.chat_template));
  if (defaults.chat_template.empty()) defaults.chat_template = builtin_of_family(*family);
  if (defaults.chat_template.empty())
    defaults.recommended.notice = fmt::format(
        "{} has no chat template that confab can read, so it is asked in ChatML; "
        "--chat-template-file FILE gives its own, --chat-template NAME another: {}",
        model.name, fmt::join(template_names(), ", "));
}

void take_texts(const Json& value, std::vector<std::string>& texts) {
  const auto take = [&](const Json& one) {
    if (one.is_string() && !one.as_text()->empty()) texts.push_back(*one.as_text());
  };
  take(value);
  for (const Json& one : value.elements()) take(one);
}

}  // namespace

engine::Recommended recommended_by(std::string_view params) {
  engine::Recommended recommended;
  const Json root = Json::try_parse(params).value_or(Json());
  for (const auto& [name, value] : root.members()) {
    const auto number = value.as_double();
    if (name == "stop") {
      take_texts(value, recommended.stop);
    } else if (name == "num_ctx" && number) {
      if (*number >= 1 && *number <= std::numeric_limits<int>::max())
        recommended.n_ctx = static_cast<int>(*number);
    } else if (number) {
      recommended.sampling.push_back({name, *number});
    }
  }
  return recommended;
}

std::string builtin_for(std::string_view go_template) {
  for (const Marker& marker : kMarkers)
    if (go_template.find(marker.text) != std::string_view::npos) return std::string(marker.builtin);
  return {};
}

OllamaDefaults ollama_defaults(const Places& places, const std::string& asked,
                               const std::string& path) {
  OllamaDefaults defaults;
  if (!may_be_blob(path)) return defaults;
  const std::vector<OllamaModel> models = models_of(places, asked, path);
  if (models.empty()) return defaults;
  const OllamaModel& model = models.front();
  defaults.recommended = recommended_by(small_text(model.params));
  defaults.recommended.system = small_text(model.system);
  take_template(model, path, defaults);
  return defaults;
}

}  // namespace confab::app
