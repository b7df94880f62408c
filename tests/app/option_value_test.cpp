// SPDX-License-Identifier: MIT
#include "app/option_value.h"

#include <gtest/gtest.h>

namespace confab::app {
namespace {

using Texts = std::vector<std::string>;

struct Place {
  ChatOptions options;

  std::string put(const OptionValue& value, const std::string& text) {
    return put_value(value, options, Texts{text}, Origin::environment);
  }
};

const OptionValue kSwitch = SwitchValue{place<&ChatOptions::mouse>};
const OptionValue kContrary = SwitchValue{place<&ChatOptions::save>, true};
const OptionValue kThinking = OnOffAutoValue{place<&ChatOptions::thinking>};
const OptionValue kCount = CountValue{place<&ChatOptions::model, &ModelOptions::n_threads>, 1, 9};
const OptionValue kShare =
    ShareValue{place<&ChatOptions::model, &ModelOptions::draft, &engine::DraftOptions::p_min>};
const OptionValue kType = CacheTypeValue{place<&ChatOptions::model, &ModelOptions::type_k>};
const OptionValue kGib = GibValue{place<&ChatOptions::cache_max_bytes>};
const OptionValue kMinutes = MinutesValue{place<&ChatOptions::unload_after>};

TEST(OptionValueTest, MinutesMayBeOffAndLessThanOne) {
  Place place;
  for (const auto& [text, seconds] : {std::pair{"5", 300}, {"0.5", 30}, {"off", 0}, {"no", 0}}) {
    EXPECT_EQ(place.put(kMinutes, text), "");
    EXPECT_EQ(place.options.unload_after, std::chrono::seconds(seconds)) << text;
  }
  EXPECT_EQ(value_texts(kMinutes, place.options), std::vector<std::string>{"off"});
  for (const char* text : {"-1", "nan", "soon", "", "20000"})
    EXPECT_NE(place.put(kMinutes, text), "") << text;
  EXPECT_EQ(place.options.unload_after, std::chrono::seconds(0));
}

TEST(OptionValueTest, TruthsHaveTheWordsThatPeopleUse) {
  Place place;
  for (const char* word : {"true", "on", "yes", "1", "TRUE"}) {
    place.options.mouse = false;
    EXPECT_EQ(place.put(kSwitch, word), "");
    EXPECT_TRUE(place.options.mouse) << word;
  }
  for (const char* word : {"false", "off", "no", "0", "Off"}) {
    EXPECT_EQ(place.put(kContrary, word), "");
    EXPECT_TRUE(place.options.save) << word;
  }
  EXPECT_EQ(value_texts(kContrary, place.options), Texts{"false"});
  for (const char* word : {"", "2", "maybe", "auto"})
    EXPECT_NE(place.put(kSwitch, word), "") << word;
  EXPECT_EQ(place.put(kThinking, "off"), "");
  EXPECT_EQ(place.options.thinking, false);
  EXPECT_EQ(place.put(kThinking, "auto"), "");
  EXPECT_EQ(place.options.thinking, std::nullopt);
  EXPECT_EQ(value_texts(kThinking, place.options), Texts{"auto"});
}

TEST(OptionValueTest, WhatIsRefusedChangesNothing) {
  Place place;
  EXPECT_EQ(place.put(kCount, "3"), "");
  for (const char* text : {"0", "10", "3.0", "3x", " 3", "", "99999999999"})
    EXPECT_EQ(place.put(kCount, text),
              std::string("must be a whole number from 1 to 9, not ") + text);
  EXPECT_EQ(place.options.model.n_threads, 3);
  EXPECT_EQ(place.put(kShare, "0.25"), "");
  for (const char* text : {"-0.1", "1.1", "nan", "inf", "0,5", ".", "0.5 "})
    EXPECT_NE(place.put(kShare, text), "") << text;
  EXPECT_EQ(place.options.model.draft.p_min, 0.25F);
  EXPECT_EQ(place.put(kType, "q3").find("must be one of f32, f16, bf16, q8_0"), 0U);
  EXPECT_EQ(place.options.model.type_k, std::nullopt);
}

TEST(OptionValueTest, ValuesComeBackAsTheyAreTyped) {
  Place place;
  EXPECT_EQ(place.put(kType, "Q8_0"), "");
  EXPECT_EQ(value_texts(kType, place.options), Texts{"q8_0"});
  EXPECT_EQ(place.put(kGib, "1.5"), "");
  EXPECT_EQ(place.options.cache_max_bytes, std::uint64_t{3} << 29);
  EXPECT_EQ(value_texts(kGib, place.options), Texts{"1.5"});
  EXPECT_EQ(place.put(kShare, "0.1"), "");
  EXPECT_EQ(value_texts(kShare, place.options), Texts{"0.1"});
}

TEST(OptionValueTest, AnOverflowHasAWordInBothSpellings) {
  const OptionValue overflow = OverflowValue{place<&ChatOptions::overflow>};
  Place place;
  EXPECT_TRUE(value_texts(overflow, place.options).empty());
  for (const std::string& word : choices_of(overflow)) {
    EXPECT_EQ(place.put(overflow, word), "");
    EXPECT_EQ(value_texts(overflow, place.options), Texts{word});
  }
  EXPECT_EQ(place.put(overflow, "Summarize"), "");
  EXPECT_EQ(value_texts(overflow, place.options), Texts{"summarise"});
  EXPECT_EQ(place.put(overflow, "cut"),
            "must be error, split, truncate, shift, summarise or stop, not cut");
  EXPECT_EQ(place.options.overflow, Overflow::summarise);
  EXPECT_EQ(notation_of(overflow), Notation::text);
}

}  // namespace
}  // namespace confab::app
