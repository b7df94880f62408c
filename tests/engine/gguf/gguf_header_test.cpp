// SPDX-License-Identifier: MIT
#include "engine/gguf/gguf_header.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "engine/gguf/gguf.h"
#include "tests/engine/gguf/gguf_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

TEST(GgufHeaderTest, IsReadBackAsItWasWritten) {
  const TempDir dir;
  GgufHeader header(64);
  header.add("general.alignment", 64U);
  header.add("some.number", 7U);
  const std::vector<std::int64_t> vector{5}, matrix{32, 3};
  header.add_tensor("a", Dtype::F32, vector);
  header.add_tensor("b", Dtype::Q8_0, matrix);
  EXPECT_EQ(header.padding(20), 44U);
  EXPECT_EQ(header.padding(64), 0U);
  EXPECT_EQ(header.data_bytes(), 64U + 128U);
  EXPECT_EQ(header.bytes().size() % 64, 0U);
  std::string data(header.data_bytes(), '\0');
  data[64] = 'b';

  const Gguf gguf(dir.file("a.gguf", header.bytes() + data));
  EXPECT_EQ(gguf.version(), 3U);
  EXPECT_EQ(gguf.find_int("some.number"), 7);
  ASSERT_EQ(gguf.tensors().size(), 2U);
  EXPECT_EQ(gguf.tensors()[0].shape, vector);
  EXPECT_EQ(gguf.tensors()[1].dtype, Dtype::Q8_0);
  EXPECT_EQ(gguf.tensors()[1].shape, matrix);
  EXPECT_EQ(gguf.tensors()[1].data.size(), 3U * 34U);
  EXPECT_EQ(gguf.tensors()[1].data[0], std::byte{'b'});
}

TEST(GgufHeaderTest, WritesTextsNumbersAndFlags) {
  const TempDir dir;
  GgufHeader header(32);
  header.add_text("text", "a b");
  header.add_float("float", 0.5F);
  header.add_flag("flag", true);
  header.add_texts("texts", std::vector<std::string>{"x", "", "yz"});
  header.add_numbers("numbers", std::vector<std::int32_t>{-1, 2});
  header.add_floats("floats", std::vector<float>{1.5F});
  const Gguf gguf(dir.file("a.gguf", header.bytes()));
  EXPECT_EQ(gguf.find_string("text"), "a b");
  EXPECT_EQ(gguf.find_float("float"), 0.5);
  EXPECT_EQ(gguf.find_bool("flag"), true);
  EXPECT_EQ(*gguf.find_array<std::string_view>("texts"),
            (std::vector<std::string_view>{"x", "", "yz"}));
  EXPECT_EQ(*gguf.find_array<std::int32_t>("numbers"), (std::vector<std::int32_t>{-1, 2}));
  EXPECT_EQ(*gguf.find_array<float>("floats"), std::vector<float>{1.5F});
}

// Values of every type pass through as they lie.
TEST(GgufHeaderTest, KeepsTheBytesOfAnothersKeys) {
  const TempDir dir;
  GgufWriter writer;
  writer.add("u8", std::uint8_t{200})
      .add("i64", std::int64_t{-5})
      .add("f32", 0.1F)
      .add("f64", 0.1)
      .add("yes", true)
      .add("text", "a\nb")
      .add_array<std::string_view>("words", {"x", "", "yz"})
      .add_array<float>("floats", {1.5F, -2});
  writer.write((dir / "in.gguf").string());
  const Gguf in((dir / "in.gguf").string());

  GgufHeader header(32);
  for (const GgufKey& key : in.keys()) header.add(key.name, key.raw);
  const Gguf out(dir.file("out.gguf", header.bytes()));
  ASSERT_EQ(out.keys().size(), in.keys().size());
  for (std::size_t i = 0; i < in.keys().size(); ++i) {
    EXPECT_EQ(out.keys()[i].name, in.keys()[i].name);
    EXPECT_TRUE(std::ranges::equal(out.keys()[i].raw, in.keys()[i].raw)) << in.keys()[i].name;
    EXPECT_EQ(out.keys()[i].value, in.keys()[i].value);
  }
  EXPECT_EQ(out.keys()[0].raw.size(), 4U + 1U);
}

}  // namespace
}  // namespace confab::engine
