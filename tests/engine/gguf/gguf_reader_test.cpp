// SPDX-License-Identifier: MIT
// One test for each way in which a file can be damaged.
#include "engine/gguf/gguf_reader.h"

#include <gmock/gmock.h>

#include <random>
#include <string>

#include "engine/error.h"
#include "tests/engine/gguf/gguf_writer.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// The message without "file: "; empty when the bytes are accepted.
std::string error_of(const std::string& bytes) {
  // A copy of exactly this size, so that a sanitizer sees every access past the end.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  try {
    read_gguf("file", std::as_bytes(std::span(exact)));
  } catch (const ModelError& error) {
    const std::string message = error.what();
    EXPECT_THAT(message, StartsWith("file: "));
    for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
    return message.substr(std::string("file: ").size());
  }
  return {};
}

GgufWriter small_file() {
  GgufWriter writer;
  writer.add("general.architecture", "llama").add("n", std::uint32_t{7});
  writer.add_array<std::string>("words", {"a", "bc"}).add_array<float>("scores", {1, 2});
  const std::vector<float> a(32, 1.0F), b(8, 2.0F);
  return writer.add_tensor("a", {8, 4}, a).add_tensor("b", {8}, b);
}

TEST(GgufReaderTest, AcceptsAGoodFile) {
  const std::string bytes = small_file().bytes();
  const GgufPart part = read_gguf("file", as_bytes(bytes));
  EXPECT_EQ(part.keys.size(), 4U);
  EXPECT_EQ(part.tensors.size(), 2U);
  EXPECT_EQ(error_of(bytes + "trailing bytes are harmless"), "");
}

TEST(GgufReaderTest, RejectsAFileCutAnywhere) {
  const std::string bytes = small_file().bytes();
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_NE(error_of(bytes.substr(0, n)), "") << n;
}

TEST(GgufReaderTest, SurvivesAnyOneByteChanged) {
  const std::string good = small_file().bytes();
  const std::size_t n_header = small_file().header().size();
  std::mt19937 rng(20250611);
  for (std::size_t i = 0; i < n_header; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      error_of(bytes);
    }
    for (int trial = 0; trial < 4; ++trial) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(rng());
      bytes[rng() % n_header] = static_cast<char>(rng());
      error_of(bytes);
    }
  }
}

TEST(GgufReaderTest, ChecksMagicAndVersion) {
  EXPECT_EQ(error_of(""), "not a GGUF file: it does not start with \"GGUF\"");
  EXPECT_EQ(error_of("GGML and more"), "not a GGUF file: it does not start with \"GGUF\"");
  GgufWriter writer;
  writer.version = 2;
  EXPECT_EQ(error_of(writer.bytes()), "");
  writer.version = 1;
  EXPECT_EQ(error_of(writer.bytes()), "GGUF version 1, expected 2 or 3");
  writer.version = 4;
  EXPECT_EQ(error_of(writer.bytes()), "GGUF version 4, expected 2 or 3");
  writer.version = 0x03000000;
  EXPECT_EQ(error_of(writer.bytes()), "a big-endian GGUF file, expected little-endian");
}

TEST(GgufReaderTest, BoundsCountsByWhatIsLeftOfTheFile) {
  for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{1} << 40, INT64_MAX}) {
    GgufWriter keys = small_file(), tensors = small_file();
    keys.n_keys = n;
    tensors.n_tensors = n;
    EXPECT_THAT(error_of(keys.bytes()), StartsWith("number of keys is " + std::to_string(n)));
    EXPECT_THAT(error_of(tensors.bytes()), StartsWith("number of tensors is " + std::to_string(n)));
    for (const std::uint32_t type : {0U, 4U, 6U, 7U, 8U, 10U, 12U}) {
      GgufWriter array;
      array.add_raw("x", 9, GgufWriter::encode(type) + GgufWriter::encode(n) + "12345678");
      EXPECT_THAT(error_of(array.bytes()), StartsWith("array length is " + std::to_string(n)));
    }
    GgufWriter text;
    text.add_raw("x", 8, GgufWriter::encode(n) + "text");
    EXPECT_THAT(error_of(text.bytes()), HasSubstr("needs " + std::to_string(n) + " bytes"));
  }
}

TEST(GgufReaderTest, RejectsUnknownValueTypes) {
  GgufWriter scalar, array, nested;
  scalar.add_raw("x\x1b", 13, "12345678");
  EXPECT_EQ(error_of(scalar.bytes()), "key x\\x1b has unknown value type 13");
  array.add_raw("x", 9, GgufWriter::encode(99U) + GgufWriter::encode(std::uint64_t{0}));
  EXPECT_EQ(error_of(array.bytes()), "key x is an array of unknown type 99");
  nested.add_raw("x", 9, GgufWriter::encode(9U) + GgufWriter::encode(std::uint64_t{0}));
  EXPECT_EQ(error_of(nested.bytes()), "key x is an array of arrays, expected plain elements");
}

TEST(GgufReaderTest, RejectsNamesThatAppearTwice) {
  GgufWriter keys = small_file(), tensors = small_file();
  keys.add("n", std::uint32_t{8});
  EXPECT_EQ(error_of(keys.bytes()), "key n appears twice");
  tensors.tensors()[1].name = "a";
  EXPECT_EQ(error_of(tensors.bytes()), "tensor a appears twice");
}

TEST(GgufReaderTest, ChecksAlignment) {
  for (const std::uint32_t alignment : {0U, 1U, 3U, 24U, 1U << 31}) {
    GgufWriter writer = small_file();
    writer.add("general.alignment", alignment);
    EXPECT_EQ(error_of(writer.bytes()), "key general.alignment is " + std::to_string(alignment) +
                                            ", expected a power of two from 8 to 65536");
  }
  GgufWriter text = small_file();
  text.add("general.alignment", "32");
  EXPECT_EQ(error_of(text.bytes()), "key general.alignment is not an unsigned integer");

  GgufWriter wide;
  wide.alignment = 4096;
  wide.add("general.alignment", std::uint32_t{4096});
  const std::vector<float> values(4, 1.0F);
  wide.add_tensor("a", {4}, values).add_tensor("b", {4}, values);
  EXPECT_EQ(error_of(wide.bytes()), "");
}

TEST(GgufReaderTest, ChecksShapes) {
  const auto with_shape = [](const std::vector<std::int64_t>& shape) {
    GgufWriter writer = small_file();
    writer.tensors()[0].shape = shape;
    return error_of(writer.bytes());
  };
  EXPECT_EQ(with_shape({8, 4, 1, 1}), "");
  EXPECT_EQ(with_shape({}), "tensor a has 0 dimensions, expected 1 to 4");
  EXPECT_EQ(with_shape({2, 2, 2, 2, 2}), "tensor a has 5 dimensions, expected 1 to 4");
  EXPECT_THAT(with_shape({0, 4}), StartsWith("tensor a has 0 as dimension 0"));
  EXPECT_THAT(with_shape({-1, 4}), StartsWith("tensor a has 18446744073709551615 as dimension 0"));
  EXPECT_THAT(with_shape({1LL << 32, 1LL << 32}), StartsWith("tensor a has 4294967296 as dim"));
  EXPECT_THAT(with_shape({1 << 20, 1 << 20, 1 << 20}), StartsWith("tensor a has 1048576 as dim"));
}

TEST(GgufReaderTest, ChecksTensorTypes) {
  const auto with_type = [](std::uint32_t type) {
    GgufWriter writer = small_file();
    writer.tensors()[0].type = type;
    return error_of(writer.bytes());
  };
  EXPECT_THAT(with_type(26), StartsWith("tensor a has type I32, which this version cannot read; "
                                        "known: F32, F16, "));
  EXPECT_THAT(
      with_type(4),
      StartsWith("tensor a is MXFP4 as Ollama's first files of gpt-oss have it, which is not "
                 "read; get the model anew: "));
  EXPECT_THAT(with_type(43), StartsWith("tensor a has type 43, which this version cannot read"));
  EXPECT_THAT(with_type(0xFFFFFFFF), StartsWith("tensor a has type 4294967295, which"));
  EXPECT_EQ(with_type(12), "tensor a of type Q4_K has rows of 8, expected a multiple of 256");
  EXPECT_EQ(with_type(40), "tensor a of type NVFP4 has rows of 8, expected a multiple of 64");
}

TEST(GgufReaderTest, ChecksThePlaceOfTheData) {
  const auto with_offset = [](std::uint64_t offset) {
    GgufWriter writer = small_file();
    writer.tensors()[1].offset = offset;
    return error_of(writer.bytes());
  };
  EXPECT_EQ(with_offset(130), "tensor b starts at offset 130, expected a multiple of 32");
  EXPECT_EQ(with_offset(96), "tensors a and b overlap");
  EXPECT_EQ(with_offset(0), "tensors a and b overlap");
  EXPECT_THAT(with_offset(160), StartsWith("tensor b needs 32 bytes at offset 160, but the file "));
  EXPECT_THAT(with_offset(~std::uint64_t{31}), StartsWith("tensor b needs 32 bytes at offset 184"));
}

}  // namespace
}  // namespace confab::engine
