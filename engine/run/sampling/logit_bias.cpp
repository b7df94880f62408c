// SPDX-License-Identifier: MIT
#include "engine/run/sampling/logit_bias.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "engine/error.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

std::vector<Token> tokens_of(const LogitBias& bias, int n_vocab, const Tokenizer* tokenizer) {
  if (bias.token >= n_vocab)
    throw ModelError(fmt::format("logit_bias: found token {}, expected one from 0 to {}",
                                 bias.token, n_vocab - 1));
  if (bias.token >= 0) return {bias.token};
  std::vector<Token> found;
  for (Token id = 0; tokenizer != nullptr && id < tokenizer->n_vocab(); ++id)
    if (id < n_vocab && tokenizer->piece(id, true) == bias.text) found.push_back(id);
  if (found.empty())
    throw ModelError(fmt::format(
        "logit_bias: \"{}\" is not the text of a single token; give that, or a token's number",
        bias.text));
  return found;
}

}  // namespace

std::vector<LogitEdit> bias_edits(const SamplerParams& params, int n_vocab,
                                  const Tokenizer* tokenizer) {
  std::map<Token, float> biases;
  for (const LogitBias& bias : params.logit_bias)
    for (const Token token : tokens_of(bias, n_vocab, tokenizer)) biases[token] += bias.bias;
  if (params.ignore_eos && tokenizer != nullptr)
    for (Token id = 0; id < std::min(n_vocab, tokenizer->n_vocab()); ++id)
      if (tokenizer->is_eog(id)) biases[id] = -std::numeric_limits<float>::infinity();
  std::vector<LogitEdit> edits;
  for (const auto& [token, bias] : biases) edits.push_back({.token = token, .less = -bias});
  return edits;
}

}  // namespace confab::engine
