// SPDX-License-Identifier: MIT
// Describes a chat's figures in words, for the status line and /stats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/chat/chat.h"

namespace confab::app {

// Progress in a few words.
std::string progress_text(const engine::PrefillProgress& progress);
std::string progress_text(const engine::LoadProgress& progress);
// "work is not ready: Loading model; asking again in 3 s".
std::string progress_text(const engine::Waiting& waiting,
                          std::chrono::steady_clock::time_point now);
std::string progress_text(const engine::Waiting& waiting);  // as of now
// The label of a saved answer's folded reasoning.
std::string thoughts_label(std::string_view reasoning);
// The question with the names and sizes of its attachments.
std::string shown_question(const sessions::Message& question);
// "attached: a.txt, b.md", or "".
std::string attached_names(std::span<const sessions::Attachment> files);
// The start of an answer in one line, for a notification.
std::string answer_begin(const sessions::Message& answer);
// How to get to the answers that were written along with the last one.
std::string others_note(const Chat& chat, std::size_t n_answers, std::string_view how);
// "the processor: there is no graphics processor with Vulkan on this machine". The model must have
// a device_reason.
std::string device_choice_text(const engine::ModelInfo& model);
// Several lines about the model, the context and the last answer.
std::string describe_stats(const Chat& chat);

}  // namespace confab::app
