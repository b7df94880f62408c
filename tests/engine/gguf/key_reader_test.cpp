// SPDX-License-Identifier: MIT
#include "engine/gguf/key_reader.h"

#include <gmock/gmock.h>

#include "engine/gguf/gguf.h"
#include "tests/engine/error_of.h"

#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

class KeyReaderTest : public testing::Test {
 protected:
  // What f gives for a file with the keys written so far, or the error without the file's name.
  template <typename F>
  auto read(const F& f) {
    writer_.write(folder_ / "m.gguf");
    const Gguf gguf(folder_ / "m.gguf");
    return f(KeyReader(gguf, "llama"));
  }
  template <typename F>
  std::string error(const F& f) {
    return error_of([&] { read(f); }).substr(std::string(folder_ / "m.gguf").size() + 2);
  }

  TemporaryFolder folder_;
  GgufWriter writer_;
};

TEST_F(KeyReaderTest, CountsHaveARange) {
  writer_.add("llama.n", 7U).add("llama.zero", 0U).add("other.m", 3U);
  EXPECT_EQ(read([](const KeyReader& keys) { return keys.count("n", 7); }), 7);
  EXPECT_EQ(read([](const KeyReader& keys) { return keys.count_or("m", 7, 5); }), 5);
  EXPECT_EQ(read([](const KeyReader& keys) { return keys.natural_or("zero", 7, 5); }), 0);
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.count("n", 6); }),
            "key llama.n is 7, expected 1 to 6");
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.count("zero", 6); }),
            "key llama.zero is 0, expected 1 to 6");
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.count("m", 6); }),
            "key llama.m is missing");
}

TEST_F(KeyReaderTest, OneValueStandsForAllLayers) {
  writer_.add("llama.one", 7U).add_array("llama.all", std::vector<std::uint32_t>{1, 2, 3});
  EXPECT_THAT(read([](const KeyReader& keys) { return keys.counts("one", 3, 9); }),
              ElementsAre(7, 7, 7));
  EXPECT_THAT(read([](const KeyReader& keys) { return keys.counts("all", 3, 9); }),
              ElementsAre(1, 2, 3));
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.counts("all", 4, 9); }),
            "key llama.all is an array of 3, expected 4 values");
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.counts("all", 3, 2); }),
            "key llama.all is 3, expected 1 to 2");
  writer_.add_array("llama.floats", std::vector<float>{1, 2, 3});
  EXPECT_THAT(error([](const KeyReader& keys) { return keys.counts("floats", 3, 9); }),
              EndsWith("expected an integer"));
}

TEST_F(KeyReaderTest, NumbersAreFiniteAndWhatIsMissingHasADefault) {
  writer_.add("llama.minus", -2.0F).add("llama.inf", std::numeric_limits<double>::infinity());
  writer_.add("llama.flag", true);
  EXPECT_EQ(read([](const KeyReader& keys) { return keys.finite_or("minus", 1); }), -2.0F);
  EXPECT_EQ(read([](const KeyReader& keys) { return keys.positive_or("none", 0); }), 0.0F);
  EXPECT_TRUE(read([](const KeyReader& keys) { return keys.flag_or("flag", false); }));
  EXPECT_TRUE(read([](const KeyReader& keys) { return keys.flag_or("none", true); }));
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.positive_or("minus", 1); }),
            "key llama.minus is -2, expected a positive number");
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.finite_or("inf", 1); }),
            "key llama.inf is inf, expected a finite number");
  EXPECT_EQ(error([](const KeyReader& keys) { return keys.positive("none"); }),
            "key llama.none is missing");
}

TEST_F(KeyReaderTest, WindowsFollowAPeriodOrAList) {
  const auto pattern = [](const KeyReader& keys) { return keys.window_pattern(5, 3); };
  EXPECT_THAT(read(pattern), ElementsAre(true, true, false, true, true));
  writer_.add("llama.attention.sliding_window_pattern", 2U);
  EXPECT_THAT(read(pattern), ElementsAre(true, false, true, false, true));
  writer_.remove("llama.attention.sliding_window_pattern");
  writer_.add_array("llama.attention.sliding_window_pattern",
                    std::vector<bool>{false, false, true, true, false});
  EXPECT_THAT(read(pattern), ElementsAre(false, false, true, true, false));
  EXPECT_THAT(error([](const KeyReader& keys) { return keys.window_pattern(6, 3); }),
              EndsWith("is an array of 5, expected 6 values"));
}

}  // namespace
}  // namespace confab::engine
