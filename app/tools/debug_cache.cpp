// SPDX-License-Identifier: MIT
#include "app/tools/debug_cache.h"

#include <fmt/format.h>

#include <chrono>
#include <ostream>

#include "app/chat/kv_block_store.h"
#include "app/error.h"
#include "app/models/inference.h"
#include "app/tools/cache_tables.h"
#include "base/json.h"
#include "engine/cache/prefix_cache.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/model/weights_digest.h"
#include "engine/run/fingerprint.h"
#include "sessions/blocks/cache_report.h"

namespace confab::app {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using base::Json;

// Keeps nothing, logs nothing, and measures.
class LookingStore : public KvBlockStore {
 public:
  using KvBlockStore::KvBlockStore;
  std::vector<std::unique_ptr<engine::StoredBlock>> find(
      std::string_view fingerprint, std::span<const engine::Token> tokens) override {
    const auto begin = Clock::now();
    auto blocks = KvBlockStore::find(fingerprint, tokens);
    finding = Clock::now() - begin;
    return blocks;
  }
  void keep_block(std::string_view, std::span<const engine::Token>,
                  const engine::BlockPayload&) override {}
  void keep_tail(std::string_view, std::span<const engine::Token>, std::vector<std::byte>,
                 std::vector<std::uint64_t>) override {}
  void record(const engine::BlockUse& given) override { use = given; }

  Milliseconds finding{0};
  engine::BlockUse use;
};

std::string weights_digest(const engine::Gguf& gguf, int n_threads) {
  kernels::ThreadPool pool(n_threads);
  engine::WeightsDigest digest(gguf, pool);
  while (!digest.done()) digest.step();
  return digest.hex();
}

// What the cache has of these tokens and one more: the last token of a prompt is always computed.
Json look_up(const DebugOptions& options, sessions::KvStore& kv,
             std::vector<engine::Token> tokens) {
  const auto model = engine::Model::load(model_path(options.model), engine::NextnHead::left_out,
                                         options.model.rope);
  const engine::ContextPlan plan = engine::plan_context(*model, load_options(options.model));
  if (static_cast<int>(tokens.size()) >= plan.n_ctx)
    throw UserError(fmt::format("{} tokens do not fit in a context of {}: use a larger -c",
                                tokens.size(), plan.n_ctx));
  if (model->hparams.has_recurrent_layers())
    throw UserError("this model has recurrent layers, which are not kept on disk");
  LookingStore store(kv);
  kernels::ThreadPool pool(1);
  engine::CpuDecoder decoder(*model, chosen_kernel_table(), pool,
                             {.n_ctx = plan.n_ctx,
                              .n_pages = plan.n_pages,
                              .n_whole = plan.n_whole,
                              .type_k = plan.type_k,
                              .type_v = plan.type_v,
                              .forward = {.n_batch = 1, .exact = options.model.exact}});
  engine::PrefixCache prefix(
      decoder, &store,
      engine::cache_fingerprint(*model, plan,
                                {.weights_digest = weights_digest(model->gguf, plan.n_threads),
                                 .isa = chosen_kernel_table().isa,
                                 .exact = options.model.exact}));
  const std::size_t n_wanted = tokens.size();
  tokens.push_back(0);
  const auto begin = Clock::now();
  engine::CachedSequence& found = prefix.begin(tokens, {});
  const int n_found = found.sequence->n_tokens();
  const Milliseconds all = Clock::now() - begin;
  prefix.end(found);
  model->gguf.check();
  return {{"tokens_wanted", n_wanted},
          {"tokens_found", n_found},
          {"bytes_mapped", store.use.bytes_mapped},
          {"bytes_copied", store.use.bytes_copied},
          {"verify_ms", store.finding.count()},
          {"map_ms", (all - store.finding).count()}};
}

}  // namespace

int debug_cache_stat(const DebugOptions& options, const Paths& paths,
                     const std::vector<engine::Token>& tokens, std::ostream& out) {
  sessions::KvStore kv({.directory = paths.kv, .block_tokens = engine::kBlockTokens});
  const sessions::CacheTotals totals = sessions::cache_totals(sessions::BlockDirectory(paths.kv));
  auto object = Json::parse(totals_as_json(totals));
  if (!tokens.empty()) object["prompt"] = look_up(options, kv, tokens);
  out << object.dump() << '\n';
  return 0;
}

}  // namespace confab::app
