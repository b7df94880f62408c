// SPDX-License-Identifier: MIT
// The exit status, which tells scripts how it went. The manual page is made from the table.
#pragma once

#include <array>
#include <string_view>

namespace confab::app {

enum class ExitStatus : int {
  success = 0,
  failed = 1,
  usage = 2,
  no_valid_answer = 3,
  too_long = 4,
  does_not_fit = too_long,
  no_model = 5,
  cut_off = 6,
  interrupted = 130,
};

// The status of a failure that has no status of its own. Where status 1 is an answer (no to
// --yes-no, nothing found by confab search), a failure is 2, as with grep and test.
constexpr ExitStatus status_of_failure(bool one_is_an_answer) noexcept {
  return one_is_an_answer ? ExitStatus::usage : ExitStatus::failed;
}

struct ExitStatusHelp {
  ExitStatus status;
  std::string_view help;
};

inline constexpr std::array<ExitStatusHelp, 8> kExitStatusHelp{{
    {ExitStatus::success, "Success."},
    {ExitStatus::failed,
     "Failure; a one-line message says what failed. With --yes-no only the answer no, with confab "
     "search only that nothing was found."},
    {ExitStatus::usage,
     "Error in the command line or configuration; with --yes-no and confab search also a failure, "
     "so "
     "that no script takes one for an answer."},
    {ExitStatus::no_valid_answer,
     "The answer is not what was asked for: with --extract, it has no such code block; with "
     "--expect, no attempt has that form; of a shape that was asked for, none is as short as -n "
     "says, or it was cut off before it had it; with --threshold, no choice is so likely."},
    {ExitStatus::too_long,
     "The question does not fit into the context, or no answer of the shape that was asked for "
     "beside it; with confab fit, the model not into memory."},
    {ExitStatus::no_model, "There is no such model."},
    {ExitStatus::cut_off, "The answer was cut off: by -n, or because the context was full."},
    {ExitStatus::interrupted, "Interrupted."},
}};

}  // namespace confab::app
