// SPDX-License-Identifier: MIT
#include "app/models/inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "app/error.h"
#include "app/models/model_finder.h"
#include "app/models/ollama_defaults.h"
#include "app/models/suggested_model.h"
#include "app/models/template_choice.h"
#include "app/paths.h"
#include "engine/gguf/gguf.h"
#include "engine/run/draft_length.h"
#include "engine/run/model_facts.h"
#include "engine/safetensors/open_model.h"

namespace confab::app {
std::string forced_isa() {
  const char* isa = std::getenv("CONFAB_ISA");
  return isa != nullptr ? isa : "";
}

const kernels::KernelTable& chosen_kernel_table() {
  try {
    return kernels::choose_kernel_table(forced_isa());
  } catch (const std::invalid_argument& fault) {
    throw UserError(fmt::format("CONFAB_ISA: {}", fault.what()));
  }
}

namespace {

// The file at that path, or that of the model found by that name. If there is neither, returns the
// path, and the engine reports why it cannot be opened.
std::string file_of(const std::string& name, std::vector<FoundModel> (*find)()) {
  std::string file = expand_home(name);
  std::error_code error;
  if (std::filesystem::exists(file, error)) return file;
  return find_path(name, find()).value_or(file);
}

std::vector<FoundModel> find_all_models() {
  return find_models({});
}

// The bundled draft model, for the bundled model beside it. Matches only that name: for other
// models we know no good draft model, and searching for one would take time.
std::string bundled_draft(const std::string& model) {
  const std::filesystem::path file(model);
  if (file.filename() != "confab-demo.gguf") return {};
  const std::filesystem::path draft = file.parent_path() / "confab-draft.gguf";
  std::error_code error;
  return std::filesystem::exists(draft, error) ? draft.string() : "";
}

}  // namespace

std::string model_path(const ModelOptions& options) {
  if (!options.path.empty()) return file_of(options.path, find_all_models);
  if (const auto demo = find_shipped("models/confab-demo.gguf")) return demo->string();
  throw NoModelError(fmt::format(
      "{}", fmt::join(suggestion_lines(suggest_model(), SuggestedFor::no_bundled), "\n")));
}

engine::DraftOptions draft_options(const ModelOptions& options, const std::string& model) {
  if (!options.drafts) return {.heads = false};
  engine::DraftOptions draft = options.draft;
  draft.path = draft.path.empty() ? bundled_draft(model) : file_of(draft.path, find_drafts);
  return draft;
}

engine::LoadOptions load_options(const ModelOptions& options) {
  const std::string path = model_path(options);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw no_model(options.path);
  OllamaDefaults defaults = ollama_defaults(Places::of_this_machine(), options.path, path);
  const std::string chat_template = chosen_template(options);
  return {.path = path,
          .n_ctx = options.n_ctx,
          .force = options.force,
          .n_threads = options.n_threads,
          .device = options.device,
          .n_gpu_layers = options.n_gpu_layers,
          .n_batch = options.n_batch,
          .n_parallel = options.n_parallel,
          .fewer = options.fewer,
          .type_k = options.type_k,
          .type_v = options.type_v,
          .rope = options.rope,
          .exact = options.exact,
          .lookup = options.lookup,
          .draft = draft_options(options, path),
          .recommended = std::move(defaults.recommended),
          .isa = forced_isa(),
          .chat_template = chat_template.empty() ? defaults.chat_template : chat_template};
}

std::vector<engine::Recommendation> recommended_sampling(const ModelOptions& options) {
  try {
    const std::string path = model_path(options);
    std::vector<engine::Recommendation> found =
        ollama_defaults(Places::of_this_machine(), options.path, path).recommended.sampling;
    std::ranges::move(engine::recommended_sampling(engine::open_model(path)),
                      std::back_inserter(found));
    return found;
  } catch (const std::runtime_error&) {
    return {};
  }
}

Inference::Inference(const ModelOptions& options, bool all_logits, engine::NextnHead head)
    : model_(engine::Model::load(model_path(options), head, options.rope)),
      table_(&chosen_kernel_table()),
      pool_(std::make_unique<kernels::ThreadPool>(
          options.n_threads > 0 ? options.n_threads : kernels::usable_cores())) {
  const engine::ContextPlan plan = engine::plan_context(*model_, load_options(options));
  cache_ = std::make_unique<engine::KvCache>(model_->hparams, plan.n_ctx, plan.type_k, plan.type_v,
                                             engine::DraftLength::kMost + 1);
  n_batch_ = std::min(options.n_batch, plan.n_ctx);
  forward_ = std::make_unique<engine::Forward>(
      *model_, *table_, *pool_, plan.n_ctx,
      engine::Forward::Options{
          .n_batch = n_batch_, .exact = options.exact, .n_logits = all_logits ? n_batch_ : 1});
}

void Inference::prefill(std::span<const engine::Token> tokens, engine::LogitsOf logits,
                        const std::function<void(std::span<const float>)>& take) {
  const int n_vocab = model_->hparams.n_vocab;
  for (const engine::Token token : tokens)
    if (token < 0 || token >= n_vocab)
      throw UserError(
          fmt::format("{} is not a token id of this model; ids are 0 to {}", token, n_vocab - 1));
  const int room = cache_->n_ctx() - cache_->n_tokens();
  if (static_cast<int>(tokens.size()) > room)
    throw UserError(
        fmt::format("{} tokens do not fit: {} are left in the context of {}; use a larger -c",
                    tokens.size(), room, cache_->n_ctx()));
  while (!tokens.empty()) {
    const auto batch = tokens.first(std::min(tokens.size(), static_cast<std::size_t>(n_batch_)));
    const std::span<const float> found = forward_->run(*cache_, batch, logits);
    model_->gguf.check();
    take(found);
    tokens = tokens.subspan(batch.size());
  }
}

std::span<const float> Inference::decode(engine::Token token) {
  const std::span<const float> logits =
      forward_->run(*cache_, {&token, 1}, engine::LogitsOf::last_token);
  model_->gguf.check();
  return logits;
}

}  // namespace confab::app
