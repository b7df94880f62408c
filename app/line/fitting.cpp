// SPDX-License-Identifier: MIT
#include "app/line/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/chat/context_advice.h"
#include "app/figures.h"
#include "app/line/pieces.h"

namespace confab::app {
namespace {

// The files that are longer than `most` bytes without their middles.
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
  // An estimate is not enough to refuse: the engine counts itself, and says so.
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
  // A token is seldom so long; more would be counted in vain.
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

}  // namespace confab::app
