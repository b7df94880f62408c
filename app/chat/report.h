// SPDX-License-Identifier: MIT
// Figures of a chat in words: for the status line and for /stats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/chat/chat.h"

namespace confab::app {

// How far it is, in a few words.
std::string progress_text(const engine::PrefillProgress& progress);
std::string progress_text(const engine::LoadProgress& progress);
// "work is not ready: Loading model; asking again in 3 s".
std::string progress_text(const engine::Waiting& waiting,
                          std::chrono::steady_clock::time_point now);
std::string progress_text(const engine::Waiting& waiting);  // now
// What the folded reasoning of a saved answer says.
std::string thoughts_label(std::string_view reasoning);
// A question as it is shown, with the names and sizes of what is attached to it.
std::string shown_question(const sessions::Message& question);
// "attached: a.txt, b.md"; empty: none.
std::string attached_names(std::span<const sessions::Attachment> files);
// The beginning of an answer in one line, for a notification.
std::string answer_begin(const sessions::Message& answer);
// How to get to the answers that were written with the last one.
std::string others_note(const Chat& chat, std::size_t n_answers, std::string_view how);
// "the processor: there is no graphics processor with Vulkan on this machine"; of a model that has
// a device_reason.
std::string device_choice_text(const engine::ModelInfo& model);
// Several lines on the model, the context and the last answer.
std::string describe_stats(const Chat& chat);

}  // namespace confab::app
