// SPDX-License-Identifier: MIT
// What terminals send for their keys, as they were seen to: xterm, kitty, urxvt, st, VTE, Konsole,
// Alacritty, mlterm and foot, in the modes that they are asked for.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "ui/input/keymap.h"
#include "ui/terminal/key_codes.h"
#include "ui/terminal/key_decoder.h"

namespace confab::ui {
namespace {

using Code = Key::Code;

const KeyDecoder::Clock::time_point kStart{};

struct TerminalKey {
  std::string_view bytes;
  std::string_view name;  // as key_name() spells it
  KeyDialect dialect = KeyDialect::usual;
};

const TerminalKey kKeys[] = {
    {"a", "a"},
    {"\x1b[27;2;65~", "A"},
    {"\x0d", "Enter"},
    {"\x1b[27;2;13~", "Shift+Enter"},
    {"\x1b[27;5;13~", "Ctrl+Enter"},
    {"\x1b[27;5;106~", "Ctrl+J"},
    {"\x1b", "Esc"},
    {"\x09", "Tab"},
    {"\x1b[Z", "Shift+Tab"},
    {"\x7f", "Backspace"},
    {"\x08", "Ctrl+H"},
    {"\x1b[27;3;127~", "Alt+Backspace"},
    {"\x1b[3~", "Delete"},
    {"\x1b[3;5~", "Ctrl+Delete"},
    {"\x1b[3;2~", "Shift+Delete"},
    {"\x1b[3;3~", "Alt+Delete"},
    {"\x1b[2~", "Insert"},
    {"\x1b[H", "Home"},
    {"\x1b[F", "End"},
    {"\x1b[1;5H", "Ctrl+Home"},
    {"\x1b[1;5F", "Ctrl+End"},
    {"\x1b[1;2H", "Shift+Home"},
    {"\x1b[1;2F", "Shift+End"},
    {"\x1b[5~", "PgUp"},
    {"\x1b[6~", "PgDn"},
    {"\x1b[A", "Up"},
    {"\x1b[B", "Down"},
    {"\x1b[D", "Left"},
    {"\x1b[C", "Right"},
    {"\x1b[1;2A", "Shift+Up"},
    {"\x1b[1;2B", "Shift+Down"},
    {"\x1b[1;2D", "Shift+Left"},
    {"\x1b[1;2C", "Shift+Right"},
    {"\x1b[1;5A", "Ctrl+Up"},
    {"\x1b[1;5B", "Ctrl+Down"},
    {"\x1b[1;5D", "Ctrl+Left"},
    {"\x1b[1;5C", "Ctrl+Right"},
    {"\x1b[1;3A", "Alt+Up"},
    {"\x1b[1;3D", "Alt+Left"},
    {"\x1b[1;3C", "Alt+Right"},
    {"\x1b[1;6D", "Ctrl+Shift+Left"},
    {"\x1b[27;3;98~", "Alt+B"},
    {"\x1b[27;3;102~", "Alt+F"},
    {"\x1b[27;3;109~", "Alt+M"},
    {"\x1b[27;5;97~", "Ctrl+A"},
    {"\x1b[27;5;99~", "Ctrl+C"},
    {"\x1b[27;5;100~", "Ctrl+D"},
    {"\x1b[27;5;119~", "Ctrl+W"},
    {"\x1b[27;5;104~", "Ctrl+H"},
    {"\x1b[27;5;105~", "Tab"},
    {"\x1b[27;5;109~", "Enter"},
    {"\x1b[27;5;32~", "Ctrl+@"},
    {"\x1b[27;5;47~", "Ctrl+/"},
    {"\x1b[27;6;95~", "Ctrl+_"},
    {"\x1b[27;5;49~", "Ctrl+1"},
    {"\x1b[27;5;50~", "Ctrl+2"},
    {"\x1b[27;2;32~", "Space"},
    {"\x1bOP", "F1"},
    {"\x1b[15~", "F5"},
    {"A", "A"},
    {"\x1b[13;2u", "Shift+Enter"},
    {"\x1b[13;5u", "Ctrl+Enter"},
    {"\x1b[13;3u", "Alt+Enter"},
    {"\x1b[106;5u", "Ctrl+J"},
    {"\x1b[27u", "Esc"},
    {"\x1b[9;2u", "Shift+Tab"},
    {"\x1b[127;5u", "Ctrl+Backspace"},
    {"\x1b[127;3u", "Alt+Backspace"},
    {"\x1b[98;3u", "Alt+B"},
    {"\x1b[102;3u", "Alt+F"},
    {"\x1b[109;3u", "Alt+M"},
    {"\x1b[97;5u", "Ctrl+A"},
    {"\x1b[99;5u", "Ctrl+C"},
    {"\x1b[100;5u", "Ctrl+D"},
    {"\x1b[119;5u", "Ctrl+W"},
    {"\x1b[104;5u", "Ctrl+H"},
    {"\x1b[105;5u", "Tab"},
    {"\x1b[109;5u", "Enter"},
    {"\x1b[32;5u", "Ctrl+@"},
    {"\x1b[47;5u", "Ctrl+/"},
    {"\x1b[49;5u", "Ctrl+1"},
    {"\x1b[50;5u", "Ctrl+2"},
    {"\x1b[P", "F1"},
    {"\x1b[57414u", "Enter"},
    {"\x1b\x0d", "Alt+Enter"},
    {"\x0a", "Ctrl+J"},
    {"\x1b\x7f", "Alt+Backspace"},
    {"\x1b[3^", "Ctrl+Delete"},
    {"\x1b[3$", "Shift+Delete"},
    {"\x1b\x1b[3~", "Alt+Delete"},
    {"\x1b[7~", "Home"},
    {"\x1b[8~", "End"},
    {"\x1b[7^", "Ctrl+Home"},
    {"\x1b[8^", "Ctrl+End"},
    {"\x1b[7$", "Shift+Home"},
    {"\x1b[8$", "Shift+End"},
    {"\x1b[a", "Shift+Up"},
    {"\x1b[b", "Shift+Down"},
    {"\x1b[d", "Shift+Left"},
    {"\x1b[c", "Shift+Right"},
    {"\x1bOa", "Ctrl+Up"},
    {"\x1bOb", "Ctrl+Down"},
    {"\x1bOd", "Ctrl+Left"},
    {"\x1bOc", "Ctrl+Right"},
    {"\x1b\x1b[A", "Alt+Up"},
    {"\x1b\x1b[D", "Alt+Left"},
    {"\x1b\x1b[C", "Alt+Right"},
    {"\x1b"
     "b",
     "Alt+B"},
    {"\x1b"
     "f",
     "Alt+F"},
    {"\x1bm", "Alt+M"},
    {"\x01", "Ctrl+A"},
    {"\x03", "Ctrl+C"},
    {"\x04", "Ctrl+D"},
    {"\x17", "Ctrl+W"},
    {std::string_view("\0", 1), "Ctrl+@"},
    {"\x1f", "Ctrl+_"},
    {"\x1b[11~", "F1"},
    {"\x1b[P", "Delete", KeyDialect::st},
    {"\x1b[M", "Ctrl+Delete", KeyDialect::st},
    {"\x1b[2K", "Shift+Delete", KeyDialect::st},
    {"\x1b[4h", "Insert", KeyDialect::st},
    {"\x1b[H", "Home", KeyDialect::st},
    {"\x1b[4~", "End", KeyDialect::st},
    {"\x1b[J", "Ctrl+End", KeyDialect::st},
    {"\x1b[2J", "Shift+Home", KeyDialect::st},
    {"\x1b[K", "Shift+End", KeyDialect::st},
    {"\x1bOM", "Shift+Enter", KeyDialect::konsole},
    {"\x1b[65;2u", "A"},
    {"\x1b[8;5u", "Ctrl+Backspace"},
    {"\x1b[8;3u", "Alt+Backspace"},
    {"\x1b[95;6u", "Ctrl+_"},
    {"\x1b[32;2u", "Space"},
    {"\x1b[45;6u", "Ctrl+_"},
    {"\x1b[97;9u", ""},  // with Super it is the desktop's
    // Layouts, shortcuts of the desktop and what is not in the tables of the terminals.
    {"\x1b[1089::99;5u", "Ctrl+C"},
    {"\x1b[1089;5u", "Ctrl+C"},
    {"\x1b[27;5;1089~", "Ctrl+C"},
    {"\x1b[1094;5u", "Ctrl+W"},
    {"\x1b[1080;3u", "Alt+B"},
    {"\x1bи", "Alt+B"},
    {"\x1b[968;5u", "Ctrl+C"},
    {"\x1b[1489::99;5u", "Ctrl+C"},
    {"\x1b[1057:1057:99;6u", "Ctrl+C"},
    {"\x1b[228;3u", "ä"},
    {"\x1bä", "ä"},
    {"\x1b[45;6u", "Ctrl+_"},
    {"\x1b[45:95;6u", "Ctrl+_"},
    {"\x1b[27;6;95~", "Ctrl+_"},
    {"\x1b[46;4u", "Alt+>"},
    {"\x1b[46:58;4u", "Alt+:"},
    {"\x1b[27;4;62~", "Alt+>"},
    {"\x1b[97;2u", "A"},
    {"\x1b[99;69u", "Ctrl+C"},
    {"\x1b[27;1;64~", "@"},
    {"\x1b[99;5:1u", "Ctrl+C"},
    {"\x1b[99;5:2u", "Ctrl+C"},
    {"\x1bOq", "1"},
    {"\x1bOM", "Enter"},
    {"\x1bO5D", "Ctrl+Left"},
    {"\x1bO1;3C", "Alt+Right"},
    {"\x1b\x1bOC", "Alt+Right"},
    {"\x1b\x1b[5~", "Alt+PgUp"},
    {"\x1b\x1b[1;5D", "Ctrl+Alt+Left"},
    {"\x1b\x1bOd", "Ctrl+Alt+Left"},
    {"\x1b[1;9D", "Alt+Left"},
    {"\x1b[3@", "Ctrl+Shift+Delete"},
};

std::vector<Event> decode(std::string_view bytes, KeyDialect dialect = KeyDialect::usual) {
  KeyDecoder decoder;
  decoder.set_dialect(dialect);
  std::vector<Event> events = decoder.feed(bytes, kStart);
  for (Event& event : decoder.expire(kStart + KeyDecoder::kIdleTimeout)) events.push_back(event);
  return events;
}

TEST(TerminalKeysTest, EachKeyOfEachTerminalIsOneKeyByItsName) {
  for (const TerminalKey& known : kKeys) {
    const std::vector<Event> events = decode(known.bytes, known.dialect);
    ASSERT_EQ(events.size(), 1u) << testing::PrintToString(known.bytes);
    EXPECT_EQ(key_name(std::get<Key>(events[0])), known.name)
        << testing::PrintToString(known.bytes);
  }
}

TEST(TerminalKeysTest, TheKeyAfterItIsNotSwallowed) {
  for (const TerminalKey& known : kKeys) {
    if (known.bytes == "\x1b") continue;  // with a letter it is Alt
    const std::vector<Event> events = decode(std::string(known.bytes) + "x", known.dialect);
    ASSERT_EQ(events.size(), 2u) << testing::PrintToString(known.bytes);
    EXPECT_EQ(std::get<Key>(events[1]), text_key(U'x')) << testing::PrintToString(known.bytes);
  }
}

// What terminals answer, to us or to a program that was here before, and what else is not typed.
constexpr std::string_view kReports[] = {
    "\x1b]4;1;rgb:ff/ff/ff\a",
    "\x1b]4;255;rgb:ffff/ffff/ffff\x1b\\",
    "\x1b]10;rgb:0000/0000/0000\a",
    "\x1b]12;#aabbcc\x1b\\",
    "\x1b]52;c;aGVsbG8gd29ybGQ=\a",
    "\x1b[?62;22;c",
    "\x1b[>41;354;0c",
    "\x1b[=0c",
    "\x1b[24;80R",
    "\x1b[?24;80;1R",
    "\x1b[?2004;2$y",
    "\x1b[4;2$y",
    "\x1b[?997;1n",
    "\x1b[0n",
    "\x1b[?13n",
    "\x1b[8;24;80t",
    "\x1b[?7u",
    "\x1b[?1;0;256S",
    "\x1bP>|XTerm(379)\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1bP0$r\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1bP!|00000000\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b[<35;10;5M",
    "\x1b[<0;10;5m",
    "\x1b[M#!!",
    // Of keys that are not ours: Super and C, its release, Konsole's Super, a media key.
    "\x1b[99;9u",
    "\x1b[99;17u",
    "\x1b[99;33u",
    "\x1b[27;9;99~",
    "\x1b[99;5:3u",
    "\x1b[1;1:3A",
    "\x18@sc",
    "\x1b[57363u",
    "\x1b[57358;1u",
    "\x1b[29~",
    "\x1b[49;5u",
    "\x1b[27;5;49~",
};

bool types(const std::vector<Event>& events) {
  for (const Event& event : events)
    if (const Key* key = std::get_if<Key>(&event))
      if (key->code == Code::character && !key->bytes.empty()) return true;
  return false;
}

TEST(TerminalKeysTest, ReportsAreNeverTypedHoweverTheyAreCut) {
  for (const std::string_view report : kReports) {
    const std::string bytes = "a" + std::string(report) + "z";
    for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
      // A key of Konsole's comes as a whole: its first byte alone is Ctrl+X.
      if (report.starts_with('\x18') && cut > 1 && cut <= report.size()) continue;
      KeyDecoder decoder;
      std::vector<Event> events = decoder.feed(bytes.substr(0, cut), kStart);
      for (const Event& event :
           decoder.feed(bytes.substr(cut), kStart + std::chrono::milliseconds(9)))
        events.push_back(event);
      ASSERT_GE(events.size(), 2u) << testing::PrintToString(report) << cut;
      EXPECT_EQ(events.front(), Event(text_key(U'a'))) << testing::PrintToString(report) << cut;
      EXPECT_EQ(events.back(), Event(text_key(U'z'))) << testing::PrintToString(report) << cut;
      events = {events.begin() + 1, events.end() - 1};
      EXPECT_FALSE(types(events)) << testing::PrintToString(report) << cut;
      EXPECT_EQ(decoder.deadline(), std::nullopt);
    }
  }
}

TEST(TerminalKeysTest, KeysReportsAndPastesInAnyOrderAndCutAreAllThere) {
  std::mt19937 rng(20270107);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    std::size_t n_typed = 0;
    std::string pasted;
    for (int i = 0; i < 12; ++i) {
      const std::size_t which = rng() % 4;
      if (which == 0) {
        const std::string_view report = kReports[rng() % std::size(kReports)];
        if (!report.starts_with('\x18')) bytes += report;
      } else if (which == 1) {
        const TerminalKey& key = kKeys[rng() % std::size(kKeys)];
        if (key.bytes == "\x1b" || key.dialect != KeyDialect::usual) continue;
        bytes += key.bytes;
        if (!std::get<Key>(decode(key.bytes).at(0)).bytes.empty()) ++n_typed;
      } else if (which == 2) {
        bytes += "é";
        ++n_typed;
      } else {
        bytes += "\x1b[200~one\r/two\x1b[A\x1b[201~";
        pasted += "one\r/two\x1b[A";
      }
    }
    KeyDecoder decoder;
    auto now = kStart;
    std::size_t n_keys = 0;
    std::string found;
    const auto take = [&](const std::vector<Event>& events) {
      for (const Event& event : events) {
        const Key* key = std::get_if<Key>(&event);
        if (key != nullptr && !key_name(*key).empty() && !key->bytes.empty()) ++n_keys;
        if (const Paste* paste = std::get_if<Paste>(&event)) found += paste->text;
      }
    };
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t n = std::min(bytes.size() - at, 1 + rng() % 7);
      take(decoder.feed(bytes.substr(at, n), now));
      now += std::chrono::milliseconds(rng() % 30);
      take(decoder.expire(now));
      at += n;
    }
    take(decoder.expire(now + KeyDecoder::kIdleTimeout));
    EXPECT_EQ(n_keys, n_typed) << round << testing::PrintToString(bytes);
    EXPECT_EQ(found, pasted) << round;
    EXPECT_EQ(decoder.deadline(), std::nullopt) << round;
  }
}

}  // namespace
}  // namespace confab::ui
