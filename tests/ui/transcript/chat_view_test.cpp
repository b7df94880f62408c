// SPDX-License-Identifier: MIT
#include "ui/transcript/chat_view.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ui/input/line_editor_env.h"

namespace confab::ui {
namespace {

class ChatViewTest : public LineEditorTest {
 protected:
  Frame draw(int rows, int cols) {
    return draw_chat(
        {.transcript = view_,
         .input = input_,
         .status = {.left = {{"confab-demo", {}}}, .right = {{"12/8k", {}}, {"23 t/s", {}}}},
         .placeholder = "Ask something"},
        Rows{rows}, Cols{cols});
  }

  Transcript transcript_;
  TranscriptView view_{transcript_};
  InputLine input_;
};

TEST_F(ChatViewTest, ConversationAboveInputAboveStatus) {
  transcript_.add_user("Hi");
  transcript_.add_answer("Hello **you**.");
  input_.set_text("next");
  const Frame frame = draw(8, 30);
  EXPECT_EQ(frame.to_text(),
            "› Hi\n"
            "\n"
            "  Hello you.\n"
            "\n"
            "\n"
            "──────────────────────────────\n"
            "› next\n"
            " confab-demo   12/8k · 23 t/s\n");
  EXPECT_EQ(frame.cursor, (Point{Rows{6}, Cols{6}}));
}

TEST_F(ChatViewTest, AnEmptyInputSaysWhatItIsFor) {
  const Frame frame = draw(4, 30);
  EXPECT_NE(frame.to_text().find("› Ask something\n"), std::string::npos);
  EXPECT_EQ(frame.cursor, (Point{Rows{2}, Cols{2}}));
}

TEST_F(ChatViewTest, CandidatesStandAboveTheRule) {
  input_.set_completer([](std::string_view, std::string_view) {
    return std::vector<Candidate>{{"/new", "a new one"}, {"/next"}};
  });
  input_.set_text("/n");
  input_.feed({.code = Key::Code::tab, .bytes = "\t"});
  EXPECT_EQ(draw(6, 20).to_text(),
            "\n  /new   a new one\n  /next\n────────────────────\n› /ne\n confab-demo  12/8k\n");
  EXPECT_EQ(draw(4, 20).to_text(),
            "  /new  a new one\n────────────────────\n› /ne\n confab-demo  12/8k\n");
}

TEST_F(ChatViewTest, AClickIsOnARowOfWhatCanBeChosen) {
  ChatView view{view_, input_};
  view.menu = [](Cols, Rows rows) {
    return std::vector<Line>(static_cast<std::size_t>(std::clamp(rows.value, 0, 3)));
  };
  const auto at = [&](int row, int rows) {
    const auto found = menu_row_at(view, Rows{rows}, Cols{20}, {.row = row, .col = 4});
    return found ? std::to_string(found->row) + " of " + std::to_string(found->n_rows) : "none";
  };
  // Three rows, then the rule, the input and the status line.
  EXPECT_EQ(at(3, 10), "none");
  EXPECT_EQ(at(4, 10), "0 of 3");
  EXPECT_EQ(at(6, 10), "2 of 3");
  EXPECT_EQ(at(7, 10), "none");
  EXPECT_EQ(at(1, 5), "1 of 2") << "where there is room for two";
  EXPECT_EQ(at(0, 1), "none");
}

TEST_F(ChatViewTest, TheInputGrowsToAThirdOfTheScreen) {
  input_.set_text("1\n2\n3\n4\n5\n6");
  EXPECT_EQ(draw(12, 10).to_text(),
            "\n\n\n\n\n\n"
            "──────────\n"
            "› 3\n"
            "  4\n"
            "  5\n"
            "  6\n"
            " confab-…\n");
}

TEST_F(ChatViewTest, FewRowsKeepTheInput) {
  transcript_.add_answer("note");
  input_.set_text("text");
  EXPECT_EQ(draw(1, 20).to_text(), "› text\n");
  EXPECT_EQ(draw(2, 20).to_text(), "  note\n› text\n");
  EXPECT_EQ(draw(3, 20).to_text(), "  note\n────────────────────\n› text\n");
}

TEST_F(ChatViewTest, SaysHowMuchIsBelow) {
  for (int i = 0; i < 9; ++i) transcript_.add_answer("n");
  draw(6, 40);
  view_.window().scroll(-3);
  EXPECT_NE(draw(6, 40).to_text().find("─ ↓ more\n"), std::string::npos);
  transcript_.add_answer("m");
  EXPECT_NE(draw(6, 40).to_text().find("─ ↓ 2 new lines\n"), std::string::npos);
}

TEST_F(ChatViewTest, RemarksStandAboveTheRuleAndKeysBelowTheStatus) {
  ChatView view{view_, input_};
  view.first = {{"Welcome to it", Role::strong}, {"second", Role::dim}};
  view.above = {{"! no room is left on the disk here", Role::error},
                {"waits: and then?", Role::dim, 1}};
  view.keys = {"Enter send", "/ commands", "? keys"};
  EXPECT_EQ(draw_chat(view, Rows{12}, Cols{16}).to_text(),
            "  Welcome to it\n"
            "  second\n"
            "\n"
            "\n"
            "  ! no room is\n"
            "  left on the\n"
            "  disk here\n"
            "  waits: and…\n"
            "────────────────\n"
            "›\n"
            "\n"
            " Enter send\n");
  EXPECT_EQ(draw_chat(view, Rows{4}, Cols{24}).to_text(),
            "  ! no room is left on\n────────────────────────\n›\n\n");
  EXPECT_EQ(draw_live(view, Rows{12}, Cols{40}).to_text(),
            "  Welcome to it\n"
            "  second\n"
            "  ! no room is left on the disk here\n"
            "  waits: and then?\n"
            "────────────────────────────────────────\n"
            "›\n"
            "\n"
            " Enter send · / commands · ? keys\n");
}

TEST_F(ChatViewTest, ASearchIsShownOnTheRule) {
  input_.set_history({"a fox"});
  input_.feed({.character = U'r', .ctrl = true, .bytes = "\x12"});
  input_.feed({.character = U'x', .bytes = "x"});
  EXPECT_EQ(draw(4, 40).to_text(),
            "\n"
            "(reverse-i-search)`x': ─────────────────\n"
            "› a fox\n"
            " confab-demo             12/8k · 23 t/s\n");
}

TEST_F(ChatViewTest, EverySizeHasItsCursorInside) {
  transcript_.add_user("界界界 and words");
  transcript_.add_answer("- list\n  - of\n    - lists\n\n> quote\n");
  for (const char* text : {"", "a", "some longer text 界界界界", "1\n2\n3\n4"}) {
    input_.set_text(text);
    for (const int rows : {1, 2, 3, 4, 5, 24, 100})
      for (const int cols : {1, 2, 3, 6, 7, 20, 80, 300}) {
        const Frame frame = draw(rows, cols);
        ASSERT_EQ(frame.rows().value, rows);
        ASSERT_EQ(frame.cols().value, cols);
        ASSERT_TRUE(frame.cursor);
        EXPECT_LT(frame.cursor->row.value, rows);
        EXPECT_LT(frame.cursor->col.value, cols);
      }
  }
}

TEST_F(ChatViewTest, TheLivePartIsOnlyAsHighAsItNeedsToBe) {
  transcript_.add_user("Hi");
  view_.settled().take(Cols{30});
  transcript_.begin_answer();
  transcript_.append_answer("Hello");
  input_.set_text("next");
  const ChatView view{view_, input_};
  EXPECT_EQ(draw_live(view, Rows{24}, Cols{30}).to_text(),
            "\n  Hello\n──────────────────────────────\n› next\n\n");
  transcript_.append_answer("\n\nthere\n\nyou");
  EXPECT_EQ(draw_live(view, Rows{5}, Cols{30}).rows(), Rows{5});
  EXPECT_EQ(draw_live(view, Rows{1}, Cols{30}).rows(), Rows{1});
}

}  // namespace
}  // namespace confab::ui
