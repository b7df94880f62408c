// SPDX-License-Identifier: MIT
#include "app/cli/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "app/cli/option_flags.h"
#include "app/cli/parser.h"
#include "app/cli/version.h"
#include "app/commands/commands.h"
#include "app/commands/focus_keys.h"
#include "app/exit_status.h"
#include "app/option_table.h"
#include "app/parameters.h"
#include "ui/input/keymap.h"

namespace confab::app {
namespace {

std::string section(std::string_view title) {
  return fmt::format(".SH {}\n", title);
}

std::string paragraph(std::string_view text) {
  return fmt::format(".PP\n{}\n", roff_text(text));
}

// A term in bold, followed by its meaning.
std::string entry(std::string_view term, std::string_view meaning) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff_text(term), roff_text(meaning));
}

std::string shown_name(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  return fmt::format("{}", fmt::join(shown_names(option), ","));
}

std::string options(const CLI::App& chat) {
  std::string text = section("OPTIONS");
  for (const CLI::Option* option : chat.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    const std::string value = option->get_positional() ? "" : value_name(*option);
    text += entry(fmt::format("{}{}{}", shown_name(*option), value.empty() ? "" : " ", value),
                  option->get_description());
  }
  return text;
}

// For example "Number of threads: a whole number from 1 to 1024; default: all cores. -t,--threads,
// CONFAB_THREADS".
std::string key_help(const Option& option) {
  const std::string help =
      option.key_help.empty() ? std::string(option.help) : std::string(option.key_help);
  const std::string by_default = default_text(option);
  return fmt::format("{}: {}{}. {}, {}", help, range_text(option.value),
                     by_default.empty() ? "" : fmt::format("; default: {}", by_default),
                     option.flag, variable_of(option));
}

std::string shell_commands() {
  std::string text = section("COMMANDS");
  for (const auto& [name, what] :
       {std::pair{"list, search, rename, pin, unpin, delete, export, import",
                  "Work with saved conversations."},
        {"commit-message, explain, proofread, review, summarize, translate",
         "Ask with a template; so is each of your own a command."},
        {"templates [NAME]", "List the templates, or print one."},
        {"batch", "Answer a file of requests, several at a time."},
        {"config", "Show the value of each option, and where it is from."},
        {"models", "List the models found on this machine, and which of them fit."},
        {"pull ORG/NAME[:QUANT]",
         "Download a model from huggingface.co; --suggest names three that fit this machine."},
        {"rm MODEL", "Remove from the disk what confab pulled; asks first."},
        {"engines", "List other engines: those in config.toml, and those on this machine."},
        {"devices", "List the graphics processors and the processor that models can run on."},
        {"cache", "Show the prompt cache; gc, verify and clear maintain it."},
        {"fit", "Show whether a model fits into memory, and which ones would."},
        {"bench", "Measure prefill and decode speed against memory bandwidth."},
        {"quantize", "Make a model file smaller by using fewer bits."},
        {"debug", "Look inside a model: tokens, prompts, logits, metadata."}})
    text += entry(name, what);
  return text + entry("help [COMMAND]", "Explain a command.");
}

std::string chat_commands() {
  std::string text =
      section("IN THE CHAT") +
      paragraph("A line that begins with a slash is a command; it is never sent to the model:");
  for (const Command& command : commands()) {
    std::string name(command.name);
    if (!command.aliases.empty()) name += fmt::format(" ({})", command.aliases);
    if (!command.arguments.empty()) name += fmt::format(" {}", command.arguments);
    text += entry(name, command.help);
  }
  return text +
         paragraph(
             "/retry 3 writes three answers at once, side by side where the window is wide enough. "
             "While nothing is typed, Left and Right show the others where it is not, Delete stops "
             "the one that is shown, and Esc stops all. The one that was shown last is continued; "
             "the others are branches.") +
         paragraph(
             "@FILE in a question attaches the file. A message that begins with \"\"\" continues "
             "until the next \"\"\"; a line that ends with \\ continues on the next line.");
}

std::string chat_settings() {
  std::string text = paragraph("/set takes these, under the names that Ollama or llama.cpp use:");
  for (const Parameter& parameter : parameters()) {
    if (!parameter.command.empty()) continue;
    text +=
        entry(fmt::format("/set {}{}", parameter.name,
                          parameter.aliases.empty() ? "" : fmt::format(" ({})", parameter.aliases)),
              help_text(parameter));
  }
  return text;
}

std::string keys() {
  std::string text =
      section("KEYS") +
      paragraph(
          "While typing, readline's keys work as set in ~/.inputrc (\"$if confab\"), and also:");
  for (const ui::KeyBinding& binding : ui::key_bindings()) text += entry(binding.key, binding.help);
  text += paragraph("While a message is selected:");
  for (const FocusKey& key : focus_keys()) text += entry(key.keys, key.help);
  return text;
}

std::string surroundings() {
  std::string text = section("FILES");
  for (const auto& [name, what] :
       {std::pair{"$XDG_CONFIG_HOME/confab/config.toml", "Configuration: confab-config(5)."},
        {"$XDG_CONFIG_HOME/confab/themes/*.toml", "Your own themes."},
        {"$XDG_CONFIG_HOME/confab/templates/*.toml", "Your own templates: /NAME, confab NAME."},
        {"$XDG_DATA_HOME/confab/confab.db", "Conversations (SQLite)."},
        {"$XDG_STATE_HOME/confab/state.toml", "What was last chosen in the chat."},
        {"$XDG_STATE_HOME/confab/history", "What you typed."},
        {"$XDG_CACHE_HOME/confab/kv/", "The prompt cache; it can be deleted at any time."}})
    text += entry(name, what);
  text += section("ENVIRONMENT");
  for (const auto& [name, what] :
       {std::pair{"NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, COLORTERM",
                  "Whether to use colours, and which."},
        {"ACCESSIBLE", "If set, nothing on the screen is ever redrawn; for screen readers."},
        {"VISUAL, EDITOR", "Editor for long messages."},
        {"CONFAB_KEY", "A value for each key of confab-config(5), in capitals: CONFAB_THREADS=4."},
        {"CONFAB_ISA", "Instruction set to use instead of the best one."},
        {"CONFAB_MODEL_FOLDERS", "Folders with models, with colons between them."}})
    text += entry(name, what);
  text += section("EXIT STATUS");
  for (const ExitStatusHelp& row : kExitStatusHelp)
    text += entry(fmt::format("{}", static_cast<int>(row.status)), row.help);
  return text;
}

}  // namespace

std::string roff_text(std::string_view text) {
  std::string out;
  bool line_begin = true;
  for (const char c : text) {
    if (line_begin && (c == '.' || c == '\'')) out += "\\&";
    line_begin = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string config_man_page() {
  std::string text =
      fmt::format(
          ".TH CONFAB\\-CONFIG 5 \"\" \"{}\"\n.SH NAME\nconfab\\-config \\- settings of confab\n",
          roff_text(release_name())) +
      section("SYNOPSIS") + entry("$XDG_CONFIG_HOME/confab/config.toml", "~/.config if unset.") +
      section("DESCRIPTION") +
      paragraph(
          "Permanent settings, as TOML. All keys are optional. confab reads the file when it "
          "starts and never writes it; a mistake in it is reported with its line.") +
      paragraph(
          "What you choose in the chat (theme, model, reasoning, sampling) is remembered in "
          "$XDG_STATE_HOME/confab/state.toml. Each of these overrides the ones before it: the "
          "built-in default, what the model's makers recommend, what was last chosen in the chat, "
          "config.toml, the environment, the command line, and what is set in the chat. confab "
          "config shows each value and where it is from.") +
      paragraph(
          "Each key is a flag of confab(1) as well, and a variable of the environment: CONFAB_ and "
          "the key in capitals. A variable that is empty says nothing; of a list, each line is a "
          "value. What is about one run alone has no key: -p, -f, FILE, --n, --no-stdin, "
          "--continue, --resume, and what prints something instead of a chat.") +
      section("KEYS");
  for (const Option& option : option_table()) text += entry(option.key, key_help(option));
  return text + section("EXAMPLE") +
         ".EX\nmodel = \"qwen3\"\ntheme = \"light\"\nctx_size = 16384\ntemperature = 0.7\n.EE\n" +
         section("SEE ALSO") + ".BR confab (1)\n";
}

std::string man_page(const CLI::App& chat) {
  return fmt::format(
             ".TH CONFAB 1 \"\" \"{}\"\n.SH NAME\nconfab \\- chat with a language model on this "
             "machine\n.SH SYNOPSIS\n.B confab\n[\\fIOPTION\\fR]... [\\fB\\-p\\fR \\fITEXT\\fR "
             "[\\fIFILE\\fR]...]\n.br\n.B confab\n\\fICOMMAND\\fR ...\n",
             roff_text(release_name())) +
         section("DESCRIPTION") +
         paragraph(
             "Opens a chat that uses the whole screen or, with --plain, the terminal's own "
             "scrollback. Without a terminal, on a terminal that cannot move its cursor or is not "
             "in the terminal database, and with ACCESSIBLE=1, the chat is line by line. With -p, "
             "confab answers one question on "
             "standard output; files and standard input are added to the question.") +
         paragraph(
             "A pipe or file on standard input is read to its end; while a pipe is silent, a line "
             "on standard error says that confab is waiting for it. If FILEs are named, a pipe "
             "that stays silent for 0.2 seconds is ignored, which is reported too; the file - "
             "waits for it. A terminal is read only if the file - is named. With --no-stdin, "
             "standard input "
             "is not read at all, so that a loop such as \"while read line\" keeps its lines.") +
         options(chat) + shell_commands() + chat_commands() + chat_settings() + keys() +
         surroundings() + section("SEE ALSO") + ".BR confab\\-config (5)\n";
}

}  // namespace confab::app
