// SPDX-License-Identifier: MIT
// The few sentences that both front ends say.
#pragma once

#include <string>

#include "app/chat/answer_loop.h"

namespace confab::app {

// One line of at most 80 columns: what the bundled model is, and how to load a real one.
std::string demo_welcome();
std::string context_full_text(int n_ctx);
// What can be done about an answer that ended so; empty: it is whole.
std::string end_note(AnswerEnd end, const Chat& chat);
// What can be done about a question that the context does not hold.
std::string too_long_text(const std::string& fault);

}  // namespace confab::app
