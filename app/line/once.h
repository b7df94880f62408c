// SPDX-License-Identifier: MIT
// `confab -p`: one prompt, one answer on stdout, everything else on stderr.
#pragma once

#include "app/chat/question.h"
#include "app/options.h"
#include "app/paths.h"

namespace confab::ui {
class PlainWriter;
class Signals;
}  // namespace confab::ui

namespace confab::app {

struct Backend;
class Caretaker;
class SideLines;

// Returns the exit status (app/exit_status.h), which depends on the answers, or 128 plus the number
// of the signal that ended them. Output that has been written stays. Throws like open_backend(),
// and TooLongError.
int run_once(const ChatOptions& options, const Paths& paths);

// All of these must outlive the answer.
struct OnceStreams {
  Backend& backend;
  ui::Signals& signals;
  ui::PlainWriter& out;  // for the answer only
  SideLines& side;       // for everything else
  Caretaker& care;
};
// The same, for a question that has been read already. Throws TooLongError.
int answer_once(const OnceStreams& streams, const ChatOptions& options, Question question);

}  // namespace confab::app
