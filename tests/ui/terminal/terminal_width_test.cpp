// SPDX-License-Identifier: MIT
// Widths against a real terminal: tmux is shown each grapheme and asked where its cursor is then.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/temp_dir.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

namespace fs = std::filesystem;

// Scripts, marks, jamo, conjuncts, presentation, joiners, modifiers, flags, keycaps.
const std::vector<std::string> kGraphemes = {"a",
                                             "é",
                                             "ñ",
                                             "ß",
                                             "Ж",
                                             "ω",
                                             "…",
                                             "“",
                                             "—",
                                             "─",
                                             "█",
                                             "°",
                                             "€",
                                             "→",
                                             "☃",
                                             "♥",
                                             "\u00a0",
                                             "漢",
                                             "字",
                                             "、",
                                             "。",
                                             "「",
                                             "ア",
                                             "ｱ",
                                             "ﾞ",
                                             "Ａ",
                                             "한",
                                             "글",
                                             "ㄱ",
                                             "𠀋",
                                             "\u3000",
                                             "ا",
                                             "ب",
                                             "م",
                                             "ש",
                                             "ל",
                                             "ع",
                                             "٣",
                                             "א",
                                             "ﷲ",
                                             "ไ",
                                             "ท",
                                             "ກ",
                                             "ა",
                                             "Ա",
                                             "ᚠ",
                                             "ሀ",
                                             "ᠠ",
                                             "ཀ",
                                             "अ",
                                             "क",
                                             "ब",
                                             "త",
                                             "த",
                                             "ಕ",
                                             "ക",
                                             "ක",
                                             "e\u0301",
                                             "o\u0308\u0304",
                                             "ש\u05c1",
                                             "ب\u0650",
                                             "ท\u0e35\u0e48",
                                             "a\u20dd",
                                             "\u1112\u1161\u11ab",
                                             "\u1100\u1161",
                                             "\u1100",
                                             "क्ष",
                                             "कि",
                                             "नी",
                                             "க்",
                                             "క్ష",
                                             "👍",
                                             "😀",
                                             "🦊",
                                             "🧠",
                                             "❤",
                                             "❤\ufe0f",
                                             "☺",
                                             "☺\ufe0f",
                                             "✂",
                                             "✂\ufe0f",
                                             "⌚",
                                             "©",
                                             "©\ufe0f",
                                             "👍🏽",
                                             "👩‍💻",
                                             "👨‍👩‍👧‍👦",
                                             "🏳️‍🌈",
                                             "🏴‍☠️",
                                             "🇩🇪",
                                             "🇯🇵",
                                             "1\ufe0f\u20e3",
                                             "#\ufe0f\u20e3",
                                             "🫠",
                                             "🥲"};

bool have(const char* command) {
  return std::system((std::string("command -v ") + command + " >/dev/null 2>&1").c_str()) == 0;
}

// The columns that tmux gives to each line of `graphemes`.
std::vector<int> columns_in_tmux(const TempDir& dir, const std::vector<std::string>& graphemes) {
  std::string corpus;
  for (const std::string& grapheme : graphemes) corpus += grapheme + "\n";
  const fs::path out = dir.path() / "columns";
  const std::string tmux = "tmux -f /dev/null -S '" + (dir.path() / "s").string() + "' ";
  const std::string script =
      dir.file("ask.bash",
               "stty raw -echo\n"
               "while IFS= read -r text <&3; do\n"
               "  printf '\\r\\033[2K%s\\033[6n' \"$text\"\n"
               "  IFS= read -rsd R answer; echo \"${answer##*;}\" >>'" +
                   out.string() +
                   "'\n"
                   "done 3<'" +
                   dir.file("corpus", corpus) + "'\n" + tmux + "wait-for -S asked\n");
  const std::string command = "LC_ALL=C.UTF-8 " + tmux + "new-session -d -x 80 -y 24 \"bash '" +
                              script + "'\" \\; set-option remain-on-exit on && timeout 30 " +
                              tmux + "wait-for asked; " + tmux + "kill-server";
  if (std::system(command.c_str()) != 0) return {};
  std::vector<int> columns;
  std::ifstream file(out);
  for (int column = 0; file >> column;) columns.push_back(column - 1);
  return columns;
}

TEST(WidthTerminalTest, TmuxGivesGraphemesOurColumns) {
  if (!have("tmux") || !have("bash") || !have("timeout")) GTEST_SKIP() << "needs tmux and bash";
  const TempDir dir;
  const std::vector<int> columns = columns_in_tmux(dir, kGraphemes);
  ASSERT_EQ(columns.size(), kGraphemes.size());
  int n_disputed = 0, n_other = 0;
  for (std::size_t i = 0; i < kGraphemes.size(); ++i) {
    const std::string& text = kGraphemes[i];
    const int ours = width(text).value;
    if (width_agreement(text) != WidthAgreement::disputed) {
      EXPECT_EQ(columns[i], ours) << text;
      continue;
    }
    ++n_disputed;
    n_other += columns[i] == ours ? 0 : 1;
    EXPECT_LE(columns[i], widest(text).value) << text;
    EXPECT_GE(columns[i], 1) << text;
  }
  std::printf("%d of %d disputed widths differ\n", n_other, n_disputed);
  EXPECT_LT(n_other * 3, n_disputed);
}

}  // namespace
}  // namespace confab::ui
