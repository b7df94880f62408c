// SPDX-License-Identifier: MIT
#include "app/cli/model_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
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

}  // namespace confab::app
