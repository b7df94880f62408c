// SPDX-License-Identifier: MIT
#include "engine/safetensors/mixture_config.h"

#include <fmt/format.h>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::uint32_t kSoftmax = 1, kSigmoid = 2;  // llama_expert_gating_func_type of llama.cpp

void check_weighting(const ModelFamily& family, const JsonFields& config) {
  if (config.find_flag("norm_topk_prob").value_or(family.sums_to_one) == family.sums_to_one) return;
  config.fail(fmt::format("\"norm_topk_prob\" is {}, expected {} for {}", !family.sums_to_one,
                          family.sums_to_one, family.of));
}

void check_all_layers(const JsonFields& config) {
  const Json* dense = config.find("mlp_only_layers");
  const bool all = config.find_int("decoder_sparse_step").value_or(1) == 1 &&
                   (dense == nullptr || dense->empty());
  if (!all) config.fail("only some of its layers have experts, which is not supported");
}

// Of every layer, with or without an expert that all tokens share, under a gate.
void add_everywhere(const ModelFamily& family, const ConfigKeys& to, std::uint32_t n) {
  const JsonFields& config = to.config();
  to.add("expert_count", n);
  to.add("expert_used_count", config.count("num_experts_per_tok", n));
  if (const auto n_ff = config.find_count("moe_intermediate_size"))
    to.add("expert_feed_forward_length", *n_ff);
  check_all_layers(config);
  check_weighting(family, config);
  if (const auto n_ff = config.find_count("shared_expert_intermediate_size"))
    to.add("expert_shared_feed_forward_length", *n_ff);
}

std::uint32_t gating(const ModelFamily& family, const JsonFields& config) {
  const auto name = config.find_text("scoring_func");
  if (!name) return family.sums_to_one ? kSigmoid : kSoftmax;  // as the classes have it
  if (*name == "softmax") return kSoftmax;
  if (*name != "sigmoid") {
    config.fail(
        fmt::format("\"scoring_func\" is {}, expected softmax or sigmoid", printable(*name)));
  }
  return kSigmoid;
}

// Groups are judged by their two best experts, which is the method that DeepSeek-V3 has.
void add_groups(const ModelFamily& family, const ConfigKeys& to) {
  const JsonFields& config = to.config();
  const std::uint32_t n = config.find_count("n_group").value_or(1);
  const std::string method =
      config.find_text("topk_method").value_or(family.sums_to_one ? "noaux_tc" : "greedy");
  if (n == 1 || method == "greedy") return;
  if (method != "noaux_tc") {
    config.fail(
        fmt::format("\"topk_method\" is {} with {} groups of experts, expected noaux_tc or "
                    "greedy; use a GGUF file of the model",
                    printable(method), n));
  }
  to.add("expert_group_count", n);
  to.add("expert_group_used_count", config.count("topk_group", n));
}

// After some layers without; shared experts have no gate.
void add_after_dense(const ModelFamily& family, const ConfigKeys& to) {
  const JsonFields& config = to.config();
  const auto n = config.find_count("n_routed_experts");
  if (!n) return;
  to.add("expert_count", *n);
  to.add("expert_used_count", config.count("num_experts_per_tok", *n));
  to.copy_count("moe_intermediate_size", "expert_feed_forward_length");
  to.copy_natural("n_shared_experts", "expert_shared_count");
  to.copy_natural("first_k_dense_replace", "leading_dense_block_count");
  if (config.find_int("moe_layer_freq").value_or(1) != 1)
    config.fail("\"moe_layer_freq\" is not 1, which is not supported");
  to.add("expert_gating_func", gating(family, config));
  to.keys().add_flag(to.key("expert_weights_norm"),
                     config.find_flag("norm_topk_prob").value_or(family.sums_to_one));
  to.copy_number("routed_scaling_factor", "expert_weights_scale");
  add_groups(family, to);
}

}  // namespace

void add_mixture(const ModelFamily& family, const ConfigKeys& to) {
  if (to.architecture() == "deepseek2") return add_after_dense(family, to);
  auto n = to.config().find_count("num_local_experts");
  if (!n) n = to.config().find_count("num_experts");
  if (n) add_everywhere(family, to, *n);
}

}  // namespace confab::engine
