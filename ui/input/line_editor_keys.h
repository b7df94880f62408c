// SPDX-License-Identifier: MIT
// The keys that LineEditor adds to readline's own. Only line_editor.cpp needs this.
#pragma once

namespace confab::ui {

// As readline calls it: with the numeric argument and the last byte of the key; 0: done.
using KeyFunction = int (*)(int count, int key);

struct EditorKeys {
  KeyFunction up;
  KeyFunction down;
  KeyFunction reverse_search;  // Ctrl+R
  // Without a terminal of readline's own; nullptr otherwise.
  KeyFunction complete;       // Tab
  KeyFunction complete_back;  // Shift+Tab
  KeyFunction expand;         // Ctrl+O
  KeyFunction edit;           // Ctrl+G, Ctrl+X Ctrl+E
  // On a terminal; nullptr otherwise.
  KeyFunction paste;  // the sequence that a terminal sends before what is pasted
};

// Binds keys unless the user's inputrc has given them another meaning than readline's own. To be
// called after rl_initialize().
void bind_editor_keys(bool on_terminal, const EditorKeys& keys);

}  // namespace confab::ui
