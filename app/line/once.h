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

// Returns the exit status (app/exit_status.h): what stands in it for the answers, or 128 and the
// number of the signal that ended them; what was written stays. Throws like open_backend(), and
// TooLongError.
int run_once(const ChatOptions& options, const Paths& paths);

// What it runs on: all of these must outlive the answer.
struct OnceStreams {
  Backend& backend;
  ui::Signals& signals;
  ui::PlainWriter& out;  // only the answer
  SideLines& side;       // and all else
  Caretaker& care;
};
// The same with a question that has been read. Throws TooLongError.
int answer_once(const OnceStreams& streams, const ChatOptions& options, Question question);

}  // namespace confab::app
