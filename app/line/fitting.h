// SPDX-License-Identifier: MIT
// Handles questions that may be too long for the context, counted in exact tokens. It leaves out
// the middle of the longest files, or asks the question in pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat/chat_state.h"
#include "app/error.h"
#include "engine/api/chat_model.h"
#include "sessions/conversations/attachment.h"

namespace confab::app {

// A text without its middle. Texts are cut at line ends, or between characters if a single line is
// too long.
struct WithoutMiddle {
  std::string text = {};             // a line in place of the omitted part says how much it was
  std::size_t n_lines_left_out = 0;  // 0 if only bytes inside a line are missing
  std::size_t n_bytes_left_out = 0;
};

// At most `most` bytes of the text, half from its start and half from its end, plus the line about
// the omission. Returns a shorter text whole.
WithoutMiddle without_middle(std::string_view text, std::size_t most);

class Pieces {
 public:
  explicit Pieces(std::vector<sessions::Attachment> files);

  std::size_t n_left() const noexcept { return n_left_; }  // bytes of text; 0 at the end
  // The next piece: at most `most` bytes, but at least a character, of one or more files. The name
  // of an incomplete file says which lines it holds.
  std::vector<sessions::Attachment> next(std::size_t most) const;
  void skip(std::size_t most);  // skips what next() returns

 private:
  struct Part {
    std::size_t file;
    std::size_t begin;
    std::size_t n;
  };
  std::vector<Part> parts(std::size_t most) const;
  std::string name_of(const Part& part) const;

  std::vector<sessions::Attachment> files_;
  std::size_t file_ = 0;
  std::size_t at_ = 0;    // the offset in that file
  std::size_t line_ = 1;  // the line number at that offset
  std::size_t n_left_ = 0;
};

class Fitting {
 public:
  // Both must outlive it.
  Fitting(const engine::ChatModel& model, const ChatState& chat) : model_(model), chat_(chat) {}

  int n_ctx() const noexcept { return model_.info().n_ctx; }
  // The tokens of the prompt for this question, including what has been said before.
  int count(const Question& question) const;
  // The tokens to keep free for an answer: its token limit, but at most half the context. Without a
  // limit, 1,024, but at most a quarter.
  int room(const Question& question) const;
  bool fits_with_answer(const Question& question) const;

  // Throws TooLongError if not even one token of an answer would fit.
  void require(const Question& question) const;
  // "the prompt has 9,120 tokens, 931 more than fit; ...". `room` is the space that an answer
  // needs.
  TooLongError too_long(int n_tokens, int room, std::string_view advice) const;

  // Makes room for the answer by cutting the middle of the longest files at line ends, as little as
  // possible. Passes `tell` a line that names the files. Throws TooLongError if that is not enough.
  Question truncated(Question question, const std::function<void(std::string_view)>& tell) const;

 private:
  const engine::ChatModel& model_;
  const ChatState& chat_;
};

// Asks a question about more text than fits into the context: asks it about pieces that fit,
// several at once, and makes a question that merges the answers. Repeats this if the answers are
// too long together.
class SplitQuestion {
 public:
  // Reports how many of a round's pieces have been answered, starting with none.
  using Told = std::function<void(std::size_t n_done, std::size_t n_pieces)>;

  // All must outlive it. It does not change the chat, which must not await an answer meanwhile.
  // `wait` sleeps until the model has an event, and returns false to give up.
  SplitQuestion(engine::ChatModel& model, const ChatState& chat, std::function<bool()> wait,
                Told told)
      : model_(model),
        chat_(chat),
        fitting_(model, chat),
        wait_(std::move(wait)),
        told_(std::move(told)) {}

  // Returns the question itself if it fits, else the question that merges the answers; nullopt if
  // `wait` gave up. Throws TooLongError if pieces do not help, and UserError if a piece cannot be
  // answered.
  std::optional<Question> reduce(Question question);

 private:
  // The tokens available to one piece. Several pieces share one context's memory.
  struct Budget {
    int prompt;
    int answer;
  };
  Budget budget(const Question& question) const;
  TooLongError no_room(int n_tokens) const;
  std::vector<Question> cut(const Question& question, const Budget& budget) const;
  std::optional<std::vector<std::string>> ask(const std::vector<Question>& pieces, int n_predict);
  engine::GenerateRequest request(const Question& piece, int n_predict) const;

  engine::ChatModel& model_;
  const ChatState& chat_;
  Fitting fitting_;
  std::function<bool()> wait_;
  Told told_;
};

}  // namespace confab::app
