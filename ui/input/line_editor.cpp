// SPDX-License-Identifier: MIT
#include "ui/input/line_editor.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

// readline's headers need FILE declared before them.
#include <readline/history.h>
#include <readline/readline.h>

#include "ui/error.h"
#include "ui/input/history_file.h"
#include "ui/locale.h"
#include "ui/terminal/safe_stream.h"
#include "ui/text.h"

namespace confab::ui {
namespace {

// --- the keys added to readline's own

// readline calls it with the numeric argument and the last byte of the key. It returns 0 when done.
using KeyFunction = int (*)(int count, int key);

struct EditorKeys {
  KeyFunction up;
  KeyFunction down;
  KeyFunction reverse_search;  // Ctrl+R
  // Set only if readline uses no terminal:
  KeyFunction complete;       // Tab
  KeyFunction complete_back;  // Shift+Tab
  KeyFunction expand;         // Ctrl+O
  KeyFunction edit;           // Ctrl+G, Ctrl+X Ctrl+E
  // Set only if readline uses one:
  KeyFunction paste;  // the sequence that a terminal sends before pasted text
};

extern "C" {

int insert_newline(int count, int /*key*/) {
  for (int i = 0; i < count; ++i) rl_insert_text("\n");
  return 0;
}

// readline's own function moves in the whole text; these move in the line of the caret.
int line_begin(int /*count*/, int /*key*/) {
  while (rl_point > 0 && rl_line_buffer[rl_point - 1] != '\n') --rl_point;
  return 0;
}

int line_end(int /*count*/, int /*key*/) {
  while (rl_point < rl_end && rl_line_buffer[rl_point] != '\n') ++rl_point;
  return 0;
}

}  // extern "C"

void bind(const char* keys, rl_command_func_t* usual, KeyFunction ours, Keymap map) {
  if (ours == nullptr) return;
  std::array<char, 64> raw{};
  int n_raw = 0;
  rl_translate_keyseq(keys, raw.data(), &n_raw);
  int type = 0;
  rl_command_func_t* bound =
      rl_function_of_keyseq_len(raw.data(), static_cast<std::size_t>(n_raw), map, &type);
  if (bound == nullptr || (type == ISFUNC && bound == usual))
    rl_bind_keyseq_in_map(keys, ours, map);
}

// The non-incremental searches of readline 8.2 free the undo list of a line twice if they start on
// an edited line of the history. Its other searches replace them on their keys.
void bind_searches(const EditorKeys& ours) {
  bind("\\ep", rl_noninc_reverse_search, ours.up, emacs_standard_keymap);
  bind("\\en", rl_noninc_forward_search, ours.down, emacs_standard_keymap);
  bind("/", rl_vi_search, ours.reverse_search, vi_movement_keymap);
  bind("?", rl_vi_search, rl_forward_search_history, vi_movement_keymap);
  bind("n", rl_vi_search_again, ours.reverse_search, vi_movement_keymap);
  bind("N", rl_vi_search_again, rl_forward_search_history, vi_movement_keymap);
}

void bind_movement(Keymap map, const EditorKeys& ours) {
  for (const char* keys : {"\\e[A", "\\eOA"}) bind(keys, rl_get_previous_history, ours.up, map);
  for (const char* keys : {"\\e[B", "\\eOB"}) bind(keys, rl_get_next_history, ours.down, map);
  for (const char* keys : {"\\C-a", "\\e[H", "\\eOH", "\\e[1~", "\\e[7~"})
    bind(keys, rl_beg_of_line, line_begin, map);
  for (const char* keys : {"\\C-e", "\\e[F", "\\eOF", "\\e[4~", "\\e[8~"})
    bind(keys, rl_end_of_line, line_end, map);
  bind("\\e[3~", nullptr, rl_delete, map);
  for (const char* keys : {"\\e[3;5~", "\\e[3;3~"}) bind(keys, nullptr, rl_kill_word, map);
  bind("\\e[1;3C", nullptr, rl_forward_word, map);
  bind("\\e[1;3D", nullptr, rl_backward_word, map);
  bind("\\e[1;5C", nullptr, rl_forward_word, map);
  bind("\\e[1;5D", nullptr, rl_backward_word, map);
}

void bind_our_own(Keymap map, const EditorKeys& ours) {
  bind("\\C-r", rl_reverse_search_history, ours.reverse_search, map);
  bind("\\t", rl_complete, ours.complete, map);
  bind("\\e[Z", nullptr, ours.complete_back, map);
  bind("\\C-o", rl_operate_and_get_next, ours.expand, map);
  bind("\\C-g", rl_abort, ours.edit, map);
  bind("\\C-x\\C-e", nullptr, ours.edit, map);
  bind("\\e[200~", rl_bracketed_paste_begin, ours.paste, map);
}

// Adds bindings, unless the user's inputrc has changed the default ones. Call it after
// rl_initialize().
void bind_editor_keys(bool on_terminal, const EditorKeys& keys) {
  rl_add_defun("insert-newline", insert_newline, -1);
  bind_searches(keys);
  for (Keymap map : {emacs_standard_keymap, vi_insertion_keymap}) {
    // On a terminal, text typed before the prompt arrives with \n for Enter.
    if (on_terminal)
      bind("\\C-j", insert_newline, rl_newline, map);
    else
      bind("\\C-j", rl_newline, insert_newline, map);
    for (const char* keyseq : {"\\e\\C-m", "\\e\\C-j"})
      bind(keyseq, rl_vi_editing_mode, insert_newline, map);
    bind("\\eOM", nullptr, rl_newline, map);
    bind_movement(map, keys);
    bind_our_own(map, keys);
  }
}

// --- readline and its state

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The state that readline's callbacks need, because they are plain functions. Exceptions must not
// pass through readline's frames.
struct State {
  bool in_use = false;
  LineEditor::Display display = LineEditor::Display::none;
  std::string_view queue;  // bytes fed and not read yet
  InputResult result;
  Completer completer;
  std::vector<Candidate> matches;
  LineEditorHooks hooks;
  std::vector<std::string> history;
};
State state;

// Restores the history in readline. readline keeps edits of old entries, with undo lists that
// version 8.2 frees twice in vi mode. So this is called after each line to discard the edits. (The
// lists leak.)
void restore_history() {
  clear_history();
  for (const std::string& entry : state.history) ::add_history(entry.c_str());
  using_history();
}

void keep_history(const std::vector<std::string>& entries) {
  const std::size_t n = std::min(entries.size(), kMaxHistoryEntries);
  state.history.assign(entries.end() - static_cast<std::ptrdiff_t>(n), entries.end());
  restore_history();
}

// Loads entries that other programs have added, unless an entry of the history is being edited.
void refresh_history() {
  if (!state.hooks.changed_history || where_history() != history_length) return;
  try {
    if (const auto entries = state.hooks.changed_history()) keep_history(*entries);
  } catch (const std::exception&) {
    // Keep the history as it is.
  }
}

extern "C" {

int next_byte(std::FILE* /*stream*/) {
  if (state.queue.empty()) return EOF;
  const auto byte = static_cast<unsigned char>(state.queue.front());
  state.queue.remove_prefix(1);
  return byte;
}

int has_byte() {
  return state.queue.empty() ? 0 : 1;
}

void keep_modes(int /*meta*/) {}
void keep_modes_too() {}
void draw_nothing() {}

void take_line(char* line) {
  if (line == nullptr) {
    state.result.end = true;
  } else {
    state.result.submitted = line;
    std::free(line);
  }
  // In a terminal, begin() shows the next prompt.
  if (state.display != LineEditor::Display::none) rl_callback_handler_remove();
}

int up(int count, int key) {
  if (state.hooks.move && state.hooks.move(-count)) return 0;
  refresh_history();
  return rl_get_previous_history(count, key);
}

int down(int count, int key) {
  if (state.hooks.move && state.hooks.move(count)) return 0;
  return rl_get_next_history(count, key);
}

int reverse_search(int count, int key) {
  refresh_history();
  return rl_reverse_search_history(count, key);
}

int complete_forward(int /*count*/, int /*key*/) {
  if (state.hooks.complete) state.hooks.complete(1);
  return 0;
}

int complete_back(int /*count*/, int /*key*/) {
  if (state.hooks.complete) state.hooks.complete(-1);
  return 0;
}

int expand(int /*count*/, int /*key*/) {
  if (state.hooks.expand) state.hooks.expand();
  return 0;
}

// For terminals that support bracketed paste.
int paste(int count, int key) {
  const int begin = rl_point;
  const int status = rl_bracketed_paste_begin(count, key);
  if (state.hooks.pasted && rl_point > begin) {
    const auto n = static_cast<std::size_t>(rl_point - begin);
    state.hooks.pasted({rl_line_buffer + begin, n});
  }
  return status;
}

int edit(int /*count*/, int /*key*/) {
  state.result.edit = true;
  return 0;
}

char* next_match(const char* /*text*/, int restart) {
  static std::size_t index = 0;
  if (restart == 0) index = 0;
  return index < state.matches.size() ? strdup(state.matches[index++].text.c_str()) : nullptr;
}

char** complete(const char* text, int start, int /*end*/) {
  rl_attempted_completion_over = 1;  // never complete file names
  try {
    if (!state.completer) return nullptr;
    const std::string_view before(rl_line_buffer, static_cast<std::size_t>(start));
    state.matches = state.completer(before, text);
  } catch (const std::exception&) {
    return nullptr;  // a failed completion counts as one without candidates
  }
  return state.matches.empty() ? nullptr : rl_completion_matches(text, next_match);
}

}  // extern "C"

void bind_keys(LineEditor::Display display) {
  const bool none = display == LineEditor::Display::none;
  bind_editor_keys(!none, {.up = up,
                           .down = down,
                           .reverse_search = reverse_search,
                           .complete = none ? complete_forward : nullptr,
                           .complete_back = none ? complete_back : nullptr,
                           .expand = none ? expand : nullptr,
                           .edit = none ? edit : nullptr,
                           .paste = none ? nullptr : paste});
}

void set_up_callbacks(LineEditor::Display display) {
  const bool none = display == LineEditor::Display::none;
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_change_environment = 0;
  rl_getc_function = none ? next_byte : rl_getc;
  rl_input_available_hook = none ? has_byte : nullptr;
  rl_redisplay_function = none ? draw_nothing : rl_redisplay;
  rl_prep_term_function = none ? keep_modes : rl_prep_terminal;
  rl_deprep_term_function = none ? keep_modes_too : rl_deprep_terminal;
  rl_attempted_completion_function = complete;
  rl_completer_word_break_characters = " \t\n";
  rl_completion_query_items = none ? 0 : 100;
}

// The user's inputrc can override what is set before rl_initialize(), but not what is set after it.
void initialize(LineEditor::Display display) {
  rl_readline_name = "confab";
  if (display == LineEditor::Display::teletype) rl_terminal_name = "dumb";
  rl_variable_bind("bell-style", "none");
  rl_variable_bind("show-all-if-ambiguous", "on");
  rl_initialize();
  use_utf8_locale();
  for (const char* variable : {"input-meta", "output-meta"}) rl_variable_bind(variable, "on");
  rl_variable_bind("convert-meta", "off");
  bind_keys(display);
}

File open_nothing(const char* mode) {
  File file(std::fopen("/dev/null", mode));
  if (!file) throw TerminalError("/dev/null: cannot be opened");
  return file;
}

InputResult take_result() {
  InputResult result = std::exchange(state.result, {});
  if (result.submitted || result.end) restore_history();
  return result;
}

// Ends a search, a numeric argument or a partly read key.
void leave_modes() {
  rl_callback_sigcleanup();
  rl_clear_message();
}

// Whether a key starts a longer sequence. Escape alone does not. A search in readline 8.2 also ends
// at such a key, but its callback interface then reads the rest through a context that no longer
// exists, and crashes.
bool begins_sequence(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes.empty() ? '\0' : bytes[0]);
  return bytes != "\x1b" && rl_get_keymap()[first].type == ISKMAP;
}

// The command that a whole key is bound to. nullptr if there is none, if it is a macro or if the
// key is incomplete.
rl_command_func_t* command_of(std::string_view bytes, int& type) {
  return rl_function_of_keyseq_len(bytes.data(), bytes.size(), rl_get_keymap(), &type);
}

// Whether this is an unbound function key. readline would insert the end of its sequence as text.
bool is_unbound_sequence(std::string_view bytes) {
  int type = 0;
  const bool function_key =
      bytes.starts_with("\x1b[") || bytes.starts_with("\x1bO") || bytes.starts_with("\x1b\x1b");
  return bytes.size() > 2 && function_key && command_of(bytes, type) == nullptr && type != ISKMAP;
}

// Returns where the last grapheme cluster of the text begins.
std::size_t last_grapheme(std::string_view text) {
  // A cluster does not cross a line break, and regional indicators are counted from the start of
  // the line.
  std::size_t at = text.rfind('\n', text.size() - std::min<std::size_t>(text.size(), 2)) + 1;
  for (;;) {
    const std::size_t n = next_grapheme(text.substr(at)).bytes.size();
    if (at + n >= text.size()) return at;
    at += n;
  }
}

void erase(std::size_t begin, std::size_t end) {
  rl_delete_text(static_cast<int>(begin), static_cast<int>(end));
  rl_point = static_cast<int>(begin);
}

// Handles Backspace, Delete and the left and right arrows next to a cluster of several code points,
// because readline would treat it as several characters. Returns false if readline should handle
// the key.
bool act_on_grapheme(std::string_view bytes) {
  if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG)) return false;
  int type = 0;
  const rl_command_func_t* const command = command_of(bytes, type);
  if (type != ISFUNC) return false;
  const std::string_view line(rl_line_buffer, static_cast<std::size_t>(rl_end));
  const auto point = static_cast<std::size_t>(std::clamp(rl_point, 0, rl_end));
  const bool back = command == rl_rubout || command == rl_backward_char;
  const bool ahead = command == rl_delete || command == rl_forward_char;
  if ((!back && !ahead) || point == (back ? 0 : line.size())) return false;
  const std::size_t begin = back ? last_grapheme(line.substr(0, point)) : point;
  const std::size_t end = back ? point : point + next_grapheme(line.substr(point)).bytes.size();
  const std::size_t n_first = next_character(line.substr(begin)).n_bytes;
  if (end - begin <= n_first) return false;
  if (command == rl_rubout || command == rl_delete)
    erase(begin, end);
  else
    rl_point = static_cast<int>(back ? begin : end);
  return true;
}

}  // namespace

class LineEditor::Impl {
 public:
  explicit Impl(Display display)
      : nowhere_in_(open_nothing("r")),
        nowhere_out_(open_nothing("w")),
        terminal_out_(open_safe_stream(STDOUT_FILENO)) {
    assert(!state.in_use && "only one LineEditor may exist");
    state = State{};
    state.in_use = true;
    state.display = display;
    const bool none = display == Display::none;
    rl_instream = none ? nowhere_in_.get() : stdin;
    rl_outstream = none ? nowhere_out_.get() : terminal_out_.get();
    set_up_callbacks(display);
    initialize(display);
    using_history();
    clear_history();
    stifle_history(static_cast<int>(kMaxHistoryEntries));
    if (none) rl_callback_handler_install("", take_line);
  }

  ~Impl() {
    leave_modes();
    rl_callback_handler_remove();
    rl_instream = stdin;
    rl_outstream = stdout;
    state = State{};
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

 private:
  File nowhere_in_;
  File nowhere_out_;
  File terminal_out_;
};

LineEditor::LineEditor(Display display) : impl_(std::make_unique<Impl>(display)) {}
LineEditor::~LineEditor() = default;

bool LineEditor::knows(std::string_view bytes) const noexcept {
  return !bytes.empty() && !is_unbound_sequence(bytes);
}

InputResult LineEditor::feed(std::string_view bytes) {
  state.result = {};
  if (searching() && begins_sequence(bytes)) leave_modes();
  if (is_unbound_sequence(bytes) || act_on_grapheme(bytes)) return {};
  state.queue = bytes;
  while (!state.queue.empty()) rl_callback_read_char();
  return take_result();
}

void DrawnLineEditor::begin(const std::string& prompt) {
  rl_callback_handler_install(prompt.c_str(), take_line);
}

InputResult DrawnLineEditor::read() {
  state.result = {};
  rl_callback_read_char();
  return take_result();
}

void DrawnLineEditor::end() {
  leave_modes();
  rl_crlf();
  rl_callback_handler_remove();
}

void DrawnLineEditor::pause() {
  rl_deprep_terminal();
}

void DrawnLineEditor::proceed() {
  rl_prep_terminal(1);
  rl_forced_update_display();
}

void DrawnLineEditor::resize() {
  rl_resize_terminal();
}

std::string_view LineEditor::text() const noexcept {
  return {rl_line_buffer, static_cast<std::size_t>(rl_end)};
}

// During a search, readline's point may be past the end of the line that it found.
std::size_t LineEditor::caret() const noexcept {
  return static_cast<std::size_t>(std::clamp(rl_point, 0, rl_end));
}

std::string_view LineEditor::message() const noexcept {
  const bool shown = rl_display_prompt != nullptr && rl_display_prompt != rl_prompt;
  return shown ? std::string_view(rl_display_prompt) : std::string_view{};
}

bool LineEditor::vi_mode() const noexcept {
  return rl_editing_mode == 0;
}

bool LineEditor::searching() const noexcept {
  return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) != 0;
}

void LineEditor::insert(std::string_view text) {
  leave_modes();
  rl_insert_text(std::string(text).c_str());
  (*rl_redisplay_function)();
}

void LineEditor::replace(std::size_t begin, std::size_t end, std::string_view text) {
  if (searching()) leave_modes();
  rl_begin_undo_group();
  rl_delete_text(static_cast<int>(begin), static_cast<int>(end));
  rl_point = static_cast<int>(begin);
  rl_insert_text(std::string(text).c_str());
  rl_end_undo_group();
}

void LineEditor::set_text(std::string_view text) {
  leave_modes();
  rl_replace_line(std::string(text).c_str(), 1);
  rl_point = rl_end;
}

void LineEditor::set_caret(std::size_t offset) {
  rl_point = static_cast<int>(offset);
}

void LineEditor::clear() {
  leave_modes();
  rl_callback_handler_remove();
  restore_history();
  rl_callback_handler_install("", take_line);
}

void DrawnLineEditor::set_completer(Completer completer) {
  state.completer = std::move(completer);
}

void LineEditor::set_hooks(LineEditorHooks hooks) {
  state.hooks = std::move(hooks);
}

void LineEditor::set_history(const std::vector<std::string>& entries) {
  keep_history(entries);
}

void LineEditor::add_history(std::string_view entry) {
  if (entry.find_first_not_of(" \t\n") == std::string_view::npos) return;
  if (!state.history.empty() && state.history.back() == entry) return;
  if (state.history.size() == kMaxHistoryEntries) state.history.erase(state.history.begin());
  state.history.emplace_back(entry);
  ::add_history(state.history.back().c_str());
  using_history();
}

}  // namespace confab::ui
