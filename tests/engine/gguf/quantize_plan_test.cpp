// SPDX-License-Identifier: MIT
#include "engine/gguf/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/engine/error_of.h"
#include "tests/engine/gguf/gguf_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using kernels::Dtype;
using nlohmann::json;

// A file of zeros with the tensors and keys of a case of quantize_mixes.json.
class ModelFile {
 public:
  void add_key(const std::string& name, const json& value) {
    if (value.is_string()) {
      writer_.add(name, value.get<std::string>());
    } else if (value.is_number_float()) {
      writer_.add(name, value.get<float>());
    } else {
      writer_.add(name, value.get<std::uint32_t>());
    }
  }
  void add_tensor(const std::string& name, const std::vector<std::int64_t>& shape,
                  Dtype dtype = Dtype::F32) {
    std::size_t n_bytes = kernels::row_bytes(dtype, shape[0]);
    for (std::size_t i = 1; i < shape.size(); ++i) n_bytes *= static_cast<std::size_t>(shape[i]);
    writer_.add_tensor(name, static_cast<std::uint32_t>(dtype), shape, std::string(n_bytes, '\0'));
  }
  Gguf open() const {
    writer_.write((dir_ / "model.gguf").string());
    return Gguf((dir_ / "model.gguf").string());
  }

 private:
  TempDir dir_;
  GgufWriter writer_;
};

Gguf open_case(const json& model) {
  ModelFile file;
  for (const auto& [key, value] : model.at("keys").items()) file.add_key(key, value);
  for (const auto& [name, shape] : model.at("tensors").items())
    file.add_tensor(name, shape.get<std::vector<std::int64_t>>());
  for (int il = 0; il < model.at("n_layer").get<int>(); ++il)
    for (const auto& [name, shape] : model.at("layer").items())
      file.add_tensor("blk." + std::to_string(il) + "." + name,
                      shape.get<std::vector<std::int64_t>>());
  return file.open();
}

// "Q6_K Q4_K ..." of the layers, or the one type of all of them.
std::string expected_type(const json& types, std::string_view tensor) {
  if (!tensor.starts_with("blk.")) return types.at(std::string(tensor)).get<std::string>();
  const std::size_t dot = tensor.find('.', 4);
  std::istringstream names(types.at(std::string(tensor.substr(dot + 1))).get<std::string>());
  std::string name;
  for (int il = std::stoi(std::string(tensor.substr(4))); il >= 0 && names >> name; --il) {
  }
  return name;
}

// What llama-quantize (llama.cpp 3f545bec) chose for files of zeros with these tensors.
TEST(QuantizePlanFidelityTest, TypesAreThoseThatTheNamePromises) {
  const json models =
      json::parse(std::ifstream(CONFAB_SOURCE_DIR "/tests/data/quantize_mixes.json"));
  ASSERT_GE(models.size(), 12U);
  for (const json& model : models) {
    const Gguf gguf = open_case(model);
    EXPECT_EQ(model.at("types").size(), 9U);
    for (const auto& [name, types] : model.at("types").items()) {
      for (const PlannedTensor& planned : plan_quantization(gguf, *find_file_type(name))) {
        EXPECT_EQ(kernels::info(planned.dtype).name, expected_type(types, planned.name))
            << model.at("name") << ", " << name << ", " << planned.name;
      }
    }
  }
}

TEST(QuantizePlanTest, TensorsOfNoLayerComeFirstThenLayersInTheirOrder) {
  ModelFile file;
  for (const char* name : {"blk.10.ffn_up.weight", "blk.2.ffn_up.weight", "token_embd.weight",
                           "blk.2.attn_q.weight", "output.weight", "blk.x.weight"})
    file.add_tensor(name, {32, 2});
  std::vector<std::string> names;
  const Gguf gguf = file.open();
  for (const PlannedTensor& planned : plan_quantization(gguf, *find_file_type("Q8_0")))
    names.push_back(planned.name);
  EXPECT_EQ(names, (std::vector<std::string>{"blk.x.weight", "output.weight", "token_embd.weight",
                                             "blk.2.attn_q.weight", "blk.2.ffn_up.weight",
                                             "blk.10.ffn_up.weight"}));
}

// As llama.cpp's converter has them, whatever the order of their numbers as text.
TEST(QuantizePlanTest, TheExpertsOfALayerBecomeOneTensor) {
  ModelFile file;
  for (int expert = 11; expert >= 0; --expert)
    file.add_tensor("blk.0.ffn_up." + std::to_string(expert) + ".weight", {32, 3});
  for (const char* name : {"blk.0.ffn_down.0.weight", "blk.0.ffn_down.2.weight",
                           "blk.0.ffn_gate.weight", "blk.0.ffn_gate.x.weight"})
    file.add_tensor(name, {32, 2});
  file.add_tensor("blk.1.ffn_up.0.weight", {32, 3});
  file.add_tensor("blk.1.ffn_up.1.weight", {32, 4});
  const Gguf gguf = file.open();
  std::vector<std::string> names;
  for (const PlannedTensor& planned : plan_quantization(gguf, *find_file_type("Q8_0"))) {
    names.push_back(planned.name);
    if (planned.name != "blk.0.ffn_up_exps.weight") {
      EXPECT_EQ(planned.parts.size(), 1U);
      continue;
    }
    EXPECT_EQ(planned.shape, (std::vector<std::int64_t>{32, 3, 12}));
    EXPECT_EQ(planned.n_elements(), 32 * 3 * 12);
    ASSERT_EQ(planned.parts.size(), 12U);
    EXPECT_EQ(planned.parts[2]->name, "blk.0.ffn_up.2.weight");
    EXPECT_EQ(planned.parts[10]->name, "blk.0.ffn_up.10.weight");
  }
  // Where one is missing or differs, they stay what they are.
  EXPECT_EQ(names, (std::vector<std::string>{"blk.0.ffn_down.0.weight", "blk.0.ffn_down.2.weight",
                                             "blk.0.ffn_gate.weight", "blk.0.ffn_gate.x.weight",
                                             "blk.0.ffn_up_exps.weight", "blk.1.ffn_up.0.weight",
                                             "blk.1.ffn_up.1.weight"}));
}

TEST(QuantizePlanTest, SmallAndSensitiveTensorsStay) {
  ModelFile file;
  const std::vector<std::string> kept{
      "blk.0.attn_norm.weight",  "blk.0.attn_q.bias",           "blk.0.ffn_gate_inp.weight",
      "blk.0.ssm_conv1d.weight", "per_layer_model_proj.weight", "rope_freqs.weight",
      "blk.0.attn_sinks.weight", "blk.0.shortconv.conv.weight", "blk.0.altup_proj.weight"};
  for (const std::string& name : kept)
    file.add_tensor(name, name == "rope_freqs.weight" || name == "blk.0.attn_sinks.weight"
                              ? std::vector<std::int64_t>{64}
                              : std::vector<std::int64_t>{64, 2});
  file.add_tensor("blk.0.ffn_gate_inp_shexp.weight", {64, 1});
  const Gguf gguf = file.open();
  for (const PlannedTensor& planned : plan_quantization(gguf, *find_file_type("Q8_0")))
    EXPECT_EQ(planned.dtype, Dtype::F32) << planned.name;
}

TEST(QuantizePlanTest, RowsThatFitNoBlockBecomeF16) {
  ModelFile file;
  file.add_tensor("blk.0.attn_q.weight", {40, 2});
  const Gguf gguf = file.open();
  for (const char* type : {"Q8_0", "Q4_0", "Q4_K_M", "Q6_K"})
    EXPECT_EQ(plan_quantization(gguf, *find_file_type(type))[0].dtype, Dtype::F16) << type;
}

TEST(QuantizePlanTest, WhatHasFewerBitsIsRefused) {
  ModelFile file;
  file.add_tensor("blk.0.attn_q.weight", {32, 2}, Dtype::Q8_0);
  const Gguf gguf = file.open();
  const std::string error = error_of([&] { plan_quantization(gguf, *find_file_type("F16")); });
  EXPECT_EQ(error, gguf.path() +
                       ": tensor blk.0.attn_q.weight is Q8_0, which has fewer bits than "
                       "the F16 it would get");
  EXPECT_EQ(plan_quantization(gguf, *find_file_type("Q8_0"))[0].dtype, Dtype::Q8_0);
}

TEST(QuantizePlanTest, WhatIsQuantisedAlreadyIsRefused) {
  ModelFile file;
  file.add_tensor("blk.0.attn_q.weight", {256, 2}, Dtype::Q4_K);
  const Gguf gguf = file.open();
  const std::string error = error_of([&] { plan_quantization(gguf, *find_file_type("Q4_0")); });
  EXPECT_EQ(error, gguf.path() +
                       ": tensor blk.0.attn_q.weight is already quantised to Q4_K, "
                       "expected F32, F16, BF16 or Q8_0");
}

// The sizes of a file that is made are those that were foretold.
TEST(QuantizePlanTest, BytesAreKnownFromTheShapes) {
  ModelFile file;
  file.add_key("general.architecture", "llama");
  file.add_key("llama.block_count", 1);
  file.add_tensor("token_embd.weight", {256, 300}, Dtype::F16);
  file.add_tensor("blk.0.attn_v.weight", {256, 256}, Dtype::F16);
  file.add_tensor("blk.0.ffn_down.weight", {512, 256}, Dtype::F16);
  file.add_tensor("blk.0.attn_norm.weight", {256});
  const Gguf gguf = file.open();
  for (const char* name : {"F16", "Q8_0", "Q4_K_M", "Q4_K_S"}) {
    const FileType& type = *find_file_type(name);
    std::uint64_t made = 0;
    for (const PlannedTensor& planned : plan_quantization(gguf, type)) {
      const std::int64_t n_cols = planned.shape[0];
      made += kernels::row_bytes(planned.dtype, n_cols) *
              static_cast<std::uint64_t>(planned.n_elements() / n_cols);
    }
    EXPECT_EQ(quantized_bytes(gguf.tensors(), mix_traits(gguf), type), made) << name;
  }
}

// What has fewer bits already can be sized too.
TEST(QuantizePlanTest, BytesDoNotDependOnTheTypeNow) {
  const auto bytes = [](Dtype now) {
    ModelFile file;
    file.add_tensor("blk.0.attn_q.weight", {256, 256}, now);
    const Gguf gguf = file.open();
    return quantized_bytes(gguf.tensors(), mix_traits(gguf), *find_file_type("Q6_K"));
  };
  EXPECT_EQ(bytes(Dtype::Q4_K), bytes(Dtype::F32));
}

}  // namespace
}  // namespace confab::engine
