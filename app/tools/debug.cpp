// SPDX-License-Identifier: MIT
#include "app/tools/debug.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include "app/chat/kv_block_store.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/paths.h"
#include "app/tools/cache_command.h"
#include "app/tools/npy.h"
#include "base/json.h"
#include "engine/cache/prefix_cache.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/model/weights_digest.h"
#include "engine/platform/memory.h"
#include "engine/prompt/chat_template.h"
#include "engine/run/fingerprint.h"
#include "engine/safetensors/open_model.h"
#include "engine/text/tokenizer.h"
#include "sessions/blocks/cache_report.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using base::Json;

std::string read_all(std::istream& in) {
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

std::string from_hex(const std::string& hex) {
  std::string bytes;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0)
      throw UserError("standard input: \"hex\" has a character that is not a hexadecimal digit");
    bytes += static_cast<char>(high << 4 | low);
  }
  if (hex.size() % 2 != 0) throw UserError("standard input: \"hex\" has an odd number of digits");
  return bytes;
}

Json parse_json(const std::string& text, const std::string& where) {
  try {
    return Json::parse(text);
  } catch (const base::JsonError& fault) {
    throw UserError(fmt::format("{}: not JSON: {}", where, fault.what()));
  }
}

// Calls `line` for each line that is not blank.
void for_each_line(std::istream& in, const std::function<void(const std::string&)>& line) {
  for (std::string text; std::getline(in, text);)
    if (text.find_first_not_of(" \t\r") != std::string::npos) line(text);
}

std::string text_of_case(const std::string& line) {
  const Json value = parse_json(line, "standard input");
  if (value.is_string()) return *value.as_text();
  if (const Json* hex = value.find("hex"); hex != nullptr && hex->is_string())
    return from_hex(*hex->as_text());
  throw UserError("standard input: each line must be a JSON string or {\"hex\": \"...\"}");
}

std::vector<engine::Token> tokens_of(const std::string& text, const engine::Tokenizer& tokenizer) {
  const Json value = parse_json(text, "standard input");
  std::vector<engine::Token> tokens;
  if (!value.is_array()) throw UserError("standard input: expected a JSON array of token ids");
  for (const Json& one : value.elements()) {
    const std::int64_t id = one.as_int().value_or(-1);
    if (id < 0 || id >= tokenizer.n_vocab())
      throw UserError(fmt::format("standard input: {} is not a token id; ids are 0 to {}",
                                  one.excerpt(), tokenizer.n_vocab() - 1));
    tokens.push_back(static_cast<engine::Token>(id));
  }
  return tokens;
}

struct TemplateSource {
  std::string source, bos, eos;
};

TemplateSource template_source(const DebugOptions& options) {
  if (!options.template_file.empty()) {
    std::ifstream file(expand_home(options.template_file), std::ios::binary);
    if (!file) throw UserError(fmt::format("{}: cannot be read", options.template_file));
    return {read_all(file), options.bos_token, options.eos_token};
  }
  const engine::Gguf gguf = engine::open_model(model_path(options.model));
  const auto tokenizer = engine::Tokenizer::load(gguf);
  const auto source = gguf.find_string("tokenizer.chat_template");
  if (!source) gguf.fail("has no chat template (tokenizer.chat_template)");
  const auto text = [&](std::optional<engine::Token> token) {
    return token ? std::string(tokenizer->piece(*token, true)) : std::string();
  };
  TemplateSource found{std::string(*source), text(tokenizer->bos()), text(tokenizer->eos())};
  gguf.check();
  return found;
}

using engine::GgufArray;
using engine::GgufKey;
using engine::GgufTensor;
using engine::GgufValue;

// Strings in the file are untrusted: they are sanitised and shortened to one line.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 200;
  std::string line = ui::sanitize(text.substr(0, kShown));
  std::string escaped;
  for (const char c : line)
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  return fmt::format("\"{}\"{}", escaped, text.size() > kShown ? "..." : "");
}

template <typename T>
std::string element(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>)
    return quoted(value);
  else
    return fmt::format("{}", value);
}

std::string array_text(const GgufArray& array) {
  return std::visit(
      [](const auto& items) {
        constexpr std::size_t kShown = 8;
        std::vector<std::string> shown;
        for (std::size_t i = 0; i < items.size() && i < kShown; ++i)
          shown.push_back(element<typename std::decay_t<decltype(items)>::value_type>(items[i]));
        return fmt::format("[{}{}] ({} items)", fmt::join(shown, ", "),
                           items.size() > kShown ? ", ..." : "", items.size());
      },
      array);
}

std::string value_text(const GgufValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, GgufArray>)
          return array_text(v);
        else
          return element<T>(v);
      },
      value);
}

// Counts the weights of the experts that a token does not use.
std::int64_t n_idle_parameters(const engine::Model& model) {
  const engine::ExpertHparams& experts = model.hparams.experts;
  std::int64_t n = 0;
  for (const engine::LayerWeights& layer : model.weights.layers) {
    if (layer.experts.gate.empty()) continue;
    for (const auto* matrices : {&layer.experts.gate, &layer.experts.up, &layer.experts.down}) {
      const engine::Matrix& one = matrices->front();
      n += (experts.n_expert - experts.n_expert_used) * one.n_rows * one.rows.n_cols;
    }
  }
  return n;
}

std::string experts_text(const engine::Model& model, std::int64_t n_params) {
  const engine::ExpertHparams& experts = model.hparams.experts;
  if (experts.n_expert == 0) return {};
  return fmt::format(
      "\nexperts: {} per layer, {} used per token ({:.2f} M of {:.2f} M parameters)\n",
      experts.n_expert, experts.n_expert_used,
      static_cast<double>(n_params - n_idle_parameters(model)) / 1e6,
      static_cast<double>(n_params) / 1e6);
}

void describe(const engine::Model& model, const ModelOptions& options, std::ostream& out) {
  const engine::Gguf& gguf = model.gguf;
  out << fmt::format("file: {}\nGGUF version {}, {}\n\nmetadata ({} keys)\n", gguf.path(),
                     gguf.version(), size_text(gguf.file_bytes()), gguf.keys().size());
  for (const GgufKey& key : gguf.keys())
    out << fmt::format("  {} = {}\n", ui::sanitize(key.name), value_text(key.value));

  std::int64_t n_params = 0;
  out << fmt::format("\ntensors ({})\n", gguf.tensors().size());
  for (const GgufTensor& tensor : gguf.tensors()) {
    n_params += tensor.n_elements();
    out << fmt::format("  {:<32} {:<7} [{}]  {}\n", ui::sanitize(tensor.name),
                       kernels::info(tensor.dtype).name, fmt::join(tensor.shape, ", "),
                       size_text(tensor.n_bytes()));
  }

  out << experts_text(model, n_params);

  // Unlimited memory, so that a model that is too large is described as well.
  const engine::ContextPlan plan =
      engine::plan_context(model, load_options(options), std::numeric_limits<std::uint64_t>::max());
  out << fmt::format(
      "\nmemory, for a context of {} tokens\n"
      "  weights ({:.2f} M parameters, mapped from the file)  {}\n"
      "  KV cache ({}/{})  {}\n"
      "  scratch  {}\n"
      "  total  {} of {} available\n",
      plan.n_ctx, static_cast<double>(n_params) / 1e6, size_text(plan.memory.weights_bytes),
      kernels::info(plan.type_k).name, kernels::info(plan.type_v).name,
      size_text(plan.memory.kv_bytes), size_text(plan.memory.scratch_bytes),
      size_text(plan.memory.total_bytes()), size_text(engine::platform::available_memory()));
}

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// A store that keeps and logs nothing, and measures the search.
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

// Looks up these tokens plus one more, because the last token of a prompt is always computed.
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

using engine::Token;

std::vector<Token> read_tokens(const std::string& path, std::istream& in) {
  std::ifstream file;
  if (path != "-") {
    file.open(expand_home(path), std::ios::binary);
    if (!file) throw UserError(fmt::format("{}: cannot be read", path));
  }
  std::istream& source = path == "-" ? in : file;
  const std::string text{std::istreambuf_iterator<char>(source), {}};
  const Json value = Json::try_parse(text).value_or(Json());
  std::vector<Token> tokens;
  for (const Json& one : value.elements()) {
    const auto id = one.as_uint();
    if (!id || !std::in_range<Token>(*id)) break;
    tokens.push_back(static_cast<Token>(*id));
  }
  if (tokens.empty() || tokens.size() != value.size())
    throw UserError(fmt::format("{}: expected a JSON array of token ids, at least one", path));
  return tokens;
}

int debug_logits(const DebugOptions& options, std::istream& in) {
  const std::vector<Token> tokens = read_tokens(options.tokens_file, in);
  Inference inference(options.model, /*all_logits=*/true);
  NpyWriter out(options.out_file, static_cast<std::int64_t>(tokens.size()),
                inference.model().hparams.n_vocab);
  inference.prefill(tokens, engine::LogitsOf::all_tokens,
                    [&](std::span<const float> rows) { out.write(rows); });
  out.close();
  return 0;
}

Token argmax(std::span<const float> logits) {
  return static_cast<Token>(std::ranges::max_element(logits) - logits.begin());
}

int debug_greedy(const DebugOptions& options, std::istream& in, std::ostream& out) {
  const std::vector<Token> tokens = read_tokens(options.tokens_file, in);
  Inference inference(options.model, /*all_logits=*/false);
  std::vector<Token> ids;
  inference.prefill(tokens, engine::LogitsOf::last_token, [&](std::span<const float> logits) {
    ids.assign(1, argmax(logits));  // in the end, that of the last batch
  });
  while (static_cast<int>(ids.size()) < options.n_predict) {
    if (inference.cache().n_tokens() == inference.cache().n_ctx())
      throw UserError(
          fmt::format("the context of {} tokens is full after {} new tokens: use a larger -c",
                      inference.cache().n_ctx(), ids.size()));
    ids.push_back(argmax(inference.decode(ids.back())));
  }
  out << Json(ids).dump() << '\n';
  return 0;
}

}  // namespace

int debug_tokenize(const DebugOptions& options, std::istream& in, std::ostream& out) {
  const engine::Gguf gguf = engine::open_model(model_path(options.model));
  const auto tokenizer = engine::Tokenizer::load(gguf);
  const auto print_ids = [&](const std::string& text) {
    std::vector<engine::Token> ids = tokenizer->encode(text, options.special);
    if (options.bos) {
      ids.insert(ids.begin(), tokenizer->prefix().begin(), tokenizer->prefix().end());
      ids.insert(ids.end(), tokenizer->suffix().begin(), tokenizer->suffix().end());
    }
    gguf.check();
    out << Json(ids).dump() << '\n';
  };
  if (options.jsonl)
    for_each_line(in, [&](const std::string& line) { print_ids(text_of_case(line)); });
  else
    print_ids(read_all(in));
  return 0;
}

int debug_detokenize(const DebugOptions& options, std::istream& in, std::ostream& out) {
  const engine::Gguf gguf = engine::open_model(model_path(options.model));
  const auto tokenizer = engine::Tokenizer::load(gguf);
  const auto text_of = [&](const std::string& ids) {
    std::string text = tokenizer->detokenize(tokens_of(ids, *tokenizer), true);
    gguf.check();
    return text;
  };
  if (!options.jsonl) {
    out << text_of(read_all(in));
    return 0;
  }
  for_each_line(in, [&](const std::string& line) {
    out << Json{{"hex", to_hex(text_of(line))}}.dump() << '\n';
  });
  return 0;
}

int debug_render(const DebugOptions& options, std::istream& in, std::ostream& out,
                 std::ostream& err) {
  const TemplateSource source = template_source(options);
  const engine::ChatTemplate chat_template(source.source, source.bos, source.eos);
  if (!options.jsonl) {
    try {
      out << chat_template.render_json(read_all(in)).text;
      return 0;
    } catch (const engine::ModelError& fault) {
      err << fault.what() << '\n';
      return 1;
    }
  }
  for_each_line(in, [&](const std::string& line) {
    Json answer;
    try {
      answer["text"] = chat_template.render_json(line).text;
    } catch (const engine::ModelError& fault) {
      answer["error"] = fault.what();
    }
    out << answer.dump() << '\n';
  });
  return 0;
}

int debug_info(const DebugOptions& options, std::ostream& out) {
  const auto model = engine::Model::load(model_path(options.model), engine::NextnHead::left_out,
                                         options.model.rope);
  std::ostringstream text;
  describe(*model, options.model, text);
  model->gguf.check();
  out << text.str();
  return 0;
}

int debug_cache_stat(const DebugOptions& options, const Paths& paths,
                     const std::vector<engine::Token>& tokens, std::ostream& out) {
  sessions::KvStore kv({.directory = paths.kv, .block_tokens = engine::kBlockTokens});
  const sessions::CacheTotals totals = sessions::cache_totals(sessions::BlockDirectory(paths.kv));
  auto object = Json::parse(totals_as_json(totals));
  if (!tokens.empty()) object["prompt"] = look_up(options, kv, tokens);
  out << object.dump() << '\n';
  return 0;
}

int run_debug(const DebugOptions& options, const Paths& paths, std::istream& in, std::ostream& out,
              std::ostream& err) {
  switch (options.command) {
    case DebugCommand::tokenize:
      return debug_tokenize(options, in, out);
    case DebugCommand::detokenize:
      return debug_detokenize(options, in, out);
    case DebugCommand::render:
      return debug_render(options, in, out, err);
    case DebugCommand::logits:
      return debug_logits(options, in);
    case DebugCommand::greedy:
      return debug_greedy(options, in, out);
    case DebugCommand::info:
      return debug_info(options, out);
    case DebugCommand::cache_stat:
      return debug_cache_stat(
          options, paths,
          options.tokens_file.empty() ? std::vector<Token>{} : read_tokens(options.tokens_file, in),
          out);
  }
  return 1;
}

}  // namespace confab::app
