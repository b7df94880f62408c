// SPDX-License-Identifier: MIT
#include "ui/input/line_editor_keys.h"

#include <array>
#include <cstddef>
#include <cstdio>

// readline's header needs FILE declared before it.
#include <readline/readline.h>

namespace confab::ui {
namespace {

extern "C" {

int insert_newline(int count, int /*key*/) {
  for (int i = 0; i < count; ++i) rl_insert_text("\n");
  return 0;
}

// Of the line that the caret is in, not of the whole text as readline's own.
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

// readline 8.2's searches that are not incremental free the undo list of a line twice when they
// start on an edited line of the history; its other searches take their keys.
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

}  // namespace

void bind_editor_keys(bool on_terminal, const EditorKeys& keys) {
  rl_add_defun("insert-newline", insert_newline, -1);
  bind_searches(keys);
  for (Keymap map : {emacs_standard_keymap, vi_insertion_keymap}) {
    // On a terminal, what is typed before the prompt comes with \n for Enter.
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

}  // namespace confab::ui
