// SPDX-License-Identifier: MIT
#include "engine/hub/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace confab::engine {
namespace {

std::string sum(std::string_view text, Sha256With with = Sha256With::best) {
  Sha256 sha256(with);
  sha256.add(std::as_bytes(std::span(text)));
  return sha256.finish();
}

// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
TEST(Sha256Test, GivesTheSumsOfTheStandardsExamples) {
  EXPECT_EQ(sum("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sum(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sum(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, IsTheSameWithoutTheProcessorsInstructions) {
  std::mt19937 rng(20260900);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(rng());
    EXPECT_EQ(sum(text), sum(text, Sha256With::portable)) << size;
  }
}

TEST(Sha256Test, DoesNotDependOnHowTheBytesAreCut) {
  std::mt19937 rng(20260901);
  for (std::size_t size = 0; size < 300; ++size) {
    const std::string text(size, 'x');
    Sha256 cut;
    for (std::size_t at = 0; at < size;) {
      const std::size_t n = std::min<std::size_t>(1 + rng() % 100, size - at);
      cut.add(std::as_bytes(std::span(text).subspan(at, n)));
      at += n;
    }
    EXPECT_EQ(cut.finish(), sum(text)) << size;
  }
}

TEST(Sha256Test, KnowsASumFromOtherTexts) {
  EXPECT_TRUE(is_sha256(sum("a")));
  EXPECT_FALSE(is_sha256(sum("a").substr(1)));
  EXPECT_FALSE(is_sha256("../../../../../../../../../../../../../../../../../../../../etc/pass"));
  EXPECT_FALSE(is_sha256(std::string(64, 'A')));
}

}  // namespace
}  // namespace confab::engine
