// SPDX-License-Identifier: MIT
#include "engine/safetensors/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "engine/error.h"
#include "engine/gguf/gguf_header.h"
#include "engine/gguf/row_order.h"
#include "engine/safetensors/model_config.h"
#include "engine/safetensors/side_tensors.h"
#include "engine/safetensors/tensor_names.h"
#include "engine/safetensors/tokenizer_config.h"
#include "engine/safetensors/tokenizer_json.h"
#include "engine/safetensors/weight_files.h"
#include "kernels/block.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;
using kernels::Dtype;

constexpr std::uint64_t kAlignment = 32;

// Of folders in Hugging Face's cache, models--ORG--NAME/snapshots/COMMIT, the name.
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

// `from` has any alignment.
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

// A convolution as MLX has it, [channels, taps, 1]: what it has converted has whole norms (mlx_lm's
// qwen3_next.py and qwen3_5.py).
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
    const bool log = name.ends_with(".ssm_a");  // of what is there, but its sign
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

  // Biases of all experts, or taps of a convolution: [channels, 1, taps] or [channels, taps, 1].
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

}  // namespace confab::engine
