// SPDX-License-Identifier: MIT
#include "app/commands/clipboard.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/temp_dir.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

// A desktop whose programs are scripts of ours.
class ClipboardTest : public testing::Test {
 protected:
  ClipboardTest() {
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("DISPLAY");
    setenv("PATH", (home_.path().string() + ":/usr/bin:/bin").c_str(), 1);
  }
  ~ClipboardTest() override {
    unsetenv("WAYLAND_DISPLAY");
    unsetenv("DISPLAY");
    setenv("PATH", path_.c_str(), 1);
  }
  void program(const std::string& name, const std::string& script) const {
    const fs::path file = home_ / name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  std::string copied() const {
    std::ifstream file(home_ / "copied");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TempDir home_;
  std::string path_ = getenv("PATH");
};

TEST_F(ClipboardTest, WithoutADesktopThereIsNone) {
  program("wl-copy", "true");
  EXPECT_TRUE(clipboard_command().empty());
  EXPECT_EQ(copy_to_clipboard("x"), "");
}

TEST_F(ClipboardTest, TheProgramOfTheDesktopGetsTheText) {
  program("wl-copy", "cat > \"$(dirname \"$0\")/copied\"");
  setenv("WAYLAND_DISPLAY", "wayland-0", 1);
  const std::string text(200000, 'x');
  EXPECT_EQ(copy_to_clipboard(text), "wl-copy");
  EXPECT_EQ(copied(), text);
}

TEST_F(ClipboardTest, AProgramThatDoesNotReadMakesNobodyWait) {
  program("xclip", "exec sleep 2");
  setenv("DISPLAY", ":9", 1);
  EXPECT_EQ(clipboard_command().front(), "xclip");
  EXPECT_EQ(copy_to_clipboard(std::string(1 << 20, 'x')), "");
}

TEST_F(ClipboardTest, AFailureIsNoSuccess) {
  program("xclip", "exit 1");
  setenv("DISPLAY", ":9", 1);
  EXPECT_EQ(copy_to_clipboard("x"), "");
}

}  // namespace
}  // namespace confab::app
