// SPDX-License-Identifier: MIT
#include "app/commands/editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/error.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Scripts of sh as editors; $1 is the file.
class EditorTest : public testing::Test {
 protected:
  EditorTest() {
    unsetenv("VISUAL");
    setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~EditorTest() override {
    for (const char* variable : {"VISUAL", "EDITOR", "TMPDIR"}) unsetenv(variable);
  }

  void set_editor(const std::string& script) {
    const std::filesystem::path file = folder_ / "editor";
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    setenv("EDITOR", file.c_str(), 1);
  }

  std::string fault() {
    try {
      edit_text("text");
    } catch (const UserError& error) {
      return error.what();
    }
    return {};
  }

  std::size_t n_files() const {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(folder_.path()))
      ++n;
    return n;
  }

  TempDir folder_;
};

TEST_F(EditorTest, GivesBackWhatWasSaved) {
  set_editor("sed -i s/one/two/ \"$1\"; echo more >> \"$1\"");
  EXPECT_EQ(edit_text("one é\n"), "two é\nmore\n");
  EXPECT_EQ(edit_text("one\nx"), "two\nxmore");
  EXPECT_EQ(n_files(), 1U) << "only the editor is left";
}

TEST_F(EditorTest, TheFileIsForItsOwnerOnlyAndMarkdown) {
  set_editor("stat -c '%a %n' \"$1\" > \"$1.tmp\"; mv \"$1.tmp\" \"$1\"");
  EXPECT_THAT(edit_text("secret"), StartsWith("600 " + folder_.path().string() + "/confab-"));
  EXPECT_THAT(edit_text("secret"), testing::EndsWith(".md"));
}

TEST_F(EditorTest, VisualGoesBeforeEditorAndMayHaveArguments) {
  set_editor("exit 1");
  setenv("VISUAL", "sed -i -e s/text/other/", 1);
  EXPECT_EQ(edit_text("text"), "other");
  setenv("VISUAL", "", 1);
  EXPECT_THAT(editor_command(), testing::EndsWith("/editor"));
  unsetenv("EDITOR");
  EXPECT_EQ(editor_command(), "vi");
}

TEST_F(EditorTest, FailuresAreTold) {
  set_editor("exit 3");
  EXPECT_THAT(fault(), HasSubstr("exited with status 3"));
  set_editor("kill -9 $$");
  EXPECT_THAT(fault(), HasSubstr("signal 9"));
  set_editor("printf 'a\\0b' > \"$1\"");
  EXPECT_THAT(fault(), HasSubstr("NUL"));
  setenv("EDITOR", "no-such-editor-anywhere", 1);
  EXPECT_THAT(fault(), HasSubstr("set VISUAL or EDITOR"));
  EXPECT_EQ(n_files(), 1U) << "whatever happens, the text is not left behind";
}

TEST_F(EditorTest, AFileThatIsGoneIsAFailure) {
  set_editor("rm \"$1\"");
  EXPECT_THAT(fault(), HasSubstr("cannot be read"));
}

TEST_F(EditorTest, AFolderThatIsNotThereIsAFailure) {
  set_editor("exit 0");
  setenv("TMPDIR", "/nonexistent", 1);
  EXPECT_THAT(fault(), HasSubstr("TMPDIR"));
}

}  // namespace
}  // namespace confab::app
