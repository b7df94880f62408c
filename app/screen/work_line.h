// SPDX-License-Identifier: MIT
// How the running answer goes, at its place in the conversation, and what there is to say at its
// end.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/screen/answer_progress.h"
#include "engine/api/events.h"
#include "ui/text.h"

namespace confab::app {

// What is done before the first token, "▰▰▱▱ reading 1,024/4,096, 3 s left", with a meter of so
// many columns; nullopt: nothing that is known.
std::optional<std::string> reading_text(const AnswerProgress& progress,
                                        AnswerProgress::Clock::time_point now, ui::Cols meter);
// "▰▰▱▱ reading 1,024/4,096, 3 s left · 2 s · Esc stop", "● 12 s · 345 tokens · 45.1 tok/s
// · Esc stop".
std::string work_line(const AnswerProgress& progress, AnswerProgress::Clock::time_point now);
// Of several answers that are written at once: "● 12 s · 3 answers · 945 tokens · 120.1 tok/s
// · Esc stop all".
std::string work_line(std::span<const AnswerProgress> answers, double tokens_per_second,
                      AnswerProgress::Clock::time_point now);
// How one of these goes: "reading 1,024/4,096", "Thinking: 12 tokens, 1 s", "345 tokens"; and how
// it has ended: "done, 345 tokens".
std::string count_label(const AnswerProgress& answer, AnswerProgress::Clock::time_point now);
std::string end_label(AnswerEnd end, int n_generated);
// Whether guesses have made a difference: one digit after the point shows it.
bool is_worth_telling(double tokens_per_pass) noexcept;
// "✓ 345 tokens in 12 s, 45.1 tok/s, 2.5 tokens per pass".
std::string done_line(const engine::GenerateStats& stats);

}  // namespace confab::app
