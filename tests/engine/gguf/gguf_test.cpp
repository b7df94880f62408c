// SPDX-License-Identifier: MIT
#include "engine/gguf/gguf.h"

#include <gmock/gmock.h>

#include <string>

#include "engine/gguf/gguf_header.h"
#include "tests/engine/error_of.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GgufTest : public testing::Test {
 protected:
  Gguf open(const GgufWriter& writer) {
    writer.write(path_);
    return Gguf(path_);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "model.gguf";
};

TEST_F(GgufTest, ReadsScalarsOfEveryTypeWidened) {
  GgufWriter writer;
  writer.add("u8", std::uint8_t{200}).add("i8", std::int8_t{-100});
  writer.add("u16", std::uint16_t{60000}).add("i16", std::int16_t{-30000});
  writer.add("u32", std::uint32_t{4000000000}).add("i32", std::int32_t{-2000000000});
  writer.add("u64", std::uint64_t{1} << 62).add("i64", -(std::int64_t{1} << 62));
  writer.add("f32", 0.5F).add("f64", 0.25).add("yes", true).add("no", false).add("s", "text");
  const Gguf gguf = open(writer);
  EXPECT_EQ(gguf.keys().size(), 13U);
  EXPECT_EQ(gguf.find_int("u8"), 200);
  EXPECT_EQ(gguf.find_int("i8"), -100);
  EXPECT_EQ(gguf.find_int("u16"), 60000);
  EXPECT_EQ(gguf.find_int("i16"), -30000);
  EXPECT_EQ(gguf.find_int("u32"), 4000000000);
  EXPECT_EQ(gguf.find_int("i32"), -2000000000);
  EXPECT_EQ(gguf.find_int("u64"), std::int64_t{1} << 62);
  EXPECT_EQ(gguf.find_int("i64"), -(std::int64_t{1} << 62));
  EXPECT_EQ(gguf.find_float("f32"), 0.5);
  EXPECT_EQ(gguf.find_float("f64"), 0.25);
  EXPECT_EQ(gguf.find_float("i8"), -100.0);
  EXPECT_EQ(gguf.find_float("u8"), 200.0);
  EXPECT_EQ(gguf.find_bool("yes"), true);
  EXPECT_EQ(gguf.find_bool("no"), false);
  EXPECT_EQ(gguf.find_string("s"), "text");
}

TEST_F(GgufTest, ReadsArraysOfEveryType) {
  GgufWriter writer;
  writer.add_array<std::uint8_t>("u8", {1, 255}).add_array<std::int8_t>("i8", {-1, 127});
  writer.add_array<std::uint16_t>("u16", {65535}).add_array<std::int16_t>("i16", {-32768});
  writer.add_array<std::uint32_t>("u32", {1, 2, 3}).add_array<std::int32_t>("i32", {});
  writer.add_array<std::uint64_t>("u64", {~0ULL}).add_array<std::int64_t>("i64", {-5});
  writer.add_array<float>("f32", {0.5F, -1}).add_array<double>("f64", {0.125});
  writer.add_array<bool>("bool", {true, false, true});
  writer.add_array<std::string>("string", {"", "two"});
  const Gguf gguf = open(writer);
  EXPECT_THAT(*gguf.find_array<std::uint8_t>("u8"), ElementsAre(1, 255));
  EXPECT_THAT(*gguf.find_array<std::int8_t>("i8"), ElementsAre(-1, 127));
  EXPECT_THAT(*gguf.find_array<std::uint16_t>("u16"), ElementsAre(65535));
  EXPECT_THAT(*gguf.find_array<std::int16_t>("i16"), ElementsAre(-32768));
  EXPECT_THAT(*gguf.find_array<std::uint32_t>("u32"), ElementsAre(1, 2, 3));
  EXPECT_THAT(*gguf.find_array<std::int32_t>("i32"), ElementsAre());
  EXPECT_THAT(*gguf.find_array<std::uint64_t>("u64"), ElementsAre(~0ULL));
  EXPECT_THAT(*gguf.find_array<std::int64_t>("i64"), ElementsAre(-5));
  EXPECT_THAT(*gguf.find_array<float>("f32"), ElementsAre(0.5F, -1));
  EXPECT_THAT(*gguf.find_array<double>("f64"), ElementsAre(0.125));
  EXPECT_THAT(*gguf.find_array<bool>("bool"), ElementsAre(true, false, true));
  EXPECT_THAT(*gguf.find_array<std::string_view>("string"), ElementsAre("", "two"));
}

TEST_F(GgufTest, AnAbsentKeyIsNoError) {
  const Gguf gguf = open(GgufWriter{});
  EXPECT_EQ(gguf.find("x"), nullptr);
  EXPECT_EQ(gguf.find_int("x"), std::nullopt);
  EXPECT_EQ(gguf.find_float("x"), std::nullopt);
  EXPECT_EQ(gguf.find_bool("x"), std::nullopt);
  EXPECT_EQ(gguf.find_string("x"), std::nullopt);
  EXPECT_EQ(gguf.find_array<float>("x"), nullptr);
  EXPECT_EQ(gguf.find_tensor("x"), nullptr);
}

TEST_F(GgufTest, AValueOfAnotherTypeIsAnError) {
  GgufWriter writer;
  writer.add("text", "5").add("big", ~std::uint64_t{0}).add("float", 5.0F);
  writer.add_array<float>("floats", {1});
  const Gguf gguf = open(writer);
  EXPECT_EQ(error_of([&] { gguf.find_int("text"); }),
            path_ + ": key text is a string, expected an integer");
  EXPECT_EQ(error_of([&] { gguf.find_int("big"); }),
            path_ + ": key big is 18446744073709551615, which is too large");
  EXPECT_EQ(error_of([&] { gguf.find_int("float"); }),
            path_ + ": key float is a float, expected an integer");
  EXPECT_EQ(error_of([&] { gguf.find_float("text"); }),
            path_ + ": key text is a string, expected a number");
  EXPECT_EQ(error_of([&] { gguf.find_bool("float"); }),
            path_ + ": key float is a float, expected a boolean");
  EXPECT_EQ(error_of([&] { gguf.find_string("floats"); }),
            path_ + ": key floats is an array, expected a string");
  EXPECT_EQ(error_of([&] { gguf.find_array<float>("text"); }),
            path_ + ": key text is a string, expected an array");
  EXPECT_EQ(error_of([&] { gguf.find_array<double>("floats"); }),
            path_ + ": key floats is an array of the wrong type");
}

TEST_F(GgufTest, FindsTensorsWithTheirShapeAndData) {
  GgufWriter writer;
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{7};
  writer.add_tensor("a", {3, 2}, a).add_tensor("b", {1}, b);
  writer.add_tensor("q", 8, {32, 2}, std::string(68, 'q'));
  const Gguf gguf = open(writer);
  ASSERT_EQ(gguf.tensors().size(), 3U);
  const GgufTensor* tensor = gguf.find_tensor("a");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->dtype, kernels::Dtype::F32);
  EXPECT_THAT(tensor->shape, ElementsAre(3, 2));
  EXPECT_EQ(tensor->n_elements(), 6);
  EXPECT_EQ(std::memcmp(tensor->data.data(), a.data(), sizeof(float) * a.size()), 0);
  EXPECT_EQ(gguf.find_tensor("b")->data.size(), sizeof(float));
  EXPECT_EQ(gguf.find_tensor("q")->data.size(), 68U);
  EXPECT_EQ(gguf.version(), 3U);
  EXPECT_EQ(gguf.file_bytes(), writer.bytes().size());
}

// A model cut into n parts, each with one tensor t0, t1, ...
// As readers of other formats make it: metadata in memory, tensors anywhere.
GgufContents contents_of(const std::vector<std::string>& tensors) {
  GgufHeader header(32);
  header.add_text("general.name", "made");
  GgufContents contents;
  contents.path = "folder";
  contents.metadata = header.bytes();
  for (const std::string& name : tensors) {
    const auto& values = contents.vectors.emplace_back(std::vector<float>{1, 2});
    contents.tensors.push_back({contents.names.emplace_back(name),
                                kernels::Dtype::F32,
                                {2},
                                std::as_bytes(std::span(values))});
  }
  return contents;
}

TEST(GgufContentsTest, KeysAndTensorsAreFoundAsInAFile) {
  const Gguf gguf(contents_of({"b", "a"}));
  EXPECT_EQ(gguf.path(), "folder");
  EXPECT_EQ(gguf.find_string("general.name"), "made");
  EXPECT_EQ(gguf.tensors().size(), 2U);
  ASSERT_NE(gguf.find_tensor("a"), nullptr);
  EXPECT_EQ(gguf.find_tensor("a")->name, "a");
  EXPECT_EQ(gguf.find_tensor("a")->data.size(), 8U);
  EXPECT_EQ(gguf.file_bytes(), 0U);
}

TEST(GgufContentsTest, ATensorMayBeThereOnlyOnce) {
  EXPECT_EQ(error_of([] {
              Gguf gguf(contents_of({"a", "b", "a"}));
            }),
            "folder: tensor a appears twice");
}

class SplitGgufTest : public GgufTest {
 protected:
  std::string name(int i, int n) const {
    return folder_ / ("m-0000" + std::to_string(i + 1) + "-of-0000" + std::to_string(n) + ".gguf");
  }
  void write_part(int i, int n, int says_no) const {
    GgufWriter writer;
    writer.add("split.no", static_cast<std::uint16_t>(says_no));
    writer.add("split.count", static_cast<std::uint16_t>(n));
    writer.add("split.tensors.count", static_cast<std::int32_t>(n));
    const std::vector<float> value{static_cast<float>(i)};
    writer.add_tensor("t" + std::to_string(i), {1}, value).write(name(i, n));
  }
};

TEST_F(SplitGgufTest, OpensAllPartsFromTheFirst) {
  for (int i = 0; i < 3; ++i) write_part(i, 3, i);
  const Gguf gguf(name(0, 3));
  ASSERT_EQ(gguf.tensors().size(), 3U);
  for (int i = 0; i < 3; ++i) {
    float value = -1;
    std::memcpy(&value, gguf.find_tensor("t" + std::to_string(i))->data.data(), sizeof value);
    EXPECT_EQ(value, static_cast<float>(i));
  }
}

TEST_F(SplitGgufTest, NamesTheMissingPart) {
  for (const int i : {0, 2}) write_part(i, 3, i);
  EXPECT_EQ(error_of([&] { Gguf(name(0, 3)); }),
            name(0, 3) + ": is the first of 3 parts, and " + name(1, 3) + " is missing");
}

TEST_F(SplitGgufTest, RefusesPartsThatDoNotBelongTogether) {
  for (int i = 0; i < 2; ++i) write_part(i, 2, 0);
  EXPECT_EQ(error_of([&] { Gguf(name(0, 2)); }),
            name(1, 2) + ": says it is part 1 of 2, expected part 2 of 2 of " + name(0, 2));
}

TEST_F(SplitGgufTest, RefusesAFileThatIsNoPart) {
  write_part(0, 2, 0);
  GgufWriter{}.write(name(1, 2));
  EXPECT_EQ(error_of([&] { Gguf(name(0, 2)); }),
            name(1, 2) + ": is not part of a model, expected one of " + name(0, 2));
}

TEST_F(SplitGgufTest, RefusesALaterPartAndAWrongName) {
  for (int i = 0; i < 2; ++i) write_part(i, 2, i);
  EXPECT_EQ(error_of([&] { Gguf(name(1, 2)); }),
            name(1, 2) + ": is part 2 of a model in 2 files; open the first file instead");
  std::filesystem::rename(name(0, 2), path_);
  EXPECT_EQ(error_of([&] { Gguf gguf(path_); }),
            path_ + ": is the first of 2 parts, so its name must end in -00001-of-00002.gguf");
}

TEST_F(SplitGgufTest, RefusesAWrongNumberOfTensorsAndTheSameTensorTwice) {
  for (int i = 0; i < 2; ++i) write_part(i, 2, i);
  GgufWriter writer;
  writer.add("split.no", std::uint16_t{1}).add("split.count", std::uint16_t{2}).write(name(1, 2));
  EXPECT_EQ(error_of([&] { Gguf(name(0, 2)); }),
            name(0, 2) + ": its 2 parts have 1 tensors, expected 2");
  const std::vector<float> value{1};
  writer.add_tensor("t0", {1}, value).write(name(1, 2));
  EXPECT_EQ(error_of([&] { Gguf(name(0, 2)); }), name(0, 2) + ": tensor t0 appears twice");
}

}  // namespace
}  // namespace confab::engine
