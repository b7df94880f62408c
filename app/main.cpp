// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "app/batch/batch.h"
#include "app/cli/candidates.h"
#include "app/cli/cli.h"
#include "app/cli/config.h"
#include "app/copy_watch.h"
#include "app/error.h"
#include "app/exit_status.h"
#include "app/line/decide.h"
#include "app/line/once.h"
#include "app/line/plain_chat.h"
#include "app/paths.h"
#include "app/pull/pull_command.h"
#include "app/safe_output.h"
#include "app/screen/event_loop.h"
#include "app/standard_streams.h"
#include "app/tools/bench.h"
#include "app/tools/cache_command.h"
#include "app/tools/debug.h"
#include "app/tools/devices_command.h"
#include "app/tools/engines_command.h"
#include "app/tools/fit.h"
#include "app/tools/models_command.h"
#include "app/tools/quantize.h"
#include "app/transfer/subcommands.h"
#include "ui/error.h"
#include "ui/locale.h"
#include "ui/terminal/terminal_description.h"
#include "ui/terminal/terminal_device.h"

extern char** environ;  // declared by glibc's headers only

namespace {

using namespace confab;  // NOLINT: this file is where everything meets

// Whether frames can be drawn on this terminal, and nobody has asked for plain output. If the
// terminal is unknown or too limited, a notice says so, unless --plain was given.
bool on_capable_terminal(const app::ChatOptions& options) {
  if (isatty(STDIN_FILENO) == 0 || !ui::may_redraw(STDOUT_FILENO)) return false;
  try {
    ui::describe_terminal(STDOUT_FILENO);
    return true;
  } catch (const ui::TerminalError& fault) {
    if (!options.plain)
      app::tell_error(
          fmt::format("{}; chatting line by line. With TERM=xterm-256color it may work in full.",
                      fault.what()));
    return false;
  }
}

int run_chat(const app::ChatOptions& options, const app::Paths& paths) {
  if (options.decision.is_wanted()) return app::run_decide(options, paths);
  if (options.prompt) return app::run_once(options, paths);
  if (!on_capable_terminal(options)) return app::run_plain_chat(options, paths);
  return app::run_screen_chat(options, paths);
}

int run_models(const app::ModelsOptions& models) {
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  const ui::Cols width = is_terminal ? ui::screen_size(STDOUT_FILENO).cols : ui::Cols{0};
  return app::run_models(models, width, std::cout, std::cerr);
}

int run(const app::Invocation& invocation, const app::Paths& paths) {
  if (const auto* text = std::get_if<app::PrintAndExit>(&invocation)) {
    std::cout << text->text;
    return 0;
  }
  if (const auto* query = std::get_if<app::CandidatesQuery>(&invocation)) {
    std::cout << app::candidates(query->kind);
    return 0;
  }
  if (const auto* conversations = std::get_if<app::ConversationOptions>(&invocation))
    return app::run_conversations(*conversations, paths, std::cin, std::cout);
  if (const auto* batch = std::get_if<app::BatchOptions>(&invocation))
    return app::run_batch(*batch, paths);
  const app::SafeOutput safe(std::cout, isatty(STDOUT_FILENO) == 1);
  if (const auto* models = std::get_if<app::ModelsOptions>(&invocation)) return run_models(*models);
  if (const auto* engines = std::get_if<app::EnginesQuery>(&invocation))
    return app::run_engines(*engines, std::cout, std::cerr);
  if (const auto* devices = std::get_if<app::DevicesQuery>(&invocation))
    return app::run_devices(*devices, std::cout);
  if (const auto* bench = std::get_if<app::BenchOptions>(&invocation))
    return app::run_bench(*bench, std::cout, std::cerr);
  if (const auto* fit = std::get_if<app::FitOptions>(&invocation))
    return app::run_fit(*fit, std::cout);
  if (const auto* pull = std::get_if<app::PullOptions>(&invocation))
    return app::run_pull(*pull, paths, std::cout, std::cerr);
  if (const auto* remove = std::get_if<app::RemoveOptions>(&invocation))
    return app::run_rm(*remove, paths, std::cin, std::cout);
  if (const auto* quantize = std::get_if<app::QuantizeCommand>(&invocation))
    return app::run_quantize(*quantize, std::cout);
  if (const auto* cache = std::get_if<app::CacheOptions>(&invocation))
    return app::run_cache(*cache, paths, std::cout);
  if (const auto* debug = std::get_if<app::DebugOptions>(&invocation))
    return app::run_debug(*debug, paths, std::cin, std::cout, std::cerr);
  return run_chat(std::get<app::ChatOptions>(invocation), paths);
}

int run_config(const app::ConfigQuery& query, const std::vector<std::string>& faults,
               const app::Paths& paths) {
  const app::SafeOutput safe(std::cout, isatty(STDOUT_FILENO) == 1);
  return app::run_config(query, faults, paths, std::cout, std::cerr);
}

std::vector<std::string> environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

// `on_failure` receives the exit status of failures that have none of their own.
int run(const std::vector<std::string>& words, app::ExitStatus& on_failure) {
  // --help, --version and everything else that needs no configuration must work even if that is
  // broken.
  app::Invocation invocation = app::parse_command_line(words, {});
  if (std::holds_alternative<app::PrintAndExit>(invocation) ||
      std::holds_alternative<app::CandidatesQuery>(invocation))
    return run(invocation, {});
  const app::Paths paths = app::Paths::from_environment();
  if (const auto* options = std::get_if<app::ConversationOptions>(&invocation)) {
    on_failure = app::status_of_failure(options->action == app::ConversationAction::search);
    return run(invocation, paths);
  }
  const bool is_config = std::holds_alternative<app::ConfigQuery>(invocation);
  const auto* chat = std::get_if<app::ChatOptions>(&invocation);
  const bool goes_on = is_config || (chat != nullptr && !chat->prompt);
  const app::LoadedOptions loaded = app::load_defaults(
      paths, goes_on ? app::StatePart::all : app::StatePart::model, environment());
  if (!is_config && !loaded.faults.empty()) throw app::UsageError(loaded.faults.front());
  invocation = app::parse_command_line(words, loaded.options);
  if (is_config) return run_config(std::get<app::ConfigQuery>(invocation), loaded.faults, paths);
  if (auto* options = std::get_if<app::ChatOptions>(&invocation)) {
    on_failure = app::status_of_failure(options->decision.yes_no);
    app::read_option_files(*options);
  }
  return run(invocation, paths);
}

int complain(const char* what, app::ExitStatus status) {
  std::cout.flush();
  app::tell_error(what);
  return static_cast<int>(status);
}

// A closed descriptor would be reused by the next file that is opened, and the answer written into
// that file. The descriptors are read-only, so writing to one fails and is reported.
void keep_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
  using app::ExitStatus;
  keep_standard_descriptors();
  ui::use_utf8_locale();
  // A reader that has left, a full disk and a size limit are errors to handle, not reasons to die.
  for (const int fault : {SIGPIPE, SIGXFSZ}) signal(fault, SIG_IGN);
  app::StandardOutput output(STDOUT_FILENO);
  ExitStatus on_failure = ExitStatus::failed;
  try {
    const int status = run(std::vector<std::string>(argv + 1, argv + argc), on_failure);
    output.finish();
    return status;
  } catch (const app::UsageError& fault) {
    return complain(fault.what(), ExitStatus::usage);
  } catch (const app::NoModelError& fault) {
    return complain(fault.what(), ExitStatus::no_model);
  } catch (const app::TooLongError& fault) {
    return complain(fault.what(), ExitStatus::too_long);
  } catch (const app::Interrupted& by) {
    return by.status();
  } catch (const std::bad_alloc&) {
    return complain("out of memory: try a smaller -c or close other programs", on_failure);
  } catch (const std::exception& fault) {
    return complain(fault.what(), on_failure);
  }
}
