// SPDX-License-Identifier: MIT
#include "app/tools/cache_command.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

namespace confab::app {
namespace {

using nlohmann::json;

class CacheListTest : public ::testing::Test {
 protected:
  CacheListTest() {
    setenv("TZ", "UTC", 1);
    tzset();
    listing.directory = "/cache/kv";
    listing.max_bytes = std::uint64_t{8} << 30;
    listing.free_bytes = std::uint64_t{5} << 40;
    listing.report.totals = {.n_files = 2,
                             .bytes = 3 << 20,
                             .n_hits = 1,
                             .n_misses = 1,
                             .tokens_wanted = 12345,
                             .tokens_found = 1234,
                             .bytes_mapped = 2048,
                             .bytes_copied = 12};
    listing.report.conversations = {
        {.origin = 7,
         .blocks = {.n_blocks = 2, .tokens = 300, .bytes = 3 << 20},
         .own_bytes = 1 << 20,
         .uses = {.n_hits = 1, .n_misses = 4, .tokens_found = 1234, .last = kTime}}};
    listing.report.loose = {{.root = key(0xaa),
                             .first = key(0xbb),
                             .blocks = {.n_blocks = 1, .tokens = 40, .bytes = 1000},
                             .uses = {}}};
    listing.report.chains = {
        {.root = key(0xaa),
         .first = key(0xbb),
         .last = key(0xcc),
         .n_forks = 0,
         .blocks = {.n_blocks = 3, .tokens = 768, .bytes = 5000},
         .uses = {.n_hits = 9, .n_misses = 0, .tokens_found = 9, .last = kTime}},
        {.root = key(0xaa),
         .first = key(0xdd),
         .last = key(0xdd),
         .n_forks = 1,
         .blocks = {.n_blocks = 1, .tokens = 10, .bytes = 70},
         .uses = {}}};
  }
  static sessions::BlockKey key(unsigned char byte) {
    sessions::BlockKey out;
    out.fill(std::byte{byte});
    return out;
  }

  static constexpr std::chrono::milliseconds kTime{1'700'000'000'123};
  CacheListing listing;
};

TEST_F(CacheListTest, ConversationsAndOthersAreListed) {
  listing.titles = {{7, "Prime\n\x1b[31mnumbers"}};
  EXPECT_EQ(
      describe_cache(listing),
      "/cache/kv: 2 blocks, 3.0 MiB of at most 8.0 GiB; 5.0 TiB free on disk\n"
      "1 hit, 1 miss; 1,234 of 12,345 requested tokens found; 2.0 KiB mapped, 12 B copied\n"
      "\n"
      "    tokens        size         own    hits      reused  last used         conversation\n"
      "       300     3.0 MiB     1.0 MiB       1       1,234  2023-11-14 22:13  7  Prime "
      "␛[31mnumbers\n"
      "\n"
      "    tokens        size                hits      reused  last used         without "
      "a conversation, by first block\n"
      "        40      1000 B                   0           0                    bbbbbbbb\n");
}

TEST_F(CacheListTest, LongTitlesAreCutAndMissingOnesEmpty) {
  listing.titles = {{7, std::string(500, 'x')}};
  EXPECT_THAT(describe_cache(listing), testing::HasSubstr("7  " + std::string(59, 'x') + "…\n"));
  listing.titles.clear();
  EXPECT_THAT(describe_cache(listing), testing::HasSubstr("  7  \n"));
}

TEST_F(CacheListTest, AnEmptyCacheHasNoTables) {
  listing.report = {};
  EXPECT_EQ(describe_cache(listing),
            "/cache/kv: 0 blocks, 0 B of at most 8.0 GiB; 5.0 TiB free on disk\n"
            "0 hits, 0 misses; 0 of 0 requested tokens found; 0 B mapped, 0 B copied\n");
  EXPECT_EQ(describe_prefixes(listing), describe_cache(listing));
}

TEST_F(CacheListTest, PrefixesAreIndentedWhereTheyFork) {
  EXPECT_THAT(
      describe_prefixes(listing),
      testing::HasSubstr(
          "\n\n"
          "    tokens        size    hits  last used         model and blocks\n"
          "       768     4.9 KiB       9  2023-11-14 22:13  aaaaaaaa  bbbbbbbb to cccccccc\n"
          "        10        70 B       0                              \\ dddddddd\n"));
}

TEST_F(CacheListTest, JsonHasEverything) {
  listing.titles = {{7, "a\xff"}};  // not UTF-8
  const json all = json::parse(cache_as_json(listing));
  EXPECT_EQ(all.at("directory"), "/cache/kv");
  EXPECT_EQ(all.at("max_bytes"), std::uint64_t{8} << 30);
  EXPECT_EQ(all.at("free_bytes"), std::uint64_t{5} << 40);
  EXPECT_EQ(all.at("files"), 2);
  EXPECT_EQ(all.at("hits"), 1);
  EXPECT_EQ(all.at("conversations"), json::parse(R"([{"id": 7, "title": "a\ufffd", "blocks": 2,
      "tokens": 300, "bytes": 3145728, "hits": 1, "tokens_found": 1234,
      "last_used_ms": 1700000000123, "own_bytes": 1048576, "misses": 4}])"));
  EXPECT_EQ(all.at("loose").at(0).at("first"), std::string("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"));
  EXPECT_EQ(all.at("loose").at(0).at("tokens"), 40);
  EXPECT_EQ(all.at("prefixes").size(), 2U);
  EXPECT_EQ(all.at("prefixes").at(1).at("forks_before"), 1);
}

}  // namespace
}  // namespace confab::app
