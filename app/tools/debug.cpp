// SPDX-License-Identifier: MIT
#include "app/tools/debug.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>

#include "app/error.h"
#include "app/models/inference.h"
#include "app/tools/debug_cache.h"
#include "app/tools/debug_info.h"
#include "app/tools/debug_text.h"
#include "app/tools/npy.h"
#include "base/json.h"

namespace confab::app {
namespace {

using base::Json;
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
    ids.assign(1, argmax(logits));  // of the last batch in the end
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
