// SPDX-License-Identifier: MIT
// Every number format against values that a trusted implementation gave: one block of each in
// tests/data, and the golden folder's. tests/data/number_formats.json has blocks of random bits
// with moderate scales, and what dequantize_row_* of llama.cpp (3f545bec) makes of them.
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "kernels/block.h"
#include "tests/kernels/testing.h"

namespace confab::kernels {
namespace {

using nlohmann::json;
using std::filesystem::path;

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

json read_json(const path& file) {
  return json::parse(std::ifstream(file));
}

class RowsFidelityTest : public testing::EveryTable {
 protected:
  // All are equal to the bit: README of the golden data asks for 1e-6.
  void expect_values(const DtypeInfo& type, const std::vector<std::byte>& blocks,
                     const std::vector<float>& want, const std::string& what) const {
    const auto n = static_cast<std::int64_t>(want.size());
    ASSERT_EQ(n % type.block, 0) << what;
    ASSERT_EQ(blocks.size(), row_bytes(type.dtype, n)) << what;
    ASSERT_GT(n, 0) << what;
    std::vector<float> got(want.size(), NAN);
    table().decode_row(type.dtype, blocks.data(), n, got.data());
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(got[i], want[i]) << what << " " << i;
  }
};
INSTANTIATE_TEST_SUITE_P(Isa, RowsFidelityTest, ::testing::ValuesIn(usable_kernel_tables()),
                         testing::table_name);

TEST_P(RowsFidelityTest, DecodesOneBlockOfEveryType) {
  std::set<std::string_view> covered{"F32"};
  for (const json& entry : read_json(CONFAB_SOURCE_DIR "/tests/data/number_formats.json")) {
    const auto name = entry.at("type").get<std::string>();
    const DtypeInfo* type = find_dtype(name);
    ASSERT_NE(type, nullptr) << name;
    expect_values(*type, from_hex(entry.at("block").get<std::string>()),
                  entry.at("values").get<std::vector<float>>(), name);
    covered.insert(type->name);
  }
  for (const DtypeInfo* type : testing::all_dtypes()) {
    EXPECT_TRUE(covered.count(type->name) == 1) << type->name << " has no vector";
  }
}

TEST_P(RowsFidelityTest, DecodesTheGoldenBlocksOfEveryType) {
  const path folder = testing::fixtures() / "quant/types";
  if (!exists(folder)) GTEST_SKIP() << "no golden data in " << folder;
  std::set<std::string> covered{"index.json"};
  for (const json& entry : read_json(folder / "index.json")) {
    const auto file = [&](const char* key) {
      const auto name = entry.at(key).get<std::string>();
      covered.insert(name);
      return folder / name;
    };
    const auto name = entry.at("type").get<std::string>();
    const DtypeInfo* type = find_dtype(entry.at("ggml_type").get<std::uint32_t>());
    ASSERT_NE(type, nullptr) << name << " is not known";
    EXPECT_EQ(find_dtype(name), type) << name;
    const bool plain = entry.contains("ggml_block");
    EXPECT_EQ(type->block, entry.at(plain ? "ggml_block" : "block").get<std::int64_t>()) << name;
    const auto values = testing::read_npy(file("deq"));
    expect_values(*type, testing::read_bytes(file("blocks")), values, name);
    EXPECT_NEAR(
        testing::nmse(values, testing::read_npy(file("src"))) / entry.at("nmse").get<double>(), 1,
        1e-3)
        << name;
    if (entry.contains("rand_blocks")) {
      expect_values(*type, testing::read_bytes(file("rand_blocks")),
                    testing::read_npy(file("rand_deq")), name + " of random bits");
    }
  }
  for (const auto& item : std::filesystem::directory_iterator(folder)) {
    EXPECT_TRUE(covered.count(item.path().filename().string()) == 1) << item.path() << " not used";
  }
}

}  // namespace
}  // namespace confab::kernels
