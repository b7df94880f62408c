// SPDX-License-Identifier: MIT
#include "engine/safetensors/open_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "engine/error.h"
#include "engine/gguf/gguf_header.h"
#include "engine/gguf/row_order.h"
#include "engine/ollama/ollama_form.h"
#include "engine/safetensors/model_config.h"
#include "engine/safetensors/safetensors_file.h"
#include "engine/safetensors/side_tensors.h"
#include "engine/safetensors/tokenizer_json.h"
#include "kernels/block.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;

// Name suffix of the biases of kGateUpPairs, [n_expert, n_ff, 2]. GGUF has two tensors instead.
constexpr std::string_view kGateUpPairBiases = "ffn_gate_up_pairs.bias";

using Names = std::span<const std::pair<std::string_view, std::string_view>>;

constexpr std::pair<std::string_view, std::string_view> kOfModel[] = {
    {"model.embed_tokens", "token_embd"}, {"model.norm", "output_norm"}, {"lm_head", "output"}};
constexpr std::pair<std::string_view, std::string_view> kOfLayer[] = {
    {"input_layernorm", "attn_norm"},
    {"pre_feedforward_layernorm", "ffn_norm"},
    {"post_feedforward_layernorm", "post_ffw_norm"},
    {"post_self_attn_layernorm", "post_attention_norm"},  // GLM-4
    {"post_mlp_layernorm", "post_ffw_norm"},
    {"self_attn.q_proj", "attn_q"},
    {"self_attn.k_proj", "attn_k"},
    {"self_attn.v_proj", "attn_v"},
    {"self_attn.o_proj", "attn_output"},
    {"self_attn.qkv_proj", "attn_qkv"},
    {"self_attn.q_norm", "attn_q_norm"},
    {"self_attn.k_norm", "attn_k_norm"},
    {"mlp.gate_proj", "ffn_gate"},
    {"mlp.up_proj", "ffn_up"},
    {"mlp.down_proj", "ffn_down"},
    {"mlp.gate_up_proj", "ffn_up"},  // the gate's rows first, as in GGUF
    {"mlp.c_fc", "ffn_up"},          // StarCoder 2
    {"mlp.c_proj", "ffn_down"},
    {"mlp.shared_expert.gate_proj", "ffn_gate_shexp"},
    {"mlp.shared_expert.up_proj", "ffn_up_shexp"},
    {"mlp.shared_expert.down_proj", "ffn_down_shexp"},
    {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
    {"mlp.shared_experts.gate_proj", "ffn_gate_shexp"},  // DeepSeek
    {"mlp.shared_experts.up_proj", "ffn_up_shexp"},
    {"mlp.shared_experts.down_proj", "ffn_down_shexp"},
    {"self_attn.q_a_proj", "attn_q_a"},
    {"self_attn.q_a_layernorm", "attn_q_a_norm"},
    {"self_attn.q_b_proj", "attn_q_b"},
    {"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"},
    {"self_attn.kv_a_layernorm", "attn_kv_a_norm"},
    {"self_attn.kv_b_proj", "attn_kv_b"},
    {"linear_attn.in_proj_qkvz", "ssm_in"},  // Qwen3-Next
    {"linear_attn.in_proj_ba", "ssm_ba"},
    {"linear_attn.in_proj_qkv", "attn_qkv"},  // Qwen3.5
    {"linear_attn.in_proj_z", "attn_gate"},
    {"linear_attn.in_proj_b", "ssm_beta"},
    {"linear_attn.in_proj_a", "ssm_alpha"},
    {"linear_attn.conv1d", "ssm_conv1d"},
    {"linear_attn.norm", "ssm_norm"},
    {"linear_attn.out_proj", "ssm_out"},
    {"mlp.gate", "ffn_gate_inp"},
    {"mlp.router", "ffn_gate_inp"},                 // gpt-oss
    {"mlp.switch_mlp.gate_proj", "ffn_gate_exps"},  // MLX, all experts
    {"mlp.switch_mlp.up_proj", "ffn_up_exps"},
    {"mlp.switch_mlp.down_proj", "ffn_down_exps"},
    {"block_sparse_moe.switch_mlp.gate_proj", "ffn_gate_exps"},
    {"block_sparse_moe.switch_mlp.up_proj", "ffn_up_exps"},
    {"block_sparse_moe.switch_mlp.down_proj", "ffn_down_exps"},
    {"block_sparse_moe.gate", "ffn_gate_inp"}};
constexpr std::pair<std::string_view, std::string_view> kOfExpert[] = {
    {"gate_proj", "ffn_gate"}, {"up_proj", "ffn_up"}, {"down_proj", "ffn_down"},
    {"w1", "ffn_gate"},        {"w3", "ffn_up"},      {"w2", "ffn_down"}};
// Tensors without a ".weight" or ".bias" ending. Expert tensors hold all experts of a layer,
// [n_expert, rows, columns].
constexpr std::pair<std::string_view, std::string_view> kWhole[] = {
    {"mlp.experts.gate_up_proj", "ffn_gate_up_exps.weight"},
    {"mlp.experts.down_proj", "ffn_down_exps.weight"},
    {"mlp.gate.e_score_correction_bias", "exp_probs_b.bias"},
    {"self_attn.sinks", "attn_sinks.weight"},  // gpt-oss
    {"mlp.experts.gate_up_proj_blocks", kGateUpPairs},
    {"mlp.experts.gate_up_proj_bias", kGateUpPairBiases},
    {"mlp.experts.down_proj_blocks", "ffn_down_exps.weight"},
    {"mlp.experts.down_proj_bias", "ffn_down_exps.bias"},
    {"linear_attn.A_log", "ssm_a"},
    {"linear_attn.dt_bias", "ssm_dt.bias"}};
// Images, and layers that predict further tokens.
constexpr std::string_view kLeftOut[] = {"vision_tower.",
                                         "multi_modal_projector.",
                                         "model.vision_tower.",
                                         "model.multi_modal_projector.",
                                         "visual.",
                                         "model.visual.",
                                         "mtp.",
                                         "model.mtp."};

std::string_view find(Names names, std::string_view name) noexcept {
  const auto found = std::ranges::find(names, name, [](const auto& pair) { return pair.first; });
  return found == names.end() ? std::string_view() : found->second;
}

// Takes the number off "12.rest" and leaves "rest". Returns -1 if the text does not begin with one.
int take_number(std::string_view& text) noexcept {
  int number = -1;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || number < 0 || after == end || *after != '.') return -1;
  text.remove_prefix(static_cast<std::size_t>(after - text.data()) + 1);
  return number;
}

// rest: what follows "experts.", as in "3.gate_proj".
std::string expert_name(int il, std::string_view rest, std::string_view ending) {
  const int expert = take_number(rest);
  const std::string_view name = find(kOfExpert, rest);
  if (expert < 0 || name.empty()) return {};
  return fmt::format("blk.{}.{}.{}{}", il, name, expert, ending);
}

std::string layer_name(int il, std::string_view rest, std::string_view ending, bool post_norms) {
  if (rest == "post_attention_layernorm" && !ending.empty()) {
    return fmt::format("blk.{}.{}{}", il, post_norms ? "post_attention_norm" : "ffn_norm", ending);
  }
  if (ending.empty()) {
    const std::string_view name = find(kWhole, rest);
    return name.empty() ? std::string() : fmt::format("blk.{}.{}", il, name);
  }
  for (const std::string_view experts : {"mlp.experts.", "block_sparse_moe.experts."})
    if (rest.starts_with(experts)) return expert_name(il, rest.substr(experts.size()), ending);
  const std::string_view name = find(kOfLayer, rest);
  return name.empty() ? std::string() : fmt::format("blk.{}.{}{}", il, name, ending);
}

// Models that also see images put a prefix before the names of their language model.
std::string without_modality(std::string_view name) {
  constexpr std::string_view kText = "language_model.", kModelText = "model.language_model.";
  if (name.starts_with(kText)) return std::string(name.substr(kText.size()));
  if (!name.starts_with(kModelText)) return std::string(name);
  return fmt::format("model.{}", name.substr(kModelText.size()));
}

}  // namespace

std::optional<std::string> gguf_name(std::string_view name, const ModelConfig& config) {
  const std::string whole = without_modality(name);
  if (std::ranges::any_of(kLeftOut, [&](auto prefix) { return whole.starts_with(prefix); }) ||
      whole.ends_with("rotary_emb.inv_freq") || (config.tied && whole == "lm_head.weight")) {
    return std::string();
  }
  std::string_view rest = whole, ending;
  for (const std::string_view one : {".weight", ".bias"}) {
    if (!rest.ends_with(one)) continue;
    ending = one;
    rest.remove_suffix(one.size());
  }
  constexpr std::string_view kLayers = "model.layers.";
  std::string found;
  if (rest.starts_with(kLayers)) {
    rest.remove_prefix(kLayers.size());
    const int il = take_number(rest);
    if (il >= config.n_layer) return std::string();
    if (il >= 0) found = layer_name(il, rest, ending, config.family->post_norms);
  } else if (const std::string_view known = find(kOfModel, rest);
             !known.empty() && !ending.empty()) {
    found = fmt::format("{}{}", known, ending);
  }
  return found.empty() ? std::nullopt : std::optional(std::move(found));
}

namespace {

using kernels::Dtype;

constexpr std::uint64_t kAlignment = 32;

// The name of the model. In Hugging Face's cache, models--ORG--NAME/snapshots/COMMIT, it is NAME.
std::string name_of(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::absolute(folder, error).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  const fs::path cached = path.parent_path().parent_path();
  const bool is_snapshot = path.parent_path().filename() == "snapshots" &&
                           cached.filename().string().starts_with("models--");
  const std::string name = (is_snapshot ? cached : path).filename().string();
  const std::size_t last = is_snapshot ? name.rfind("--") + 2 : 0;
  return name.substr(last);
}

// `from` may have any alignment.
std::vector<float> to_floats(Dtype dtype, std::span<const std::byte> from) {
  std::vector<float> values(from.size() / (dtype == Dtype::F32 ? 4 : 2));
  if (dtype == Dtype::F32) {
    std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from.data() + 2 * i, sizeof bits);
    values[i] = dtype == Dtype::F16 ? kernels::f16_to_f32(bits) : kernels::bf16_to_f32(bits);
  }
  return values;
}

// Returns true for a convolution as MLX stores it, [channels, taps, 1]. Models converted by MLX
// have norm weights that are not shifted (mlx_lm's qwen3_next.py and qwen3_5.py).
bool has_taps_before_channels(const SafeTensor& tensor) noexcept {
  return tensor.name.ends_with("conv1d.weight") && tensor.shape.size() == 3 &&
         tensor.shape[1] > 1 && tensor.shape[2] == 1;
}

class FolderReader {
 public:
  explicit FolderReader(const std::string& folder) : folder_(folder), keys_(kAlignment) {}

  GgufContents read() {
    const std::string config_path = folder_ + "/config.json";
    const Json config = read_json(config_path);
    config_ = read_model_config(config_path, config, keys_);
    WeightFiles weights = open_weights(folder_);
    shifted_norms_ = config_.family->shifted_norms &&
                     std::ranges::none_of(weights.tensors, has_taps_before_channels);
    const SideTensors sides(folder_, weights.tensors, config_.quantization);
    for (const SafeTensor& tensor : weights.tensors)
      if (!sides.is_beside_another(tensor)) add_tensor(tensor, sides);
    for (NamedVector& vector : config_.vectors)
      add_vector(std::move(vector.name), std::move(vector.values));
    keys_.add_text("general.name", name_of(folder_));
    add_tokens(config);
    contents_.path = folder_;
    contents_.part_paths = std::move(weights.paths);
    contents_.files = std::move(weights.files);
    contents_.metadata = keys_.bytes();
    return std::move(contents_);
  }

 private:
  [[noreturn]] void fail(const SafeTensor& tensor, const std::string& what) const {
    throw ModelError(fmt::format("{}: tensor {} {}", folder_, printable(tensor.name), what));
  }

  void add_tensor(const SafeTensor& tensor, const SideTensors& sides) {
    std::optional<std::string> name = gguf_name(tensor.name, config_);
    if (!name) {
      fail(tensor,
           fmt::format("would be ignored, and answers would be wrong: this version does not "
                       "support this variant of {}; use a GGUF file of the model",
                       config_.family->of));
    }
    if (name->empty()) return;
    if (auto coded = sides.find_codes(tensor))
      return add_codes(*std::move(name), *std::move(coded), tensor);
    const auto dtype = tensor.number_type();
    if (!dtype) {
      fail(tensor, fmt::format("has type {}, expected F32, F16 or BF16; use the model that it was "
                               "made from, or a GGUF file of it",
                               tensor.dtype));
    }
    if (tensor.shape.size() < 2) return add_vector(*std::move(name), tensor, *dtype);
    if (name->ends_with(".bias") || name->ends_with("ssm_conv1d.weight"))
      return add_rows(*std::move(name), tensor, to_floats(*dtype, tensor.data));
    if (config_.family->columns_first && tensor.shape.size() > 2) {
      fail(tensor,
           fmt::format("has its experts column by column in {}, which cannot be run; use the "
                       "MXFP4 that the model was published in, or a GGUF file of it",
                       tensor.dtype));
    }
    add(*std::move(name), *dtype, tensor.shape, tensor.data);
  }

  void add_codes(std::string name, CodedTensor coded, const SafeTensor& tensor) {
    if (name.ends_with(kGateUpPairs)) {
      std::int64_t& n_rows = coded.shape[coded.shape.size() - 2];
      if (n_rows % 2 != 0) fail(tensor, fmt::format("has {} rows, expected pairs", n_rows));
      n_rows /= 2;
      coded.shape.back() *= 2;
      coded.side.n_per_row *= 2;
    }
    add(std::move(name), coded.dtype, coded.shape, tensor.data);
    contents_.tensors.back().side = coded.side;
  }

  void add_vector(std::string name, const SafeTensor& tensor, Dtype dtype) {
    const bool shifted =
        shifted_norms_ && name.ends_with("norm.weight") && !name.ends_with("ssm_norm.weight");
    const bool log = name.ends_with(".ssm_a");  // the file has the logarithm of the negated value
    const bool aligned = reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignof(float) == 0;
    if (dtype == Dtype::F32 && aligned && !shifted && !log)
      return add(std::move(name), dtype, {tensor.n_elements()}, tensor.data);
    std::vector<float> values = to_floats(dtype, tensor.data);
    if (shifted) std::ranges::for_each(values, [](float& value) { value += 1; });
    if (log) std::ranges::for_each(values, [](float& value) { value = -std::exp(value); });
    add_vector(std::move(name), std::move(values));
  }

  void add_vector(std::string name, std::vector<float> values) {
    const auto n = std::ssize(values);
    add_floats(std::move(name), {n}, std::move(values));
  }

  // Adds the biases of all experts, or the taps of a convolution, [channels, 1, taps] or [channels,
  // taps, 1].
  void add_rows(const std::string& name, const SafeTensor& tensor, std::vector<float> values) {
    const std::int64_t n_rows = tensor.shape.front(), n = tensor.n_elements() / n_rows;
    if (!name.ends_with(kGateUpPairBiases)) return add_floats(name, {n_rows, n}, std::move(values));
    if (n % 2 != 0) fail(tensor, fmt::format("has {} biases of an expert, expected pairs", n));
    const std::string layer = name.substr(0, name.size() - kGateUpPairBiases.size());
    for (const std::size_t first : {0U, 1U}) {
      std::vector<float> halves;
      for (std::size_t i = first; i < values.size(); i += 2) halves.push_back(values[i]);
      add_floats(layer + (first == 0 ? "ffn_gate_exps.bias" : "ffn_up_exps.bias"), {n_rows, n / 2},
                 std::move(halves));
    }
  }

  void add_floats(std::string name, const std::vector<std::int64_t>& shape,
                  std::vector<float> values) {
    const std::vector<float>& kept = contents_.vectors.emplace_back(std::move(values));
    add(std::move(name), Dtype::F32, shape, std::as_bytes(std::span(kept)));
  }

  // shape: outermost first.
  void add(std::string name, Dtype dtype, const std::vector<std::int64_t>& shape,
           std::span<const std::byte> data) {
    const std::string& kept = contents_.names.emplace_back(std::move(name));
    contents_.tensors.push_back({kept, dtype, {shape.rbegin(), shape.rend()}, data});
  }

  std::size_t n_vocab() const {
    constexpr std::int64_t kMaxVocab = 1 << 24;
    for (const GgufTensor& tensor : contents_.tensors) {
      if (tensor.name == "token_embd.weight" && tensor.shape.size() == 2 &&
          tensor.shape[1] <= kMaxVocab) {
        return static_cast<std::size_t>(tensor.shape[1]);
      }
    }
    throw ModelError(fmt::format("{}: has no matrix embed_tokens.weight", folder_));
  }

  void add_tokens(const Json& config) {
    const std::string path = folder_ + "/tokenizer.json";
    std::error_code error;
    if (!fs::exists(path, error)) {
      throw ModelError(
          fmt::format("{}: has no tokenizer.json; save the tokenizer with "
                      "transformers, or use a GGUF file of the model",
                      folder_));
    }
    const TokenizerJson tokenizer =
        add_tokenizer(path, read_json(path, base::kMostJsonValues), n_vocab(), keys_);
    add_special_tokens(folder_, config, tokenizer, keys_);
    add_chat_template(folder_, keys_);
    add_sampling(folder_, keys_);
  }

  const std::string& folder_;
  GgufHeader keys_;
  ModelConfig config_{};
  bool shifted_norms_ = false;
  GgufContents contents_{};
};

}  // namespace

Gguf open_model_folder(const std::string& folder) {
  return Gguf(FolderReader(folder).read());
}

bool is_model_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error) && fs::exists(fs::path(path) / "config.json", error);
}

Gguf open_model(const std::string& path) {
  if (is_model_folder(path)) return open_model_folder(path);
  if (path.ends_with(".safetensors") || path.ends_with(".safetensors.index.json")) {
    const fs::path folder = fs::path(path).parent_path();
    return open_model_folder(folder.empty() ? "." : folder.string());
  }
  return in_llama_cpp_form(Gguf(path));
}

}  // namespace confab::engine
