// SPDX-License-Identifier: MIT
#include "engine/safetensors/rope_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/error.h"

namespace confab::engine {
namespace {

// Reads the fields under the names of transformers 5 ("rope_parameters") and earlier
// ("rope_scaling", with rope_theta and partial_rotary_factor next to it).
class RopeReader {
 public:
  RopeReader(const JsonFields& config, const RopeSizes& sizes, GgufHeader& keys)
      : config_(config), sizes_(sizes), keys_(keys), rope_(parameters(config)) {}

  std::vector<NamedVector> read() {
    const double partial = number("partial_rotary_factor").value_or(1);
    if (!(partial > 0 && partial <= 1)) {
      config_.fail(
          fmt::format("\"partial_rotary_factor\" is {}, expected more than 0, at most 1", partial));
    }
    n_rot_ = static_cast<std::uint32_t>(partial * sizes_.head_dim);
    if (n_rot_ < 2 || n_rot_ % 2 != 0) {
      config_.fail(
          fmt::format("{} of each head would be rotated, expected an even number", n_rot_));
    }
    keys_.add(key("rope.dimension_count"), n_rot_);
    if (const auto base = number("rope_theta")) keys_.add_float(key("rope.freq_base"), *base);
    if (const auto local = local_base()) keys_.add_float(key("rope.freq_base_swa"), *local);
    return add_scaling();
  }

 private:
  static std::optional<JsonFields> parameters(const JsonFields& config) {
    auto rope = config.find_object("rope_parameters");
    if (!rope) rope = config.find_object("rope_scaling");
    if (!rope) return rope;
    const auto full = rope->find_object("full_attention");
    return full ? full : rope;
  }

  std::string key(std::string_view name) const {
    return fmt::format("{}.{}", sizes_.architecture, name);
  }

  std::optional<float> number(std::string_view name) const {
    auto value = rope_ ? rope_->find_number(name) : std::nullopt;
    if (!value) value = config_.find_number(name);
    return value ? std::optional(static_cast<float>(*value)) : std::nullopt;
  }

  // The base for layers with a sliding window, if they have a separate one.
  std::optional<float> local_base() const {
    std::optional<double> base = config_.find_number("rope_local_base_freq");
    if (const auto all = config_.find_object("rope_parameters")) {
      if (const auto local = all->find_object("sliding_attention"))
        base = local->find_number("rope_theta");
    }
    return base ? std::optional(static_cast<float>(*base)) : std::nullopt;
  }

  std::vector<NamedVector> add_scaling() {
    if (!rope_) return {};
    auto type = rope_->find_text("rope_type");
    if (!type) type = rope_->find_text("type");
    if (!type || *type == "default") return {};
    if (*type == "llama3") return {{"rope_freqs.weight", llama3_divisors()}};
    if (*type == "longrope" || *type == "su") return add_longrope();
    if (*type != "linear" && *type != "yarn") {
      rope_->fail(fmt::format("the scaling {} is not supported; use a GGUF file of the model",
                              printable(*type)));
    }
    keys_.add_text(key("rope.scaling.type"), *type);
    keys_.add_float(key("rope.scaling.factor"), required("factor"));
    if (*type == "yarn") add_yarn();
    return {};
  }

  float required(std::string_view name) const {
    const auto value = number(name);
    if (!value) rope_->fail(fmt::format("\"{}\" is missing", name));
    return *value;
  }

  void add_yarn() {
    keys_.add(key("rope.scaling.original_context_length"),
              rope_->find_count("original_max_position_embeddings").value_or(sizes_.n_ctx));
    const auto add = [&](const char* name, const char* as) {
      if (const auto value = rope_->find_number(name))
        keys_.add_float(key(as), static_cast<float>(*value));
    };
    add_magnitude();
    add("extrapolation_factor", "rope.scaling.yarn_ext_factor");
    add("beta_fast", "rope.scaling.yarn_beta_fast");
    add("beta_slow", "rope.scaling.yarn_beta_slow");
  }

  // The file gives the whole magnitude, while GGUF's key multiplies the one that YaRN has anyway.
  // In latent attention the magnitude is applied to the scores (transformers, DeepseekV3Attention).
  void add_magnitude() {
    if (const auto whole = rope_->find_number("attention_factor")) {
      const double usual = 1 + 0.1 * std::log(std::max(double{required("factor")}, 1.0));
      keys_.add_float(key("rope.scaling.attn_factor"), static_cast<float>(*whole / usual));
    }
    const auto of_scores = rope_->find_number("mscale_all_dim");
    if (sizes_.architecture != "deepseek2" || !of_scores) return;
    if (rope_->find_number("mscale").value_or(*of_scores) != *of_scores)
      rope_->fail("\"mscale\" is not \"mscale_all_dim\", which is not supported");
    keys_.add_float(key("rope.scaling.yarn_log_multiplier"), static_cast<float>(0.1 * *of_scores));
  }

  // Divisors of the frequencies: 1 for the fast ones, the factor for the slow ones, interpolated
  // between. Computed in floats, as transformers does (_compute_llama3_parameters).
  std::vector<float> llama3_divisors() const {
    const float base = number("rope_theta").value_or(10000), factor = required("factor");
    const float low = required("low_freq_factor"), high = required("high_freq_factor");
    const float n_ctx = required("original_max_position_embeddings");
    if (!(low < high && factor > 0)) rope_->fail("its factors do not make a range");
    std::vector<float> divisors;
    for (std::uint32_t i = 0; i < n_rot_; i += 2) {
      const float frequency =
          1 / std::pow(base, static_cast<float>(i) / static_cast<float>(n_rot_));
      const float wavelength = 2 * std::numbers::pi_v<float> / frequency;
      const float smooth = (n_ctx / wavelength - low) / (high - low);
      divisors.push_back(wavelength < n_ctx / high  ? 1
                         : wavelength > n_ctx / low ? factor
                                                    : 1 / ((1 - smooth) / factor + smooth));
    }
    return divisors;
  }

  std::vector<float> divisors(const char* name) const {
    const Json* list = rope_->find(name);
    const std::size_t n = n_rot_ / 2;
    if (list == nullptr || !list->is_array() || list->size() != n) {
      rope_->fail(fmt::format("\"{}\" is not a list of {} numbers", name, n));
    }
    std::vector<float> values;
    for (const Json& value : list->elements()) {
      const auto number = value.as_double();
      if (!number) rope_->fail(fmt::format("\"{}\" has more than numbers", name));
      values.push_back(static_cast<float>(*number));
    }
    return values;
  }

  // The magnitude grows as in LongRoPE, arXiv:2402.13753.
  std::vector<NamedVector> add_longrope() {
    auto n_orig = rope_->find_count("original_max_position_embeddings");
    if (!n_orig) n_orig = config_.count("original_max_position_embeddings");
    const double scale = static_cast<double>(sizes_.n_ctx) / *n_orig;
    const double grown = scale > 1 ? std::sqrt(1 + std::log(scale) / std::log(*n_orig)) : 1;
    keys_.add(key("rope.scaling.original_context_length"), *n_orig);
    keys_.add_float(key("rope.scaling.attn_factor"), static_cast<float>(grown));
    return {{"rope_factors_long.weight", divisors("long_factor")},
            {"rope_factors_short.weight", divisors("short_factor")}};
  }

  const JsonFields& config_;
  const RopeSizes& sizes_;
  GgufHeader& keys_;
  std::optional<JsonFields> rope_;
  std::uint32_t n_rot_ = 0;
};

}  // namespace

std::vector<NamedVector> add_rope(const JsonFields& config, const RopeSizes& sizes,
                                  GgufHeader& keys) {
  return RopeReader(config, sizes, keys).read();
}

}  // namespace confab::engine
