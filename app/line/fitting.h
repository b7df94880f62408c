// SPDX-License-Identifier: MIT
// What becomes of a question that may be too long for the context, counted in exact tokens: the
// middle of its longest files is left out, or it is asked in pieces.
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

// Texts that are too long, cut: their middle left out, or one piece after the other. Cuts are where
// lines end; inside a line that is longer than all that is wanted, between characters.
struct WithoutMiddle {
  std::string text =
      {};  // with a line in the place of what was left out, which says how much it was
  std::size_t n_lines_left_out = 0;  // 0: bytes inside a line
  std::size_t n_bytes_left_out = 0;
};

// At most so many bytes of the text, as much of its beginning as of its end; all of it where it is
// no longer.
WithoutMiddle without_middle(std::string_view text, std::size_t most);

class Pieces {
 public:
  explicit Pieces(std::vector<sessions::Attachment> files);

  std::size_t n_left() const noexcept { return n_left_; }  // bytes of text; 0: at the end
  // What comes next: at most so many bytes, at least a character, of one file or of several. What
  // is not all of a file says in its name which lines it is.
  std::vector<sessions::Attachment> next(std::size_t most) const;
  void skip(std::size_t most);  // what next() gives for the same

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
  std::size_t at_ = 0;    // in that file
  std::size_t line_ = 1;  // of it, at that place
  std::size_t n_left_ = 0;
};

class Fitting {
 public:
  // Both must outlive it.
  Fitting(const engine::ChatModel& model, const ChatState& chat) : model_(model), chat_(chat) {}

  int n_ctx() const noexcept { return model_.info().n_ctx; }
  // Tokens of the prompt that the question makes, with what has been said before it.
  int count(const Question& question) const;
  // Tokens that are kept free for an answer where there is a choice: as many as it may have.
  int room(const Question& question) const;
  bool fits_with_answer(const Question& question) const;

  // Throws TooLongError where not even a word of an answer would fit.
  void require(const Question& question) const;
  // "the prompt has 9,120 tokens, 931 more than fit; ...": with the room that it was to leave.
  TooLongError too_long(int n_tokens, int room, std::string_view advice) const;

  // Room for the answer is made in the middle of the longest files, at line ends, as much as is
  // needed and no more; `tell` gets a line that names them. Throws TooLongError where that does not
  // do.
  Question truncated(Question question, const std::function<void(std::string_view)>& tell) const;

 private:
  const engine::ChatModel& model_;
  const ChatState& chat_;
};

// A question about more text than the context holds, asked about pieces of it that fit, several at
// once; what is left to ask is to merge their answers. In several rounds where these are too long
// together.
class SplitQuestion {
 public:
  // How many of a round's pieces have been answered; first with none.
  using Told = std::function<void(std::size_t n_done, std::size_t n_pieces)>;

  // All must outlive it. Nothing of the chat is changed, and it awaits no answer meanwhile. `wait`
  // sleeps until the model tells more; false: the question is given up.
  SplitQuestion(engine::ChatModel& model, const ChatState& chat, std::function<bool()> wait,
                Told told)
      : model_(model),
        chat_(chat),
        fitting_(model, chat),
        wait_(std::move(wait)),
        told_(std::move(told)) {}

  // The question itself where it fits, else the one that merges; nullopt: given up. Throws
  // TooLongError where pieces do not help, UserError when a piece cannot be answered.
  std::optional<Question> reduce(Question question);

 private:
  // What a piece may take, in tokens: several of them share the memory of one context.
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
