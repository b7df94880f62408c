// SPDX-License-Identifier: MIT
// Figures of a chat in words: for the status line and for /stats.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "app/chat.h"

namespace confab::app {

// 12345 as "12,345".
std::string grouped(std::int64_t n);
// Parts for the right end of the status line, the most important first: the speed (or what
// progress says, if anything), the cached tokens, the context used.
std::vector<std::string> status_parts(const Chat& chat, const std::string& progress,
                                      double live_tps);
// How far it is, in a few words.
std::string progress_text(const engine::PrefillProgress& progress);
std::string progress_text(const engine::LoadProgress& progress);
// What the folded reasoning of an answer says: while it comes, when it has come, and of a saved
// one.
std::string thinking_label(int n_tokens, std::chrono::duration<double> time);
std::string thought_label(int n_tokens, std::chrono::duration<double> time);
std::string thoughts_label(std::string_view reasoning);
// A question as it is shown, with the names and sizes of what is attached to it.
std::string shown_question(const sessions::Message& question);
// Several lines on the model, the context and the last answer.
std::string describe_stats(const Chat& chat);

}  // namespace confab::app
