// SPDX-License-Identifier: MIT
#include "engine/run/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <type_traits>
#include <variant>

#include "engine/gguf/gguf.h"
#include "engine/model/model.h"
#include "engine/prompt/prompt.h"
#include "engine/prompt/reasoning_format.h"
#include "engine/run/context_plan.h"
#include "engine/run/draft_loader.h"
#include "engine/run/fingerprint.h"

namespace confab::engine {
namespace {

std::string kv_types(const ContextPlan& plan) {
  std::string names =
      fmt::format("{}/{}", kernels::info(plan.type_k).name, kernels::info(plan.type_v).name);
  std::transform(names.begin(), names.end(), names.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return names;
}

// One line per notice.
std::string notices(const ContextPlan& plan, const LoadedDraft& draft) {
  return plan.notice + (plan.notice.empty() || draft.notice.empty() ? "" : "\n") + draft.notice;
}

}  // namespace

std::string model_name(const Gguf& gguf) {
  const std::string& path = gguf.path();
  const GgufValue* value = gguf.find("general.name");
  const auto* name = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
  return std::string(name ? *name : path.substr(path.find_last_of('/') + 1));
}

std::vector<Recommendation> recommended_sampling(const Gguf& gguf) {
  constexpr std::string_view kPrefix = "general.sampling.";
  std::vector<Recommendation> found;
  for (const GgufKey& key : gguf.keys()) {
    if (!key.name.starts_with(kPrefix)) continue;
    const auto add = [&](const auto& value) {
      using Value = std::remove_cvref_t<decltype(value)>;
      const std::string name(key.name.substr(kPrefix.size()));
      if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
        found.push_back({name, static_cast<double>(value)});
      else if constexpr (std::is_convertible_v<Value, std::string_view>)
        found.push_back({.name = name, .text = std::string(value)});
    };
    std::visit(add, key.value);
  }
  return found;
}

ModelInfo with_recommended(ModelInfo info, const Recommended& more) {
  info.sampling.insert(info.sampling.begin(), more.sampling.begin(), more.sampling.end());
  info.stop = more.stop;
  info.system = more.system;
  if (!info.notice.empty() && !more.notice.empty()) info.notice += '\n';
  info.notice += more.notice;
  return info;
}

ModelInfo make_info(const Model& model, const ContextPlan& plan, kernels::Isa isa,
                    const TemplateSource& source, const LoadedDraft& draft) {
  ModelInfo info{.path = model.gguf.path(),
                 .name = model_name(model.gguf),
                 .architecture = model.hparams.architecture,
                 .file_bytes = model.gguf.file_bytes(),
                 .n_ctx = plan.n_ctx,
                 .n_ctx_train = model.hparams.n_ctx_max,
                 .n_threads = plan.n_threads,
                 .n_parallel = plan.n_parallel,
                 .kv_types = kv_types(plan),
                 .isa = std::string(kernels::name(isa)),
                 .chat_template = source.origin,
                 .template_source = source.text,
                 .sampling = recommended_sampling(model.gguf),
                 .draft = draft.model == nullptr ? "" : model_name(draft.model->gguf),
                 .drafts_itself = model.hparams.has_nextn_head(),
                 .notice = notices(plan, draft),
                 .can_reason = find_reasoning_format(source.text) != nullptr,
                 .can_switch_thinking = can_switch_thinking(source.text),
                 .tokenizer_hash = tokenizer_hash(model.gguf, source.text)};
  for (const GgufTensor& tensor : model.gguf.tensors()) info.n_params += tensor.n_elements();
  return info;
}

}  // namespace confab::engine
