// SPDX-License-Identifier: MIT
#include "app/cli/model_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

#include "app/cli/parser.h"
#include "engine/cache/cache_type.h"

namespace confab::app {
namespace {

void add_cache_type(CLI::App& app, const std::string& flag, std::optional<kernels::Dtype>& type,
                    std::string_view help) {
  app.add_option_function<std::string>(
         flag,
         [&type, flag](const std::string& name) {
           const kernels::DtypeInfo* found = engine::find_cache_type(name);
           if (found == nullptr)
             throw CLI::ValidationError(fmt::format("{} must be one of {}, not {}", flag,
                                                    engine::cache_type_names(), name));
           type = found->dtype;
         },
         fmt::format("{}: {} (default q8_0)", help, engine::cache_type_names()))
      ->type_name("KV_TYPE");
}

void add_probability(CLI::App& app, const std::string& flag, float& value, std::string_view help) {
  app.add_option_function<std::string>(
         flag,
         [&value, flag](const std::string& text) {
           std::istringstream in(text);
           in.imbue(std::locale::classic());
           float p = -1;
           in >> std::noskipws >> p;
           if (in.fail() || in.peek() != EOF || !(p >= 0 && p <= 1))
             throw CLI::ValidationError(
                 fmt::format("{} must be a number from 0 to 1, not {}", flag, text));
           value = p;
         },
         fmt::format("{} (default {})", help, value))
      ->type_name("P");
}

}  // namespace

void add_model_options(CLI::App& app, ModelOptions& model) {
  app.add_option("-m,--model", model.path,
                 "GGUF file, or name of a model (default: the bundled demo model)")
      ->each([&model](const std::string&) { model.named = true; })
      ->type_name("MODEL");
  add_count(app, "-t,--threads", model.n_threads, {1, kMaxThreads},
            "Number of threads (default: all cores)");
}

void add_context_options(CLI::App& app, ModelOptions& model) {
  add_count(app, "-c,--ctx-size", model.n_ctx, {1, kMaxContext},
            "Context size in tokens (default: the model's limit, at most 8192)");
  add_count(app, "-b,--batch", model.n_batch, {1, 8192},
            "Tokens processed at once while reading a prompt");
  add_cache_type(app, "--cache-type-k", model.type_k,
                 "Type of the keys in the KV cache (also -ctk)");
  add_cache_type(app, "--cache-type-v", model.type_v,
                 "Type of the values in the KV cache (also -ctv)");
}

void add_draft_options(CLI::App& app, ModelOptions& model) {
  engine::DraftOptions& draft = model.draft;
  app.add_option("--model-draft", draft.path,
                 "Small model with the same tokens that guesses the next ones (also -md; default: "
                 "the bundled one for the bundled model). Answers are the same, only faster")
      ->each([&draft](const std::string&) { draft.wanted = true; })
      ->type_name("MODEL");
  add_count(app, "--draft-max", draft.most, {1, kMaxDraft},
            fmt::format("Tokens that it guesses at once, at most (default {})", draft.most));
  add_count(app, "--draft-min", draft.least, {0, kMaxDraft},
            fmt::format("Tokens that it guesses at least, when it does (default {})", draft.least));
  add_probability(app, "--draft-p-min", draft.p_min,
                  "Beyond these, it guesses only tokens that are at least so likely");
  app.add_flag_callback(
      "--no-draft", [&model] { model.drafts = false; },
      "No draft model, nor guesses of the model itself");
  app.add_flag_callback(
      "--no-lookup", [&model] { model.lookup = false; },
      "Do not guess the next tokens from the context (answers are the same, only slower)");
}

}  // namespace confab::app
