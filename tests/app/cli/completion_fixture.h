// SPDX-License-Identifier: MIT
// A home with things to complete, and a shell to do it in.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/completion_script.h"
#include "sessions/conversations/store.h"
#include "tests/temp_dir.h"

namespace confab::app {

class CompletionFixture : public ::testing::Test {
 protected:
  CompletionFixture() {
    home_.file("two words.txt", "");
    home_.file("two-words.md", "");
    home_.file("it's $HOME.txt", "");
    home_.file("weights/big one.gguf", "");
    home_.file(".local/share/confab/models/llama:3b.gguf", "");
    home_.file(".config/confab/themes/sea shore.toml", "");
    sessions::Store store(home_ / ".local/share/confab/confab.db");
    for (const char* title : {"Foxes and hens", "It's 5 $, \"really\"", "time: 10:30"})
      store.create_conversation(
          {{sessions::NewMessage{.role = sessions::Role::user, .content = "Hello"}}}, title);
  }

  static bool has_shell(const std::string& name) {
    for (const char* folder : {"/bin/", "/usr/bin/", "/usr/local/bin/"})
      if (std::filesystem::exists(folder + name)) return true;
    return false;
  }
  // What the command writes, in the home; its errors are part of it.
  std::string run(const std::string& command) {
    const std::string line =
        "cd " + shell_quoted(home_.path().string()) +
        " && env -i HOME=\"$PWD\" PATH=/usr/bin:/bin:/usr/local/bin:" CONFAB_BINARY_DIR
        "/app "
        "LANG=C.UTF-8 timeout 60 " +
        command + " 2>&1";
    FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) throw std::runtime_error("popen");
    std::string out;
    for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) out += static_cast<char>(c);
    status_ = WEXITSTATUS(pclose(pipe));
    return out;
  }
  // An option with everything that a shell or its completion could take for its own.
  static std::vector<CommandShape> hostile_shapes() {
    const std::string text = "it's [a] \"$(false)\": `x` \\ {y} <z> & * ~ ; # \n%d";
    CommandShape chat{.words = "", .about = text};
    chat.options.push_back({{"-x", "--hostile"}, text, {ValueKind::text, "A[B]:C'D"}});
    chat.options.push_back({{"--choose"}, "", {ValueKind::choice, "X", {"it's", "a:b", "$(c)"}}});
    return {chat, {.words = "sub", .about = text}};
  }

  TempDir home_;
  int status_ = 0;
};

}  // namespace confab::app
