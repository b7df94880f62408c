// SPDX-License-Identifier: MIT
#include "app/rope_rows.h"

#include <array>

namespace confab::app {
namespace {

constexpr float kLeast = -1;  // as llama.cpp has it: the model's own
constexpr float kMost = 1e9F;

template <auto Member>
constexpr NumberValue number() {
  return {place<&ChatOptions::model, &ModelOptions::rope, Member>, kLeast, kMost};
}

constexpr auto kRopeOptions = std::to_array<Option>({
    {.key = "rope_scaling",
     .flag = "--rope-scaling",
     .value_name = "TYPE",
     .help = "How RoPE is scaled to go beyond the length that the model was trained for",
     .value =
         RopeScalingValue{
             place<&ChatOptions::model, &ModelOptions::rope, &engine::RopeOptions::scaling>},
     .group = OptionGroup::context,
     .unset = "the model's"},
    {.key = "rope_scale",
     .flag = "--rope-scale",
     .value_name = "N",
     .help = "Factor by which the context grows by RoPE scaling",
     .value = number<&engine::RopeOptions::scale>(),
     .group = OptionGroup::context,
     .unset = "the model's",
     .instead_of = "rope_freq_scale"},
    {.key = "rope_freq_base",
     .flag = "--rope-freq-base",
     .value_name = "N",
     .help = "Base of RoPE's frequencies, for NTK-aware scaling",
     .value = number<&engine::RopeOptions::freq_base>(),
     .group = OptionGroup::context,
     .unset = "the model's"},
    {.key = "rope_freq_scale",
     .flag = "--rope-freq-scale",
     .value_name = "N",
     .help = "Factor of RoPE's frequencies: the inverse of --rope-scale",
     .value = number<&engine::RopeOptions::freq_scale>(),
     .group = OptionGroup::context,
     .unset = "the model's",
     .instead_of = "rope_scale"},
    {.key = "yarn_orig_ctx",
     .flag = "--yarn-orig-ctx",
     .value_name = "N",
     .help = "YaRN: tokens that the model was trained for",
     .value =
         CountValue{
             place<&ChatOptions::model, &ModelOptions::rope, &engine::RopeOptions::yarn_orig_ctx>,
             0, kMaxContext},
     .group = OptionGroup::context,
     .unset = "the model's"},
    {.key = "yarn_ext_factor",
     .flag = "--yarn-ext-factor",
     .value_name = "N",
     .help = "YaRN: share of extrapolation; 0 is interpolation alone",
     .value = number<&engine::RopeOptions::yarn_ext_factor>(),
     .group = OptionGroup::context,
     .unset = "1 for yarn"},
    {.key = "yarn_attn_factor",
     .flag = "--yarn-attn-factor",
     .value_name = "N",
     .help = "YaRN: factor of the magnitude of attention",
     .value = number<&engine::RopeOptions::yarn_attn_factor>(),
     .group = OptionGroup::context,
     .unset = "1"},
    {.key = "yarn_beta_slow",
     .flag = "--yarn-beta-slow",
     .value_name = "N",
     .help = "YaRN: turns below which a frequency is interpolated alone",
     .value = number<&engine::RopeOptions::yarn_beta_slow>(),
     .group = OptionGroup::context,
     .unset = "1, or the model's"},
    {.key = "yarn_beta_fast",
     .flag = "--yarn-beta-fast",
     .value_name = "N",
     .help = "YaRN: turns above which a frequency stays as it is",
     .value = number<&engine::RopeOptions::yarn_beta_fast>(),
     .group = OptionGroup::context,
     .unset = "32, or the model's"},
});

}  // namespace

std::span<const Option> rope_rows() noexcept {
  return kRopeOptions;
}

}  // namespace confab::app
