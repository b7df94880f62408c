// SPDX-License-Identifier: MIT
#include "app/pull/pulled_record.h"

#include <gtest/gtest.h>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

class PulledRecordTest : public ::testing::Test {
 protected:
  static PulledFile file(const std::string& path) {
    return {"/hub", "org/name", "c0", path, std::string(64, 'a'), 7};
  }
  TempDir dir_;
  PulledRecord record_{dir_ / "data/pulled.jsonl"};
};

using Files = std::vector<PulledFile>;

TEST_F(PulledRecordTest, RemembersWhatWasPulled) {
  EXPECT_EQ(record_.list(), Files{});
  record_.add(file("a.gguf"));
  record_.add(file("b.gguf"));
  record_.add(file("a.gguf"));
  EXPECT_EQ(record_.list(), (Files{file("a.gguf"), file("b.gguf")}));
  record_.remove(file("a.gguf"));
  EXPECT_EQ(record_.list(), Files{file("b.gguf")});
}

TEST_F(PulledRecordTest, LinesThatCouldLeadElsewhereAreNone) {
  for (const auto& [field, odd] :
       {std::pair{"\"a.gguf\"", "\"../../a\""}, std::pair{"\"c0\"", "\"..\""},
        std::pair{"\"c0\"", "\"a/b\""}, std::pair{"\"org/name\"", "\"../..\""},
        std::pair{"\"/hub\"", "\"hub\""}, std::pair{"aaaa", "/../"}, std::pair{"{", "["}}) {
    record_.add(file("a.gguf"));
    std::string text = read_file(dir_ / "data/pulled.jsonl");
    text.replace(text.find(field), std::string(field).size(), odd);
    write_file(dir_ / "data/pulled.jsonl", text);
    EXPECT_EQ(record_.list(), Files{}) << text;
  }
}

}  // namespace
}  // namespace confab::app
