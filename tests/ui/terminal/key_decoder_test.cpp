// SPDX-License-Identifier: MIT
#include "ui/terminal/key_decoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <variant>
#include <vector>

#include "ui/terminal/key_codes.h"
#include "ui/terminal/terminal_facts.h"

namespace confab::ui {
namespace {

using Code = Key::Code;
using std::chrono::milliseconds;

const KeyDecoder::Clock::time_point kStart{};

std::vector<Event> decode(std::string_view bytes) {
  KeyDecoder decoder;
  std::vector<Event> events = decoder.feed(bytes, kStart);
  for (Event& event : decoder.expire(kStart + KeyDecoder::kIdleTimeout)) events.push_back(event);
  return events;
}

Key text(char c) {
  return {.character = static_cast<char32_t>(c), .bytes = std::string(1, c)};
}

Key only_key(std::string_view bytes) {
  const std::vector<Event> events = decode(bytes);
  EXPECT_EQ(events.size(), 1u) << testing::PrintToString(std::string(bytes));
  if (events.size() != 1 || !std::holds_alternative<Key>(events[0])) return {};
  return std::get<Key>(events[0]);
}

TEST(KeyDecoderTest, ReadsCharactersOfOneToFourBytes) {
  EXPECT_EQ(only_key("a"), (Key{.character = U'a', .bytes = "a"}));
  EXPECT_EQ(only_key("é"), (Key{.character = U'é', .bytes = "é"}));
  EXPECT_EQ(only_key("界"), (Key{.character = U'界', .bytes = "界"}));
  EXPECT_EQ(only_key("😀"), (Key{.character = U'😀', .bytes = "😀"}));
}

TEST(KeyDecoderTest, ReplacesWhatIsNoUtf8) {
  const std::string_view bad[] = {"\x80",     "\xff",         "\xc0",    "\xf5",
                                  "\xe7\x95", "\xed\xa0\x80", "\xc2\x9b"};
  for (const std::string_view bytes : bad)
    for (const Event& event : decode(bytes))
      EXPECT_EQ(std::get<Key>(event).bytes, "\xef\xbf\xbd") << testing::PrintToString(bytes);
}

TEST(KeyDecoderTest, NamesControlKeys) {
  EXPECT_EQ(only_key("\x03"), (Key{.character = U'c', .ctrl = true, .bytes = "\x03"}));
  EXPECT_EQ(only_key("\n"), (Key{.character = U'j', .ctrl = true, .bytes = "\n"}));
  EXPECT_EQ(only_key("\x1f"), (Key{.character = U'_', .ctrl = true, .bytes = "\x1f"}));
  EXPECT_EQ(only_key("\r").code, Code::enter);
  EXPECT_EQ(only_key("\t").code, Code::tab);
  EXPECT_EQ(only_key("\x7f").code, Code::backspace);
}

struct Sequence {
  std::string_view bytes;
  Code code;
  bool ctrl = false;
  bool alt = false;
  bool shift = false;
};

TEST(KeyDecoderTest, NamesTheSequencesOfXtermAndItsKin) {
  const Sequence sequences[] = {
      {"\x1b[A", Code::up},
      {"\x1bOB", Code::down},
      {"\x1b[1;5C", Code::right, true},
      {"\x1b[1;3D", Code::left, false, true},
      {"\x1b[1;2A", Code::up, false, false, true},
      {"\x1b[H", Code::home},
      {"\x1b[1;5H", Code::home, true},
      {"\x1b[7~", Code::home},
      {"\x1b[4~", Code::end},
      {"\x1b[1;5F", Code::end, true},
      {"\x1b[5~", Code::page_up},
      {"\x1b[6;5~", Code::page_down, true},
      {"\x1b[6^", Code::page_down, true},
      {"\x1b[2~", Code::insert},
      {"\x1b[3~", Code::del},
      {"\x1bOP", Code::f1},
      {"\x1b[15~", static_cast<Code>(static_cast<int>(Code::f1) + 4)},
      {"\x1b[24~", Code::f12},
      {"\x1b[[A", Code::f1},
      {"\x1b[Z", Code::tab, false, false, true},
      {"\x1b[999~", Code::unknown},
  };
  for (const Sequence& sequence : sequences) {
    const Key key = only_key(sequence.bytes);
    EXPECT_EQ(key, (Key{.code = sequence.code,
                        .ctrl = sequence.ctrl,
                        .alt = sequence.alt,
                        .shift = sequence.shift,
                        .bytes = std::string(sequence.bytes)}))
        << testing::PrintToString(sequence.bytes);
  }
}

TEST(KeyDecoderTest, ReportedKeysCarryTheBytesOfPlainTerminals) {
  EXPECT_EQ(only_key("\x1b[99;5u"), (Key{.character = U'c', .ctrl = true, .bytes = "\x03"}));
  EXPECT_EQ(only_key("\x1b[27;3;102~"), (Key{.character = U'f',
                                             .alt = true,
                                             .bytes = "\x1b"
                                                      "f"}));
  EXPECT_EQ(only_key("\x1b[13;2u"), (Key{.code = Code::enter, .shift = true, .bytes = "\r"}));
  EXPECT_EQ(only_key("\x1b[13;3u"), (Key{.code = Code::enter, .alt = true, .bytes = "\x1b\r"}));
}

TEST(KeyDecoderTest, AnEscapeAloneIsTheEscapeKeyAfterItsTime) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b", kStart).empty());
  ASSERT_EQ(decoder.deadline(), kStart + KeyDecoder::kEscapeTimeout);
  EXPECT_TRUE(decoder.expire(kStart + KeyDecoder::kEscapeTimeout - milliseconds{1}).empty());
  const auto events = decoder.expire(kStart + KeyDecoder::kEscapeTimeout);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Key>(events[0]).code, Code::escape);
  EXPECT_EQ(decoder.deadline(), std::nullopt);
}

TEST(KeyDecoderTest, AnEscapeInFrontOfACharacterIsAlt) {
  EXPECT_EQ(only_key("\x1b\r"), (Key{.code = Code::enter, .alt = true, .bytes = "\x1b\r"}));
  EXPECT_EQ(only_key("\x1bé"), text_key(U'é')) << "which readline would take half of";
  EXPECT_EQ(only_key("\x1b["), (Key{.character = U'[', .alt = true, .bytes = "\x1b["}));
  const auto twice = decode("\x1b\x1b");
  ASSERT_EQ(twice.size(), 2u);
  EXPECT_EQ(std::get<Key>(twice[0]).code, Code::escape);
  EXPECT_EQ(std::get<Key>(twice[1]).code, Code::escape);
}

TEST(KeyDecoderTest, APasteIsOnePieceWithItsControlCharacters) {
  const auto events = decode("a\x1b[200~one\rtwo\x1b[A\x03\x1b[201~b");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(std::get<Paste>(events[1]).text, "one\rtwo\x1b[A\x03");
}

TEST(KeyDecoderTest, AnEndMarkerInsideAPasteDoesNotEndIt) {
  const auto events =
      decode("\x1b[200~rm\x1b[201~\r\x1b[20\x1b[201~1~x\x1b[201~\x1b[200~2\x1b[201~y");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(std::get<Paste>(events[0]).text, "rm\rx");
  EXPECT_EQ(std::get<Paste>(events[1]).text, "2");
  EXPECT_EQ(std::get<Key>(events[2]).bytes, "y");
}

TEST(KeyDecoderTest, AnEndMarkerInsideAPasteDoesNotEndItAlsoInAnotherRead) {
  KeyDecoder decoder;
  const auto later = kStart + KeyDecoder::kPasteEndTime / 2;
  EXPECT_TRUE(decoder.feed("\x1b[200~rm\x1b[201~\r", kStart).empty());
  EXPECT_TRUE(decoder.feed("/quit\r\x1b[2", later).empty());
  EXPECT_TRUE(decoder.feed("01~\r", later).empty());
  ASSERT_EQ(decoder.deadline(), later + KeyDecoder::kPasteEndTime);
  const auto events = decoder.expire(*decoder.deadline());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(std::get<Paste>(events[0]).text, "rm\r/quit\r");
  EXPECT_EQ(std::get<Key>(events[1]).code, Code::enter) << "was typed behind it";
}

TEST(KeyDecoderTest, APasteLastsThroughAPauseOfSeconds) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b[200~one\rtwo\r", kStart).empty());
  const auto later = kStart + milliseconds{3000};
  EXPECT_TRUE(decoder.expire(later).empty());
  EXPECT_TRUE(decoder.feed("three\r\x1b[201~", later).empty());
  const auto events = decoder.expire(later + KeyDecoder::kPasteEndTime);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Paste>(events[0]).text, "one\rtwo\rthree\r");
}

TEST(KeyDecoderTest, ControlCEndsAPasteThatIsNeverClosed) {
  for (const char* interrupt : {"\x03", "\x1b[99;5u"}) {
    KeyDecoder decoder;
    decoder.feed("\x1b[200~text", kStart);
    const auto events = decoder.feed(interrupt, kStart + KeyDecoder::kIdleTimeout);
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(std::get<Paste>(events[0]).text, "text");
    EXPECT_EQ(std::get<Key>(events[1]).bytes, "\x03");
  }
}

TEST(KeyDecoderTest, AnUnclosedPasteEndsWhenNothingComes) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b[200~text\x1b[20", kStart).empty());
  ASSERT_EQ(decoder.deadline(), kStart + KeyDecoder::kPasteTimeout);
  const auto events = decoder.expire(kStart + KeyDecoder::kPasteTimeout);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<Paste>(events[0]).text, "text\x1b[20");
  EXPECT_EQ(std::get<Key>(decoder.feed("k", kStart).at(0)).bytes, "k");
}

TEST(KeyDecoderTest, APasteIsCappedAndWhatFollowsItIsRead) {
  KeyDecoder decoder;
  decoder.feed("\x1b[200~", kStart);
  const std::string chunk(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 10; ++i) decoder.feed(chunk, kStart);
  EXPECT_TRUE(decoder.feed("\x1b[201~k", kStart).empty());
  const auto events = decoder.expire(kStart + KeyDecoder::kPasteEndTime);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(std::get<Paste>(events[0]).text.size(), KeyDecoder::kMaxPasteBytes);
  EXPECT_EQ(std::get<Key>(events[1]).bytes, "k");
}

TEST(KeyDecoderTest, AnswersOfTheTerminalAreNoKeys) {
  using Kind = TerminalReply::Kind;
  const TerminalReply light{.kind = Kind::background, .text = "rgb:ff/ff/ff"};
  EXPECT_EQ(decode("a\x1b]11;rgb:ff/ff/ff\x1b\\b"),
            (std::vector<Event>{text('a'), light, text('b')}));
  EXPECT_EQ(decode("\x1b]11;rgb:ff/ff/ff\a"), std::vector<Event>{light});
  EXPECT_EQ(decode("\x1bP>|foot\x1b\\\x1b[?62c"),
            (std::vector<Event>{TerminalReply{.kind = Kind::name, .text = "foot"},
                                TerminalReply{.kind = Kind::attributes}}));
  EXPECT_EQ(decode("\x1b[?31;1n\x1b[<35;4;5M\x1b[>0;1c"), std::vector<Event>{});
}

TEST(KeyDecoderTest, AnAnswerThatNeverEndsIsDropped) {
  EXPECT_EQ(decode("\x1b]11;rgb:ff"), std::vector<Event>{});
  EXPECT_EQ(decode("\x1b]11;rgb:ff\x1b"), std::vector<Event>{});
  EXPECT_EQ(decode("\x1b]11;" + std::string(kMaxReplyBytes, 'x')), std::vector<Event>{});
  EXPECT_EQ(decode("\x1b]11;x\x1b[A").size(), 2u) << "the key after it is kept";
}

TEST(KeyDecoderTest, AltBracketIsAKeyWhenNoAnswerFollows) {
  EXPECT_EQ(only_key("\x1b]"), (Key{.character = U']', .alt = true, .bytes = "\x1b]"}));
  EXPECT_EQ(only_key("\x1bP"), (Key{.character = U'P', .alt = true, .bytes = "\x1bP"}));
  EXPECT_EQ(decode("\x1b]1x").size(), 3u);
}

TEST(KeyDecoderTest, WhileAnswersAreExpectedAnEscapeWaitsLonger) {
  KeyDecoder decoder;
  decoder.expect_replies(kStart);
  decoder.feed("\x1b]", kStart);
  EXPECT_EQ(decoder.deadline(), kStart + KeyDecoder::kIdleTimeout);
  const auto later = kStart + KeyDecoder::kReplyTime;
  EXPECT_EQ(decoder.feed("11;rgb:0/0/0\a", kStart).size(), 1u);
  decoder.feed("\x1b", later);
  EXPECT_EQ(decoder.deadline(), later + KeyDecoder::kEscapeTimeout);
}

TEST(KeyDecoderTest, TheCutsDoNotMatter) {
  const std::string text =
      "aé界😀\x1b[1;5C\x1bOH\r\x1b[200~p\xff\x1b[\nq\x1b[201~\x1b\r\x1b[[Bz\x1b[13;3u"
      "\x1b]11;rgb:0/0/0\x1b\\\x1bP>|x\x1b\\\x1b[I";
  const std::vector<Event> whole = decode(text);
  ASSERT_EQ(whole.size(), 15u);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    KeyDecoder decoder;
    std::vector<Event> events = decoder.feed(std::string_view(text).substr(0, cut), kStart);
    for (Event& event : decoder.feed(std::string_view(text).substr(cut), kStart))
      events.push_back(event);
    for (Event& event : decoder.expire(kStart + KeyDecoder::kPasteEndTime)) events.push_back(event);
    EXPECT_EQ(events, whole) << cut;
  }
}

TEST(KeyDecoderTest, RandomBytesNeitherHangNorStay) {
  std::mt19937 rng(20261121);
  const std::string_view alphabet =
      "\x1b\x1b[[O0;~12ABu]P>|\\\a?c\x80\xe2\r"
      "a";
  for (int round = 0; round < 2000; ++round) {
    KeyDecoder decoder;
    std::string bytes;
    for (int i = 0; i < 100; ++i) bytes += alphabet[rng() % alphabet.size()];
    decoder.feed(bytes, kStart);
    auto now = kStart;
    while (const auto due = decoder.deadline()) {
      ASSERT_GT(*due, now) << "round " << round;
      now = *due;
      decoder.expire(now);
      ASSERT_LT(now - kStart, 2 * KeyDecoder::kPasteTimeout) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace confab::ui
