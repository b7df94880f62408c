// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

void write_tiny(const std::string& path, const std::function<void(GgufWriter&)>& change) {
  GgufWriter writer = tiny_model({.architecture = "qwen35", .n_layer = 8});
  writer.remove("qwen35.full_attention_interval");
  writer.remove("qwen35.ssm.state_size").add("qwen35.ssm.state_size", 16U);
  writer.remove("qwen35.ssm.inner_size").add("qwen35.ssm.inner_size", 64U);
  if (change) change(writer);
  writer.write(path);
}

Hparams load(const std::function<void(GgufWriter&)>& change = {}) {
  const TemporaryFolder folder;
  write_tiny(folder / "m.gguf", change);
  return Hparams::load(Gguf(folder / "m.gguf"));
}

std::string error_with(const std::string& name, std::uint32_t value) {
  const std::string key = "qwen35." + name;
  const std::string text =
      error_of([&] { load([&](GgufWriter& writer) { writer.remove(key).add(key, value); }); });
  const std::size_t start = text.find("key ");
  return start == std::string::npos ? text : text.substr(start);
}

TEST(Qwen35Test, EveryFourthLayerAttends) {
  const Hparams hp = load();
  for (std::size_t il = 0; il < 8; ++il) EXPECT_EQ(hp.layers[il].recurrent, il % 4 != 3) << il;
  EXPECT_EQ(hp.layers[0].n_ff, 96);
  EXPECT_EQ(hp.layers[0].n_head_kv, 0);
  EXPECT_EQ(hp.layers[3].n_head_kv, 1);
  EXPECT_TRUE(hp.attn_gate);
  EXPECT_EQ(hp.delta_net.n_channels(), (2 * 2 + 4) * 16);
}

TEST(Qwen35Test, TheFileMaySayWhichLayersAttend) {
  const Hparams every_other =
      load([](GgufWriter& writer) { writer.add("qwen35.full_attention_interval", 2U); });
  EXPECT_TRUE(every_other.layers[2].recurrent);
  EXPECT_FALSE(every_other.layers[5].recurrent);
  const Hparams listed = load([](GgufWriter& writer) {
    writer.add_array("qwen35.attention.recurrent_layers",
                     std::vector<bool>{false, true, true, true, true, true, true, true, false});
    writer.add("qwen35.nextn_predict_layers", 1U);
  });
  EXPECT_EQ(listed.n_layer, 7);
  EXPECT_FALSE(listed.layers[0].recurrent);
  EXPECT_TRUE(listed.layers[6].recurrent);
}

TEST(Qwen35Test, RefusesSizesThatDoNotFit) {
  EXPECT_EQ(error_with("ssm.conv_kernel", 1),
            "key qwen35.ssm.conv_kernel is 1, expected 2 or more");
  EXPECT_EQ(error_with("ssm.conv_kernel", 9), "key qwen35.ssm.conv_kernel is 9, expected 1 to 8");
  EXPECT_EQ(error_with("ssm.group_count", 3),
            "key qwen35.ssm.time_step_rank is 4, expected a multiple of the 3 groups");
  EXPECT_EQ(error_with("ssm.inner_size", 60),
            "key qwen35.ssm.inner_size is 60, expected 4 heads of 16");
}

}  // namespace
}  // namespace confab::engine
