// SPDX-License-Identifier: MIT
// Tiny models whose matrices have side scales: a folder with codes and scales, and a GGUF file with
// what they stand for, in F32.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/block.h"
#include "tests/engine/safetensors/tiny_folder.h"

namespace confab::engine {

struct Packing {
  std::string name;       // of the test
  bool fp8 = false;       // otherwise MLX's, of `bits`
  int bits = 4;           //
  std::int64_t rows = 1;  // that share a scale, whole blocks of stacks; 0: all of them do
  std::int64_t cols = 32;
  std::string numbers = "BF16";  // the type of scales and biases
};

// A matrix as the folder has it.
struct PackedMatrix {
  std::string codes, scales, biases;  // bytes
  std::int64_t n_groups = 0;          // of a row
  std::vector<float> values;          // what they stand for
};

inline std::string number_bytes(float value, const std::string& type) {
  const std::uint16_t half =
      type == "F16" ? kernels::f32_to_f16(value) : kernels::f32_to_bf16(value);
  if (type == "F32") return {reinterpret_cast<const char*>(&value), sizeof value};
  return {reinterpret_cast<const char*>(&half), sizeof half};
}

inline float rounded(float value, const std::string& type) {
  if (type == "F32") return value;
  return type == "F16" ? kernels::f16_to_f32(kernels::f32_to_f16(value))
                       : kernels::bf16_to_f32(kernels::f32_to_bf16(value));
}

// The nearest of the numbers of E4M3.
inline std::uint8_t e4m3_of(float value) {
  const auto& numbers = kernels::kUE4M3Values;
  const auto nearest =
      std::min_element(numbers.begin(), numbers.begin() + 127, [&](float a, float b) {
        return std::fabs(a - std::fabs(value)) < std::fabs(b - std::fabs(value));
      });
  return static_cast<std::uint8_t>((nearest - numbers.begin()) | (value < 0 ? 128 : 0));
}

class MatrixPacker {
 public:
  MatrixPacker(const float* values, std::int64_t n_rows, std::int64_t n_cols,
               const Packing& packing)
      : from_(values), n_rows_(n_rows), n_cols_(n_cols), packing_(packing) {
    if (packing.rows == 0) packing_.rows = n_rows;
    packing_.cols = std::min(packing.cols, n_cols);
    packed_.values.resize(static_cast<std::size_t>(n_rows * n_cols));
    codes_.resize(packed_.values.size());
    packed_.n_groups = (n_cols + packing_.cols - 1) / packing_.cols;
  }

  PackedMatrix pack() {
    for (std::int64_t row = 0; row < n_rows_; row += packing_.rows)
      for (std::int64_t c = 0; c < n_cols_; c += packing_.cols) pack_group(row, c);
    const std::size_t per_byte = packing_.fp8 || packing_.bits == 8 ? 1 : 2;
    for (std::size_t i = 0; i < codes_.size(); i += per_byte)
      packed_.codes +=
          static_cast<char>(per_byte == 1 ? codes_[i] : codes_[i] | codes_[i + 1] << 4);
    return std::move(packed_);
  }

 private:
  template <typename Call>
  void for_each_of_group(std::int64_t row, std::int64_t c, Call call) const {
    for (std::int64_t r = row; r < std::min(row + packing_.rows, n_rows_); ++r)
      for (std::int64_t i = c; i < std::min(c + packing_.cols, n_cols_); ++i)
        call(static_cast<std::size_t>(r * n_cols_ + i));
  }

  void pack_group(std::int64_t row, std::int64_t c) {
    float least = 1e30F, most = -1e30F;
    for_each_of_group(row, c, [&](std::size_t i) {
      least = std::min(least, from_[i]);
      most = std::max(most, from_[i]);
    });
    const float n_steps = packing_.fp8 ? 448 : packing_.bits == 8 ? 255 : 15;
    const float range = packing_.fp8 ? std::max(-least, most) : most - least;
    const float scale = rounded(range / n_steps, packing_.numbers);
    const float bias = packing_.fp8 ? 0 : rounded(least, packing_.numbers);
    packed_.scales += number_bytes(scale, packing_.numbers);
    if (!packing_.fp8) packed_.biases += number_bytes(bias, packing_.numbers);
    for_each_of_group(row, c, [&](std::size_t i) {
      const float code = (from_[i] - bias) / scale;
      codes_[i] = packing_.fp8
                      ? e4m3_of(code)
                      : static_cast<std::uint8_t>(std::clamp(std::round(code), 0.0F, n_steps));
      const float magnitude = kernels::kUE4M3Values[codes_[i] & 127U];
      const float number = !packing_.fp8     ? static_cast<float>(codes_[i])
                           : codes_[i] < 128 ? magnitude
                                             : -magnitude;
      packed_.values[i] = std::fma(number, scale, bias);
    });
  }

  const float* from_;
  std::int64_t n_rows_, n_cols_;
  Packing packing_;
  std::vector<std::uint8_t> codes_;
  PackedMatrix packed_;
};

// FP8 is for the matrices of layers, but for routers.
inline bool is_packed(const GgufTensor& tensor, const Packing& packing) {
  if (tensor.shape.size() < 2) return false;
  return !packing.fp8 ||
         (tensor.name.starts_with("blk.") && tensor.name.find("ffn_gate_inp") == tensor.name.npos);
}

inline void add_packed(SafetensorsWriter& writer, const GgufTensor& tensor, const Twin& twin,
                       const Packing& packing, const PackedMatrix& packed) {
  const auto in_order = [&](const std::string& bytes) {
    GgufTensor part = tensor;
    part.data = std::as_bytes(std::span(bytes));
    return packing.rows == 1 ? bytes_for_folder(part, twin) : bytes;
  };
  std::string module = hugging_face_name(std::string(tensor.name), twin);
  module.resize(module.size() - std::string(".weight").size());
  std::vector<std::int64_t> shape(tensor.shape.rbegin(), tensor.shape.rend());
  if (!packing.fp8) {
    shape.back() = shape.back() * packing.bits / 32;
    writer.add(module + ".weight", "U32", shape, in_order(packed.codes));
    shape.back() = packed.n_groups;
    writer.add(module + ".scales", packing.numbers, shape, in_order(packed.scales));
    writer.add(module + ".biases", packing.numbers, shape, in_order(packed.biases));
    return;
  }
  writer.add(module + ".weight", "F8_E4M3", shape, in_order(packed.codes));
  const bool blocks = packing.rows > 1;
  if (packing.rows == 0) {
    shape.clear();
  } else {
    std::int64_t& n_rows = shape[shape.size() - 2];
    n_rows = (n_rows + packing.rows - 1) / packing.rows;
    shape.back() = packed.n_groups;
  }
  writer.add(module + (blocks ? ".weight_scale_inv" : ".weight_scale"), packing.numbers, shape,
             in_order(packed.scales));
  writer.add(module + ".input_scale", "F32", {}, number_bytes(1, "F32"));
}

inline nlohmann::json packed_config(const Twin& twin, const Packing& packing) {
  nlohmann::json config = tiny_config(twin);
  if (!packing.fp8) {
    config["quantization"] = {{"bits", packing.bits}, {"group_size", packing.cols}};
  } else if (packing.rows > 1) {
    config["quantization_config"] = {{"quant_method", "fp8"},
                                     {"weight_block_size", {packing.rows, packing.cols}}};
  } else {
    config["quantization_config"] = {{"quant_method", "compressed-tensors"},
                                     {"format", "float-quantized"},
                                     {"config_groups", nlohmann::json::object()}};
  }
  return config;
}

// Writes `folder` of what is in the GGUF file PATH, in F32, and puts into that what it stands for.
inline void write_packed_folder(const TempDir& folder, const std::string& path, const Twin& twin,
                                const Packing& packing) {
  write_tiny_texts(folder, twin);
  folder.file("config.json", packed_config(twin, packing).dump());
  SafetensorsWriter writer;
  std::string file = read_file(path);
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  const Gguf gguf(path);
  for (const GgufTensor& tensor : gguf.tensors()) {
    if (!is_packed(tensor, packing)) {
      writer.add(hugging_face_name(std::string(tensor.name), twin), "F32",
                 {tensor.shape.rbegin(), tensor.shape.rend()}, bytes_for_folder(tensor, twin));
      continue;
    }
    const PackedMatrix packed = MatrixPacker(reinterpret_cast<const float*>(tensor.data.data()),
                                             tensor.n_rows(), tensor.shape[0], packing)
                                    .pack();
    add_packed(writer, tensor, twin, packing, packed);
    const std::string before = text(tensor.data);
    file.replace(file.find(before), before.size(), text(std::as_bytes(std::span(packed.values))));
  }
  folder.file("model.safetensors", writer.bytes());
  write_file(path + ".new", file);  // not over what is mapped
  std::filesystem::rename(path + ".new", path);
}

}  // namespace confab::engine
