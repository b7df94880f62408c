// SPDX-License-Identifier: MIT
// A person and a model at a chat screen, as a golden case tells it.
//
// `in`, what the model says: parts that begin with a line "%% answer", "%% reasoning" or
// "%% error", each up to the next; reasoning belongs to the answer behind it. `keys`, a line each:
//   type TEXT        letters, one by one
//   key NAME...      keys as ui::key_name() spells them
//   paste TEXT       with \n for line breaks
//   say N            the first N characters of the next answer, its reasoning first
//   answer           the rest of it, to its end
//   tell I/N TEXT    of N answers that are written at once, the I-th goes on
//   end I/N          and ends
//   prefill N OF     so many tokens of the prompt have been read
//   wait SECONDS     time passes
//   size COLSxROWS   the terminal has another size
// A frame is drawn after each.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "tests/app/screen/screen_fixture.h"

namespace confab::app {

struct Reply {
  std::string reasoning;
  std::string text;
  std::string error;
};

// Of an `in` file.
std::deque<Reply> parse_replies(std::string_view in);

// What a terminal sends for a key; empty: nothing is known.
std::string bytes_of(const ui::Key& key);

}  // namespace confab::app
