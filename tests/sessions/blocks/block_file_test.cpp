// SPDX-License-Identifier: MIT
#include "sessions/blocks/block_file.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "sessions/blocks/block_format.h"
#include "sessions/publish.h"
#include "tests/sessions/blocks/format_document.h"
#include "tests/sessions/blocks/kv_fixture.h"

namespace confab::sessions {
namespace {

BlockHead example_head() {
  const BlockKey root = root_key("example", 4);
  const Ids tokens{1, 2, 300};
  return {.root = root,
          .parent = root,
          .key = child_key(root, tokens),
          .index = 0,
          .block_tokens = 4,
          .tokens = tokens};
}

class BlockFileTest : public testing::Test {
 protected:
  // Writes the file with what may be wrong with it, and reads it as far as it is believed.
  BlockStatus status_of(const std::string& bytes) {
    ::unlink(path.c_str());
    write_file(path, bytes);
    ::chmod(path.c_str(), 0400);
    return BlockFile(path).status();
  }
  std::string file_bytes(const BlockHead& head, const std::vector<std::byte>& payload) {
    return std::string(reinterpret_cast<const char*>(payload.data()), payload.size()) +
           encode_trailer(head, {payload, segments_of(payload.size())});
  }

  TempDir dir;
  const std::filesystem::path path = dir / "block";
};

TEST_F(BlockFileTest, ComesBackAsItWas) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{kTestSegment} - 1,
                              std::size_t{kTestSegment}, 3 * std::size_t{kTestSegment} + 1}) {
    const auto payload = payload_of({7}, n);
    ::unlink(path.c_str());
    ASSERT_EQ(publish_file(path, payload,
                           encode_trailer(example_head(), {payload, segments_of(payload.size())})),
              0);
    const BlockFile file(path);
    ASSERT_EQ(file.status(), BlockStatus::ok);
    EXPECT_EQ(file.head(), example_head());
    EXPECT_FALSE(file.head().is_full());
    const auto block = file.map(2);
    ASSERT_TRUE(block);
    EXPECT_EQ(block->n_tokens(), 2);
    EXPECT_TRUE(std::ranges::equal(block->payload(), payload));
    EXPECT_TRUE(std::ranges::equal(file.read(2)->payload(), payload));
    EXPECT_FALSE(file.read(2)->move_to(nullptr));
  }
}

TEST_F(BlockFileTest, EveryFlippedByteAfterThePayloadIsSeen) {
  const std::string good = file_bytes(example_head(), payload_of({7}, 5000));
  ASSERT_EQ(status_of(good), BlockStatus::ok);
  for (std::size_t i = 5000; i < good.size(); ++i) {
    for (const int bit : {0, 7}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      EXPECT_EQ(status_of(bad), BlockStatus::damaged) << "byte " << i << " bit " << bit;
    }
  }
}

TEST_F(BlockFileTest, EveryFlippedPayloadByteIsSeenBeforeUse) {
  const std::string good = file_bytes(example_head(), payload_of({7}, 2 * kTestSegment + 10));
  std::mt19937 rng(23);
  for (std::size_t segment = 0; segment < 3; ++segment) {
    const std::size_t length = segment < 2 ? kTestSegment : 10;
    for (const std::size_t at : {std::size_t{0}, rng() % length, length - 1}) {
      std::string bad = good;
      bad[segment * kTestSegment + at] ^= 1;
      ASSERT_EQ(status_of(bad), BlockStatus::ok);
      EXPECT_FALSE(BlockFile(path).map(3)) << "segment " << segment << " byte " << at;
      EXPECT_FALSE(BlockFile(path).read(3)) << "segment " << segment << " byte " << at;
    }
  }
}

TEST_F(BlockFileTest, EveryTruncationIsSeen) {
  const std::string good = file_bytes(example_head(), payload_of({7}, 300));
  for (std::size_t n = 0; n < good.size(); ++n) {
    EXPECT_EQ(status_of(good.substr(0, n)), BlockStatus::damaged) << n;
  }
  EXPECT_EQ(status_of(good + "x"), BlockStatus::damaged);
  EXPECT_EQ(status_of("x" + good), BlockStatus::damaged);
}

// Wrong in itself, though every checksum is right: as a buggy or hostile writer would make it.
TEST_F(BlockFileTest, NumbersThatCannotBeAreRefused) {
  const auto payload = payload_of({7}, 100);
  const auto with = [&](auto change) {
    BlockHead head = example_head();
    change(head);
    return status_of(file_bytes(head, payload));
  };
  EXPECT_EQ(with([](BlockHead&) {}), BlockStatus::ok);
  EXPECT_EQ(with([](BlockHead& h) { h.key[0] ^= std::byte{1}; }), BlockStatus::damaged);
  EXPECT_EQ(with([](BlockHead& h) { h.parent[0] ^= std::byte{1}; }), BlockStatus::damaged);
  EXPECT_EQ(with([](BlockHead& h) { h.tokens[2] = 4; }), BlockStatus::damaged);
  EXPECT_EQ(with([](BlockHead& h) { h.block_tokens = 2; }), BlockStatus::damaged);
  const auto tokens = [](BlockHead& h, Ids ids) {
    h.key = child_key(h.parent, ids);
    h.tokens = std::move(ids);
  };
  EXPECT_EQ(with([&](BlockHead& h) { tokens(h, {1, 2, 3, 4}); }), BlockStatus::ok);
  EXPECT_EQ(with([&](BlockHead& h) { tokens(h, {1, 2, 3, 4, 5}); }), BlockStatus::damaged);
  EXPECT_EQ(with([&](BlockHead& h) { tokens(h, {}); }), BlockStatus::damaged);
  EXPECT_EQ(status_of(encode_trailer(example_head(), {})), BlockStatus::damaged);
}

TEST_F(BlockFileTest, SegmentsThatAreNotAllOfThePayloadAreRefused) {
  const auto payload = payload_of({7}, 100);
  const auto with = [&](const std::vector<std::uint64_t>& segments) {
    const auto trailer = encode_trailer(example_head(), {payload, segments});
    return status_of(std::string(reinterpret_cast<const char*>(payload.data()), 100) + trailer);
  };
  EXPECT_EQ(with({60, 40}), BlockStatus::ok);
  EXPECT_EQ(with({60, 39}), BlockStatus::damaged);
  EXPECT_EQ(with({60, 0, 40}), BlockStatus::damaged);
  EXPECT_EQ(with({}), BlockStatus::damaged);
}

TEST_F(BlockFileTest, OnlyPlainFilesOfOursCount) {
  const std::string good = file_bytes(example_head(), payload_of({7}, 100));
  EXPECT_EQ(BlockFile(path).status(), BlockStatus::missing);
  EXPECT_EQ(BlockFile(path / "below").status(), BlockStatus::missing);
  ASSERT_EQ(status_of(good), BlockStatus::ok);
  EXPECT_EQ(BlockFile(path / "below").status(), BlockStatus::missing);
  std::filesystem::create_symlink(path, dir / "link");
  EXPECT_EQ(BlockFile(dir / "link").status(), BlockStatus::damaged);
  EXPECT_EQ(BlockFile(dir.path()).status(), BlockStatus::damaged);
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(BlockFile(dir / "fifo").status(), BlockStatus::damaged);
  for (const mode_t mode : {0420u, 0402u}) {
    ::chmod(path.c_str(), mode);
    EXPECT_EQ(BlockFile(path).status(), BlockStatus::damaged);
  }
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ::chmod(path.c_str(), 0400);
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_EQ(BlockFile(path).status(), BlockStatus::damaged);
}

TEST_F(BlockFileTest, TruncationAfterOpeningIsAMissNotACrash) {
  const std::string good = file_bytes(example_head(), payload_of({7}, 100000));
  write_file(path, good);
  const BlockFile file(path);
  ASSERT_EQ(file.status(), BlockStatus::ok);
  std::filesystem::resize_file(path, 5000);
  EXPECT_FALSE(file.map(3));
  EXPECT_FALSE(file.read(3));
}

// The hex dump in FORMAT.md is this program's output.
TEST_F(BlockFileTest, TheDocumentedExampleIsReal) {
  const std::string payload = "0123456789abcdef";
  constexpr std::array<std::uint64_t, 2> kSegments{10, 6};
  const std::string bytes =
      payload + encode_trailer(example_head(), {std::as_bytes(std::span(payload)), kSegments});
  EXPECT_EQ(to_hex_dump(bytes), documented_dump("Example"));
}

}  // namespace
}  // namespace confab::sessions
