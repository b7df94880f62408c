// SPDX-License-Identifier: MIT
#include "app/pull/pull_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "app/error.h"
#include "app/exit_status.h"
#include "app/figures.h"
#include "app/models/listed_models.h"
#include "app/models/model_finder.h"
#include "app/models/suggested_model.h"
#include "app/progress_line.h"
#include "app/pull/model_pull.h"
#include "app/pull/pulled_record.h"
#include "engine/hub/hub_layout.h"
#include "engine/hub/hub_name.h"
#include "engine/platform/memory.h"
#include "ui/terminal/signals.h"
#include "ui/text.h"
#include "ui/words.h"

namespace confab::app {
namespace {

bool is_equal(const std::string& a, const std::string& b) {
  return ui::lower_case(a) == ui::lower_case(b);
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_meant(const PulledFile& file, const std::string& text) {
  const auto name = engine::parse_hub_name(text);
  if (!name) return file_name(file.path) == text;
  if (!is_equal(file.repository, name->repository())) return false;
  return name->choice.empty() || name->choice == file.path ||
         name->choice == file_name(file.path) ||
         is_equal(name->choice, engine::quantisation_of(file.path));
}

[[noreturn]] void fail(const std::string& text) {
  const std::vector<FoundModel> models = find_models({});
  for (const FoundModel& model : models)
    if (model.name.find(text) != std::string::npos)
      throw NoModelError(fmt::format(
          "confab did not pull '{}', so it leaves it alone: remove {} with the program that did",
          text, shorten_home(model.path.string())));
  throw NoModelError(
      fmt::format("confab pulled no '{}': confab models lists what is on this machine", text));
}

bool confirmed(const std::vector<PulledFile>& files, std::istream& in, std::ostream& out) {
  if (isatty(STDIN_FILENO) == 0)
    throw UserError("rm: not a terminal: use --yes to remove without asking");
  std::uint64_t bytes = 0;
  for (const PulledFile& file : files) {
    bytes += file.bytes;
    out << ui::one_line(fmt::format("{}/{}", file.repository, file.path)) << '\n';
  }
  out << fmt::format("Remove {} ({}) from the disk? [y/N] ",
                     counted(static_cast<std::int64_t>(files.size()), "file"), size_text(bytes))
      << std::flush;
  std::string answer;
  std::getline(in, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int suggest(const Paths& paths, std::ostream& out, std::ostream& err) {
  const SuggestedPulls suggested = suggested_pulls(paths, "confab pull");
  out << suggested.models;
  err << suggested.about;
  return suggested.is_any ? 0 : static_cast<int>(ExitStatus::does_not_fit);
}

}  // namespace

int run_rm(const RemoveOptions& options, const Paths& paths, std::istream& in, std::ostream& out) {
  const PulledRecord record(PulledRecord::file_of(paths));
  std::vector<PulledFile> files = record.list();
  std::erase_if(files, [&](const PulledFile& file) { return !is_meant(file, options.model); });
  if (files.empty()) fail(ui::one_line(options.model));
  if (!options.yes && !confirmed(files, in, out)) {
    out << "Nothing was removed.\n";
    return 1;
  }
  std::uint64_t freed = 0;
  for (const PulledFile& file : files) {
    const engine::HubLayout layout(file.hub, file.repository);
    freed += layout.remove(file.commit, file.path, file.sha256);
    record.remove(file);
  }
  out << fmt::format("Removed {}: {} freed.\n",
                     counted(static_cast<std::int64_t>(files.size()), "file"), size_text(freed));
  return 0;
}

SuggestedPulls suggested_pulls(const Paths& paths, std::string_view command) {
  const ModelList list = load_model_list(paths);
  const std::uint64_t room = room_for_model(engine::platform::available_memory());
  const std::vector<ListedModel> fitting = models_that_fit(list.models, room);
  SuggestedPulls suggested{.models = {}, .about = {}, .is_any = !fitting.empty()};
  for (const ListedModel& model : fitting)
    suggested.models +=
        fmt::format("{} ({}): {}\n    {} {}\n", ui::one_line(model.name), size_text(model.bytes),
                    ui::one_line(model.about), command, model.pull);
  suggested.about = fmt::format(
      "{} up to {} fit this machine now. These are from {};\na list of your own goes into {}.\n",
      fitting.empty() ? "No model of the list fits: only files" : "Files", size_text(room),
      shorten_home(list.file.string()), shorten_home(own_model_list(paths).string()));
  return suggested;
}

int run_pull(const PullOptions& options, const Paths& paths, std::ostream& out, std::ostream& err) {
  if (options.suggest) return suggest(paths, out, err);
  const auto say = [&](const std::string& text) {
    if (!options.quiet) err << ui::one_line(text) << '\n';
  };
  ModelPull pull(options.model, paths);
  if (!pull.notice().empty()) say(pull.notice());
  pull.find_files();  // until here Ctrl+C ends the program at once
  ui::Signals signals;
  ProgressLine line;
  int status = 0;  // exit status that a signal asked for
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
