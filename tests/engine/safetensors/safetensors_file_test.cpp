// SPDX-License-Identifier: MIT
#include "engine/safetensors/safetensors_file.h"

#include <gmock/gmock.h>

#include "tests/engine/error_of.h"
#include "tests/engine/safetensors/safetensors_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

std::vector<SafeTensor> read(const std::string& bytes) {
  static const std::string path = "m.safetensors";
  return read_safetensors(path, std::as_bytes(std::span(bytes)));
}
std::string error(const std::string& bytes) {
  return error_of([&] { read(bytes); });
}
// Of a file with eight bytes of data and these words about its only tensor.
std::string error_about(const std::string& tensor) {
  return error(safetensors_bytes("{\"a\":" + tensor + "}", "12345678"));
}

TEST(SafetensorsFileTest, FindsTensorsWithTypeShapeAndData) {
  SafetensorsWriter writer;
  writer.add("b", "BF16", {2, 1}, "1234");
  writer.add("a", "F32", {}, "5678");
  const std::string bytes = writer.bytes();
  const auto tensors = read(bytes);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[0].dtype, "BF16");
  EXPECT_EQ(tensors[0].shape, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(tensors[0].data.size(), 4U);
  EXPECT_EQ(tensors[1].n_elements(), 1);
  EXPECT_EQ(tensors[1].data[0], std::byte{'5'});
}

TEST(SafetensorsFileTest, ALengthThatCannotBeIsRefused) {
  EXPECT_THAT(error("1234"), HasSubstr("less than 8 bytes"));
  EXPECT_THAT(error(std::string(16, '\xff')), HasSubstr("not a safetensors file"));
  EXPECT_THAT(error(std::string(16, '\0')), HasSubstr("not a safetensors file"));
  std::string cut = safetensors_bytes("{\"__metadata__\":{}}");
  cut.pop_back();
  EXPECT_EQ(error(cut),
            "m.safetensors: its header has 19 bytes, but the file ends after 18; download "
            "it again");
}

TEST(SafetensorsFileTest, AHeaderThatIsNoObjectIsRefused) {
  for (const char* header : {"{\"a\":", "[1,2]", "nonsense", "{\"a\xff\":1}"})
    EXPECT_THAT(error(safetensors_bytes(header)), HasSubstr("not an object of JSON")) << header;
  EXPECT_THAT(error(safetensors_bytes(std::string(100000, '['))), HasSubstr("not an object"));
}

// 20 MB of "[],[]," would be 6.6 million values.
TEST(SafetensorsFileTest, AHeaderOfTooManyValuesIsRefused) {
  std::string header = "{\"__metadata__\":[[]";
  for (int i = 0; i < 2'100'000; ++i) header += ",[]";
  const std::string refused = error(safetensors_bytes(header + "]}"));
  EXPECT_THAT(refused, HasSubstr("not an object of JSON"));
  EXPECT_LT(refused.size(), 200U);
}

TEST(SafetensorsFileTest, ATensorThatIsNotDescribedIsRefused) {
  for (const char* tensor :
       {"1", "{}", "{\"dtype\":1,\"shape\":[],\"data_offsets\":[0,8]}",
        "{\"dtype\":\"F32\",\"data_offsets\":[0,8]}", "{\"dtype\":\"F32\",\"shape\":[2]}"})
    EXPECT_THAT(error_about(tensor), HasSubstr("without dtype, shape and data_offsets")) << tensor;
  EXPECT_THAT(error_about("{\"dtype\":\"F33\",\"shape\":[2],\"data_offsets\":[0,8]}"),
              HasSubstr("tensor a has the unknown type F33"));
}

TEST(SafetensorsFileTest, AShapeThatCannotBeIsRefused) {
  for (const char* shape : {"2", "[1,1,1,1,1,1,1,1,2]"})
    EXPECT_THAT(error_about("{\"dtype\":\"F32\",\"shape\":" + std::string(shape) +
                            ",\"data_offsets\":[0,8]}"),
                HasSubstr("no shape of up to 8 dimensions"))
        << shape;
  for (const char* shape : {"[-2]", "[0]", "[2.5]", "[\"2\"]", "[4294967296,4294967296]"})
    EXPECT_THAT(error_about("{\"dtype\":\"F32\",\"shape\":" + std::string(shape) +
                            ",\"data_offsets\":[0,8]}"),
                HasSubstr("has a shape with"))
        << shape;
}

TEST(SafetensorsFileTest, DataOutsideOfTheFileAreRefused) {
  const auto with = [](const std::string& offsets) {
    return error_about("{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" + offsets + "}");
  };
  for (const char* offsets : {"8", "[8]", "[-8,0]", "[0,8,9]", "[0,8.5]"})
    EXPECT_THAT(with(offsets), HasSubstr("no pair of data_offsets")) << offsets;
  EXPECT_THAT(with("[8,0]"), HasSubstr("ends at 0, before it begins at 8"));
  EXPECT_THAT(with("[1,9]"), HasSubstr("ends at 9, but the file has only 8 bytes of data"));
  EXPECT_THAT(with("[0,18446744073709551615]"), HasSubstr("has only 8 bytes"));
  EXPECT_THAT(with("[0,7]"), HasSubstr("tensor a has 7 bytes, expected 2 numbers of 32 bits"));
}

TEST(SafetensorsFileTest, TensorsThatOverlapAreRefused) {
  const std::string entry = "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":";
  EXPECT_EQ(
      error(safetensors_bytes("{\"a\":" + entry + "[0,4]},\"b\":" + entry + "[3,7]}}", "12345678")),
      "m.safetensors: tensors a and b overlap");
}

std::string file_with(const std::string& tensor) {
  SafetensorsWriter writer;
  writer.add(tensor, "F32", {1}, "1234");
  return writer.bytes();
}

class WeightFilesTest : public testing::Test {
 protected:
  std::string folder() const { return dir_.path().string(); }
  void index(const nlohmann::json& map) {
    dir_.file("model.safetensors.index.json", nlohmann::json{{"weight_map", map}}.dump());
  }
  std::string error() {
    return error_of([&] { open_weights(folder()); });
  }

  TempDir dir_;
};

TEST_F(WeightFilesTest, OneFileNeedsNoIndex) {
  dir_.file("model.safetensors", file_with("a"));
  const WeightFiles weights = open_weights(folder());
  EXPECT_EQ(weights.paths, std::vector<std::string>{folder() + "/model.safetensors"});
  ASSERT_EQ(weights.tensors.size(), 1U);
  EXPECT_EQ(weights.tensors[0].name, "a");
}

TEST_F(WeightFilesTest, TheIndexNamesTheFiles) {
  dir_.file("x.safetensors", file_with("a"));
  dir_.file("y.safetensors", file_with("b"));
  dir_.file("model.safetensors", "not looked at");
  index({{"a", "x.safetensors"}, {"b", "y.safetensors"}});
  const WeightFiles weights = open_weights(folder());
  EXPECT_EQ(weights.files.size(), 2U);
  EXPECT_EQ(weights.tensors.size(), 2U);
}

TEST_F(WeightFilesTest, WhatIsMissingIsNamed) {
  EXPECT_EQ(error(), folder() +
                         ": has neither model.safetensors nor model.safetensors.index.json, "
                         "so its weights are missing");
  dir_.file("x.safetensors", file_with("a"));
  index({{"a", "x.safetensors"}, {"b", "y.safetensors"}});
  EXPECT_EQ(error(), folder() +
                         "/y.safetensors: is one of 2 files of the model, and is missing; "
                         "download it into the same folder");
  dir_.file("y.safetensors", file_with("c"));
  EXPECT_EQ(error(), folder() +
                         "/y.safetensors: tensor b is missing, which "
                         "model.safetensors.index.json says is here");
}

TEST_F(WeightFilesTest, AnIndexThatLeavesTheFolderIsRefused) {
  for (const nlohmann::json& file :
       {nlohmann::json("../x.safetensors"), nlohmann::json("/etc/x.safetensors"),
        nlohmann::json("a\\x.safetensors"), nlohmann::json("passwd"), nlohmann::json(7)}) {
    index({{"a", file}});
    EXPECT_THAT(error(), HasSubstr("expected a .safetensors file of the same folder")) << file;
  }
  dir_.file("model.safetensors.index.json", "{\"weight_map\":{}}");
  EXPECT_THAT(error(), HasSubstr("\"weight_map\" is missing"));
}

}  // namespace
}  // namespace confab::engine
