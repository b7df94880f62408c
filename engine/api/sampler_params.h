// SPDX-License-Identifier: MIT
// How the next token is picked. engine/run/sampler.h describes what the parameters do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/api/token.h"

namespace confab::engine {

// Samplers whose order can be chosen.
enum class SamplerKind : std::uint8_t {
  penalties,
  dry,
  top_n_sigma,
  top_k,
  typical,
  top_p,
  min_p,
  xtc,
  temperature,
};
// In llama.cpp's order.
inline constexpr std::array kSamplerOrder{
    SamplerKind::penalties, SamplerKind::dry,     SamplerKind::top_n_sigma,
    SamplerKind::top_k,     SamplerKind::typical, SamplerKind::top_p,
    SamplerKind::min_p,     SamplerKind::xtc,     SamplerKind::temperature};

// llama.cpp's name for it, for example "typ_p".
std::string_view sampler_name(SamplerKind kind) noexcept;
// Accepts that name and the other spellings that llama.cpp takes ("top-k", "topk", "nucleus").
// Returns nullopt if the name is unknown.
std::optional<SamplerKind> find_sampler(std::string_view name) noexcept;

// A value added to the logit of a token; -infinity means never.
struct LogitBias {
  bool operator==(const LogitBias&) const = default;

  Token token = -1;       // -1: every token whose text is `text`
  std::string text = {};  // must be the text of one token
  float bias = 0;
};

struct SamplerParams {
  bool operator==(const SamplerParams&) const = default;

  float temperature = 0.8F;  // 0: greedy
  int top_k = 40;            // 0: off
  float top_p = 0.95F;       // 1: off
  float min_p = 0.05F;       // 0: off
  float repeat_penalty = 1;  // 1: off; divides positive logits of recent tokens
  float frequency_penalty = 0;
  float presence_penalty = 0;
  int repeat_last_n = 64;                  // how many recent tokens the penalties look at
  std::optional<std::uint64_t> seed = {};  // nullopt: a fresh one each time

  // A sampler that is not in the list is not used.
  std::vector<SamplerKind> samplers{kSamplerOrder.begin(), kSamplerOrder.end()};
  float typical_p = 1;        // 1: off
  float xtc_probability = 0;  // 0: off
  float xtc_threshold = 0.1F;
  float top_n_sigma = -1;    // 0 or less: off
  float dynatemp_range = 0;  // 0: off
  float dynatemp_exponent = 1;
  int mirostat = 0;  // 0: off; else the version, 1 or 2
  float mirostat_tau = 5;
  float mirostat_eta = 0.1F;
  float dry_multiplier = 0;  // 0: off
  float dry_base = 1.75F;
  int dry_allowed_length = 2;
  int dry_penalty_last_n = 64;  // 0: off
  std::vector<std::string> dry_sequence_breakers{"\n", ":", "\"", "*"};
  std::vector<LogitBias> logit_bias = {};
  bool ignore_eos = false;
};

}  // namespace confab::engine
