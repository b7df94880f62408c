// SPDX-License-Identifier: MIT
#include "app/line/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "app/chat/context_advice.h"
#include "app/error.h"
#include "app/figures.h"

namespace confab::app {
namespace {

constexpr std::size_t kMaxCharacterBytes = 4;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

// The length of the longest beginning with at most `most` bytes that ends at a line end, or else at
// a character.
std::size_t beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  const std::size_t line = most == 0 ? text.npos : text.rfind('\n', most - 1);
  if (line != text.npos) return line + 1;
  while (most > 0 && !begins_character(text[most])) --most;
  return most;
}

// The same for the end of the text: returns where it starts.
std::size_t ending(std::string_view text, std::size_t most) {
  if (text.size() <= most) return 0;
  std::size_t from = text.size() - most;
  const std::size_t line = text.find('\n', from == 0 ? 0 : from - 1);
  if (line != text.npos && line + 1 < text.size()) return line + 1;
  while (from < text.size() && !begins_character(text[from])) ++from;
  return from;
}

std::size_t n_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

WithoutMiddle without_middle(std::string_view text, std::size_t most) {
  if (text.size() <= most) return {.text = std::string(text)};
  const std::size_t begin = beginning(text, most / 2);
  const std::size_t end = std::max(begin, ending(text, most - most / 2));
  const std::string_view middle = text.substr(begin, end - begin);
  WithoutMiddle cut{.n_bytes_left_out = middle.size()};
  const bool whole_lines =
      (begin == 0 || text[begin - 1] == '\n') && (end == text.size() || text[end - 1] == '\n');
  if (whole_lines) cut.n_lines_left_out = n_lines(middle) + (middle.ends_with('\n') ? 0 : 1);
  const std::string what = whole_lines
                               ? counted(static_cast<std::int64_t>(cut.n_lines_left_out), "line")
                               : counted(static_cast<std::int64_t>(cut.n_bytes_left_out), "byte");
  cut.text = fmt::format("{}{}[... {} left out here ...]\n{}", text.substr(0, begin),
                         begin == 0 || text[begin - 1] == '\n' ? "" : "\n", what, text.substr(end));
  return cut;
}

Pieces::Pieces(std::vector<sessions::Attachment> files) : files_(std::move(files)) {
  std::erase_if(files_, [](const sessions::Attachment& file) {
    return !file.content || file.content->empty();
  });
  for (const sessions::Attachment& file : files_) n_left_ += file.content->size();
}

// A further file is only started if at least one of its lines fits.
std::vector<Pieces::Part> Pieces::parts(std::size_t most) const {
  std::vector<Part> found;
  std::size_t at = at_;
  for (std::size_t i = file_; i < files_.size() && most > 0; ++i, at = 0) {
    const std::string_view rest = std::string_view(*files_[i].content).substr(at);
    std::size_t n = beginning(rest, most);
    const bool ends_line = n == rest.size() || (n > 0 && rest[n - 1] == '\n');
    if (!ends_line && !found.empty()) break;
    if (n == 0) n = beginning(rest, kMaxCharacterBytes);
    found.push_back({i, at, n});
    if (n < rest.size()) break;
    most -= std::min(most, n);
  }
  return found;
}

std::string Pieces::name_of(const Part& part) const {
  const sessions::Attachment& file = files_[part.file];
  const std::string_view text = *file.content;
  if (file.name == "-" || part.n == text.size()) return file.name;
  const std::size_t first = part.begin == 0 ? 1 : line_;
  const std::string_view inside = text.substr(part.begin, part.n);
  const std::size_t last = first + n_lines(inside) - (inside.ends_with('\n') ? 1 : 0);
  const bool is_whole = (part.begin == 0 || text[part.begin - 1] == '\n') &&
                        (inside.ends_with('\n') || part.begin + part.n == text.size());
  if (first == last)
    return fmt::format("{} ({}line {})", file.name, is_whole ? "" : "part of ", first);
  return fmt::format("{} (lines {} to {})", file.name, first, last);
}

std::vector<sessions::Attachment> Pieces::next(std::size_t most) const {
  std::vector<sessions::Attachment> piece;
  for (const Part& part : parts(most))
    piece.push_back(sessions::make_attachment(
        name_of(part), files_[part.file].content->substr(part.begin, part.n)));
  return piece;
}

void Pieces::skip(std::size_t most) {
  for (const Part& part : parts(most)) {
    n_left_ -= part.n;
    line_ = (part.begin == 0 ? 1 : line_) +
            n_lines(std::string_view(*files_[part.file].content).substr(part.begin, part.n));
    file_ = part.file;
    at_ = part.begin + part.n;
  }
  if (file_ < files_.size() && at_ == files_[file_].content->size()) {
    ++file_;
    at_ = 0;
  }
}

namespace {

// Cuts the middle out of the files that are longer than `most` bytes.
Question cut_to(const Question& question, std::size_t most) {
  Question cut = question;
  for (sessions::Attachment& file : cut.attachments)
    if (file.content && file.content->size() > most)
      file = sessions::make_attachment(file.name, without_middle(*file.content, most).text);
  return cut;
}

std::string what_was_cut(const Question& question, std::size_t most) {
  std::string text;
  for (const sessions::Attachment& file : question.attachments) {
    if (!file.content || file.content->size() <= most) continue;
    const WithoutMiddle cut = without_middle(*file.content, most);
    const std::string what = cut.n_lines_left_out > 0
                                 ? counted(static_cast<std::int64_t>(cut.n_lines_left_out), "line")
                                 : counted(static_cast<std::int64_t>(cut.n_bytes_left_out), "byte");
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", what,
                        file.name == "-" ? "standard input" : file.name);
  }
  return text;
}

}  // namespace

int Fitting::count(const Question& question) const {
  const engine::GenerateRequest asked = chat_.request_with(question);
  return model_.count_tokens(asked.turns, asked.settings);
}

int Fitting::room(const Question& question) const {
  constexpr int kUsual = 1024;
  const int n_predict = chat_.options(question.options).n_predict;
  return n_predict > 0 ? std::min(n_predict, n_ctx() / 2) : std::min(kUsual, n_ctx() / 4);
}

bool Fitting::fits_with_answer(const Question& question) const {
  return count(question) + room(question) <= n_ctx();
}

void Fitting::require(const Question& question) const {
  const int n_tokens = count(question);
  // An estimate is not reliable enough to refuse; the engine counts for itself and reports an
  // error.
  if (n_tokens + 1 <= n_ctx() || model_.info().estimates_tokens) return;
  throw too_long(n_tokens, 1,
                 question.attachments.empty() ? "shorten it"
                                              : "shorten it, or give --overflow truncate or split");
}

TooLongError Fitting::too_long(int n_tokens, int room, std::string_view advice) const {
  const std::string beside = room > 1 ? fmt::format(" beside an answer of {}", grouped(room)) : "";
  return TooLongError(fmt::format("the prompt has {} tokens, {} more than fit{}; {}; {}",
                                  grouped(n_tokens), grouped(n_tokens + room - n_ctx()), beside,
                                  advice, larger_context(model_.info())));
}

Question Fitting::truncated(Question question,
                            const std::function<void(std::string_view)>& tell) const {
  if (fits_with_answer(question)) return question;
  const Question least = cut_to(question, 0);
  if (!fits_with_answer(least))
    throw too_long(count(least), room(question),
                   question.attachments.empty() ? "shorten it; only files are cut"
                                                : "shorten it, even without its files");
  // Tokens are rarely longer, so counting more bytes would be wasted.
  constexpr std::size_t kMaxTokenBytes = 64;
  std::size_t longest = 0;
  for (const sessions::Attachment& file : question.attachments)
    longest = std::max<std::size_t>(longest, file.size_bytes);
  std::size_t fits = 0;
  std::size_t too_much = std::min(longest, static_cast<std::size_t>(n_ctx()) * kMaxTokenBytes);
  while (too_much - fits > 1) {
    const std::size_t middle = fits + (too_much - fits) / 2;
    (fits_with_answer(cut_to(question, middle)) ? fits : too_much) = middle;
  }
  tell(fmt::format("left out to make it fit: {}", what_was_cut(question, fits)));
  return cut_to(question, fits);
}

namespace {

constexpr std::size_t kAtOnce = kMaxAnswers;
constexpr std::size_t kMaxPieces = 1000;
constexpr int kLeastTokens = 48;  // of text; fewer are not worth a question

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

// "Answer for part 2 (a.txt (lines 1 to 20), b.txt)"; without the files if they are unknown or the
// names too long.
std::string name_of_answer(std::size_t i, const Question& piece, bool of_files) {
  constexpr std::size_t kMaxBytes = 80;
  std::string names;
  for (const sessions::Attachment& file : piece.attachments)
    names += (names.empty() ? "" : ", ") + (file.name == "-" ? "standard input" : file.name);
  if (!of_files || names.size() > kMaxBytes) return fmt::format("Answer for part {}", i + 1);
  return fmt::format("Answer for part {} ({})", i + 1, names);
}

// The size of the largest next piece that fits, to within a sixteenth; 0 if none fits.
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

// The pieces' questions contain the number of pieces, which is only known after cutting. Counting
// assumes more digits than it will have.
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
  const int half = n_predict / 2;  // the rest is for the answer
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
    if (pieces.size() == 1) return question;  // it fits with a shorter answer
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
