// SPDX-License-Identifier: MIT
#include "app/pull/pull_command.h"

#include <fmt/format.h>

#include <ostream>

#include "app/exit_status.h"
#include "app/progress_line.h"
#include "app/pull/model_pull.h"
#include "app/pull/suggested_pulls.h"
#include "ui/terminal/signals.h"
#include "ui/text.h"

namespace confab::app {
namespace {

int suggest(const Paths& paths, std::ostream& out, std::ostream& err) {
  const SuggestedPulls suggested = suggested_pulls(paths, "confab pull");
  out << suggested.models;
  err << suggested.about;
  return suggested.is_any ? 0 : static_cast<int>(ExitStatus::does_not_fit);
}

}  // namespace

int run_pull(const PullOptions& options, const Paths& paths, std::ostream& out, std::ostream& err) {
  if (options.suggest) return suggest(paths, out, err);
  const auto say = [&](const std::string& text) {
    if (!options.quiet) err << ui::one_line(text) << '\n';
  };
  ModelPull pull(options.model, paths);
  if (!pull.notice().empty()) say(pull.notice());
  pull.find_files();  // Ctrl+C still ends the program at once meanwhile
  ui::Signals signals;
  ProgressLine line;
  int status = 0;  // that a signal asked for
  const auto pulled = pull.run([&](int percent, const std::string& text) {
    if (status == 0) status = status_asked_for(signals);
    line.show(percent, text);
    return status == 0;
  });
  line.clear();
  if (!pulled) {
    say(fmt::format("Stopped: what has come of {} stays, and the same command goes on.",
                    pull.repository()));
    return status;
  }
  say(pulled->text);
  say(fmt::format("To chat with it: confab -m {}", pulled->name));
  out << pulled->file.string() << '\n';
  return 0;
}

}  // namespace confab::app
