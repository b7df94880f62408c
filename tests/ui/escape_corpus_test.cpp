// SPDX-License-Identifier: MIT
// Untrusted text in every place of the screen: what the terminal is sent holds no sequence but
// ours, wherever a stream of it is cut.
#include "tests/ui/escape_corpus.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "tests/ui/capabilities_fixture.h"
#include "tests/ui/escape_scanner.h"
#include "tests/ui/input/line_editor_env.h"
#include "ui/error.h"
#include "ui/terminal/frame_writer.h"
#include "ui/terminal/plain_writer.h"
#include "ui/terminal/terminal_facts.h"
#include "ui/theme.h"
#include "ui/transcript/chat_view.h"
#include "ui/transcript/picker.h"
#include "ui/transcript/transcript_view.h"

namespace confab::ui {
namespace {

constexpr Rows kRows{120};
constexpr Cols kCols{50};

// Neither the cells nor what is sent for them.
void expect_harmless(const Frame& frame, const std::string& sequence) {
  EXPECT_EQ(foreign_sequence(frame.to_text()), std::nullopt) << testing::PrintToString(sequence);
  const std::string bytes = write_frame(nullptr, frame, able_terminal(), default_theme());
  EXPECT_EQ(foreign_sequence(bytes), std::nullopt) << testing::PrintToString(sequence);
}

// Every place of Markdown that text can be in, each an untrusted sequence that is cut at `at`.
std::vector<std::string> pieces_of_answer(const std::string& sequence, std::size_t at) {
  static constexpr std::array<std::string_view, 19> kAround = {"text ",
                                                               " and `",
                                                               "` **",
                                                               "** _",
                                                               "_ ~~",
                                                               "~~ [",
                                                               "](https://a.example/",
                                                               ") [b](<",
                                                               "> '",
                                                               "') ![",
                                                               "](https://b.example)\n\n# ",
                                                               "\n\n> ",
                                                               "\n\n- [ ] ",
                                                               "\n\n```",
                                                               "\n",
                                                               "\n```\n\n| a | ",
                                                               " |\n|---|---|\n| b | ",
                                                               " |\n\n<b>",
                                                               "</b> $"};
  std::vector<std::string> pieces;
  std::string piece;
  for (const std::string_view before : kAround) {
    piece += before;
    pieces.push_back(piece + sequence.substr(0, at));
    piece = sequence.substr(at);
  }
  pieces.push_back(piece + "$\n\n    " + sequence + "\n\n[r]: https://c.example/" + sequence +
                   "\n\n[r] https://d.example/" + sequence + "\n");
  return pieces;
}

TEST(EscapeCorpusTest, HasMoreThanFiveHundredAndTheScannerKnowsThem) {
  EXPECT_GE(escape_corpus().size(), 500u);
  int n_found = 0;
  for (const std::string& sequence : escape_corpus()) n_found += foreign_sequence(sequence) ? 1 : 0;
  EXPECT_GT(n_found, 800) << "some are harmless as they are: entities, zero-width characters";
}

TEST(EscapeCorpusTest, AnswersAndReasoningThatStream) {
  for (const std::string& sequence : escape_corpus()) {
    for (const std::size_t at : split_points(sequence)) {
      Transcript transcript({.show_link_targets = true});
      TranscriptView view(transcript);
      transcript.open_reasoning(true);
      transcript.begin_answer();
      transcript.append_reasoning("thinking " + sequence.substr(0, at));
      transcript.append_reasoning(sequence.substr(at));
      for (const std::string& piece : pieces_of_answer(sequence, at))
        transcript.append_answer(piece);
      Frame frame(kRows, kCols);
      view.draw(frame, Rows{0}, kRows);
      expect_harmless(frame, sequence);
      if (HasFailure()) return;
    }
  }
}

TEST(EscapeCorpusTest, WhatIsSaidToldAndSearched) {
  for (const std::string& sequence : escape_corpus()) {
    Transcript transcript;
    TranscriptView view(transcript);
    transcript.open_reasoning(true);
    transcript.add_user("said " + sequence, 0);
    transcript.add_reasoning("thought " + sequence);
    transcript.add_answer("answered " + sequence, 1);
    transcript.label_reasoning(sequence);
    transcript.label_messages(std::vector<std::string>{"", sequence});
    transcript.set_tail("cannot open " + sequence + ": no such file");
    view.search().find(sequence);
    for (const bool raw : {false, true}) {
      transcript.show_raw(raw);
      Frame frame(kRows, kCols);
      view.draw(frame, Rows{0}, kRows);
      expect_harmless(frame, sequence);
      const bool escapes = sequence.find('\x1b') != std::string::npos;
      EXPECT_TRUE(!escapes || frame.to_text().find("\u241b") != std::string::npos)
          << "not seen: " << testing::PrintToString(sequence);
    }
    if (HasFailure()) return;
  }
}

TEST(EscapeCorpusTest, PickersStatusAndPrompts) {
  for (const std::string& sequence : escape_corpus()) {
    Picker picker({.title = sequence,
                   .find =
                       [&](std::string_view) {
                         return std::vector<PickerEntry>{
                             {.key = "1", .text = "title " + sequence, .detail = sequence}};
                       },
                   .empty = sequence});
    picker.paste(sequence);
    Frame frame(Rows{12}, Cols{60});
    picker.draw(frame);
    draw_status_bar(frame, Rows{11}, {.left = {{sequence}}, .right = {{"72 " + sequence}}});
    expect_harmless(frame, sequence);
    EXPECT_EQ(foreign_sequence(notification("foot", sequence, sequence)), std::nullopt);
    EXPECT_EQ(foreign_sequence(notification("", sequence, sequence)), std::nullopt);
    if (HasFailure()) return;
  }
}

class EscapeCorpusInputTest : public LineEditorTest {};

TEST_F(EscapeCorpusInputTest, TheInputLineItsHistoryAndCandidates) {
  InputLine input;
  Transcript transcript;
  TranscriptView transcript_view(transcript);
  const Key tab{.code = Key::Code::tab, .bytes = "\t"};
  const Key up{.code = Key::Code::up, .bytes = "\x1b[A"};
  for (const std::string& sequence : escape_corpus()) {
    input.set_completer([&](std::string_view, std::string_view) {
      return std::vector<Candidate>{{"x" + sequence + "1", sequence}, {"x" + sequence + "2"}};
    });
    const auto draw = [&] {
      const ChatView view{
          .transcript = transcript_view, .input = input, .placeholder = sequence, .hint = sequence};
      expect_harmless(draw_chat(view, Rows{16}, Cols{40}), sequence);
    };
    draw();
    input.paste(sequence);
    draw();
    input.set_text("x");
    for (int i = 0; i < 2; ++i) input.feed(tab);
    draw();
    input.clear();
    input.set_history({sequence});
    input.feed(up);
    draw();
    input.clear();
    if (HasFailure()) return;
  }
}

TEST(EscapeCorpusTest, PlainTextThatStreams) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  PlainWriter writer(ends[1], true);
  std::array<char, 65536> buffer;
  for (const std::string& sequence : escape_corpus()) {
    std::string out;
    for (const std::size_t at : split_points(sequence)) {
      writer.write("a" + sequence.substr(0, at));
      writer.write(sequence.substr(at) + "b");
      writer.finish();
      const ssize_t n = read(ends[0], buffer.data(), buffer.size());
      ASSERT_GT(n, 0);
      out.append(buffer.data(), static_cast<std::size_t>(n));
    }
    ASSERT_EQ(foreign_sequence(out), std::nullopt) << testing::PrintToString(sequence);
  }
  for (const int end : ends) close(end);
}

TEST(EscapeCorpusTest, FaultsOfThemes) {
  for (const std::string& sequence : escape_corpus()) {
    for (const std::string& toml :
         {"name = '" + sequence + "'\n[roles]\nnone = {}", sequence + " = 1",
          "name = 'x'\n[roles]\ntext = { fg = '" + sequence + "' }", "name = 'x'\n" + sequence}) {
      try {
        parse_theme(toml, "theme " + sequence);
      } catch (const TerminalError& error) {
        EXPECT_EQ(foreign_sequence(error.what()), std::nullopt) << testing::PrintToString(sequence);
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace confab::ui
