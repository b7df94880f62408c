// SPDX-License-Identifier: MIT
#include "app/line/split_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "app/chat/context_advice.h"
#include "app/error.h"
#include "app/figures.h"
#include "app/line/pieces.h"

namespace confab::app {
namespace {

constexpr std::size_t kAtOnce = kMaxAnswers;
constexpr std::size_t kMaxPieces = 1000;
constexpr int kLeastTokens = 48;  // of text: less is not worth a question

std::string question_of_piece(const std::string& question, std::size_t i, std::size_t n) {
  return fmt::format(
      "{}\n\n(The text above is part {} of {} of a longer one. Answer for this part alone, and "
      "briefly.)",
      question, i + 1, n);
}

std::string question_of_all(const std::string& question, std::size_t n) {
  return fmt::format(
      "{}\n\n(The text was too long to be read at once. Above are the answers for each of its {} "
      "parts, in their order. Merge them into one answer for the whole text.)",
      question, n);
}

// "Answer for part 2 (a.txt (lines 1 to 20), b.txt)", where that is known and not too long.
std::string name_of_answer(std::size_t i, const Question& piece, bool of_files) {
  constexpr std::size_t kMaxBytes = 80;
  std::string names;
  for (const sessions::Attachment& file : piece.attachments)
    names += (names.empty() ? "" : ", ") + (file.name == "-" ? "standard input" : file.name);
  if (!of_files || names.size() > kMaxBytes) return fmt::format("Answer for part {}", i + 1);
  return fmt::format("Answer for part {} ({})", i + 1, names);
}

// The most bytes of the next piece that fit, up to a sixteenth; 0: none do.
template <class Fits>
std::size_t largest_piece(const Pieces& pieces, std::size_t guess, const Fits& fits) {
  std::size_t most = 0, too_much = pieces.n_left() + 1;
  guess = std::clamp<std::size_t>(guess, 1, pieces.n_left());
  while (most < pieces.n_left() && too_much - most > most / 16 + 1) {
    if (fits(guess))
      most = guess;
    else
      too_much = guess;
    guess = most == 0 ? guess / 2 : most + (too_much - most) / 2;
    if (guess == 0) return 0;
  }
  return most;
}

}  // namespace

SplitQuestion::Budget SplitQuestion::budget(const Question& question) const {
  constexpr int kLeastContext = 2048, kMostTogether = 4, kUsualAnswer = 512;
  const int n_together = std::clamp(fitting_.n_ctx() / kLeastContext, 1, kMostTogether);
  const int n_ctx = fitting_.n_ctx() / n_together;
  const int answer = std::min({fitting_.room(question), kUsualAnswer, n_ctx / 4});
  return {.prompt = n_ctx - answer, .answer = answer};
}

TooLongError SplitQuestion::no_room(int n_tokens) const {
  return TooLongError(
      fmt::format("the question itself has {} tokens, which leaves no room for pieces of the text; "
                  "shorten it; {}",
                  grouped(n_tokens), larger_context(model_.info())));
}

// The number of pieces stands in their questions, and is known only when they have been cut: it is
// counted with more digits than it will have.
std::vector<Question> SplitQuestion::cut(const Question& question, const Budget& budget) const {
  Question piece(question_of_piece(question.text, kMaxPieces, kMaxPieces), {}, question.options);
  const int n_alone = fitting_.count(piece);
  if (budget.prompt - n_alone < kLeastTokens) throw no_room(n_alone);
  Pieces pieces(question.attachments);
  std::size_t guess = static_cast<std::size_t>(budget.prompt - n_alone) * 3;
  std::vector<Question> all;
  while (pieces.n_left() > 0) {
    const std::size_t most = largest_piece(pieces, guess, [&](std::size_t n) {
      piece.attachments = pieces.next(n);
      return fitting_.count(piece) <= budget.prompt;
    });
    if (most == 0) throw no_room(n_alone);
    if (all.size() == kMaxPieces)
      throw TooLongError(
          fmt::format("the text would make more than {} pieces; give less of it", kMaxPieces));
    piece.attachments = pieces.next(most);
    all.push_back(piece);
    pieces.skip(most);
    guess = most;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].text = question_of_piece(question.text, i, all.size());
  return all;
}

engine::GenerateRequest SplitQuestion::request(const Question& piece, int n_predict) const {
  engine::GenerateRequest request = chat_.request_with(piece);
  request.n_predict = n_predict;
  const int half = n_predict / 2;  // the other one is for the answer
  const int budget = request.reasoning_budget;
  request.reasoning_budget = budget < 0 ? half : std::min(budget, half);
  return request;
}

std::optional<std::vector<std::string>> SplitQuestion::ask(const std::vector<Question>& pieces,
                                                           int n_predict) {
  std::vector<std::string> answers(pieces.size());
  std::map<engine::AnswerId, std::size_t> asked;
  std::size_t n_asked = 0, n_done = 0;
  const auto give_up = [&] {
    for (const auto& [id, piece] : asked) model_.cancel(id);
  };
  told_(0, pieces.size());
  while (n_done < pieces.size()) {
    for (; n_asked < pieces.size() && asked.size() < kAtOnce; ++n_asked)
      asked[model_.generate(request(pieces[n_asked], n_predict))] = n_asked;
    if (!wait_()) {
      give_up();
      return std::nullopt;
    }
    while (const auto told = model_.next_event()) {
      const auto piece = asked.find(told->answer);
      if (piece == asked.end()) continue;
      if (const auto* delta = std::get_if<engine::TextDelta>(&told->event))
        answers[piece->second] += delta->text;
      if (const auto* thought = std::get_if<engine::ReasoningDelta>(&told->event))
        if (thought->takes_back) answers[piece->second].clear();
      if (const auto* failed = std::get_if<engine::Failed>(&told->event)) {
        const std::string fault = failed->message;
        asked.erase(piece);
        give_up();
        throw UserError(fmt::format("a piece of the text: {}", fault));
      }
      if (!std::holds_alternative<engine::Finished>(told->event)) continue;
      asked.erase(piece);
      told_(++n_done, pieces.size());
    }
  }
  return answers;
}

std::optional<Question> SplitQuestion::reduce(Question question) {
  constexpr int kMaxRounds = 8;
  const std::string text = question.text;
  for (int round = 0; !fitting_.fits_with_answer(question); ++round) {
    if (question.attachments.empty())
      throw fitting_.too_long(fitting_.count(question), fitting_.room(question),
                              "only files and piped text are split: give the question with -p, "
                              "and the text as a file");
    const Budget most = budget(question);
    const std::vector<Question> pieces = cut({text, question.attachments, question.options}, most);
    if (pieces.size() == 1) return question;  // there is room for a shorter answer
    if (round == kMaxRounds)
      throw TooLongError("the answers for the pieces of the text stay too long to be merged");
    const auto answers = ask(pieces, most.answer);
    if (!answers) return std::nullopt;
    question.attachments.clear();
    for (std::size_t i = 0; i < pieces.size(); ++i)
      question.attachments.push_back(
          sessions::make_attachment(name_of_answer(i, pieces[i], round == 0), (*answers)[i]));
    question.text = question_of_all(text, pieces.size());
  }
  return question;
}

}  // namespace confab::app
