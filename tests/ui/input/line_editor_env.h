// SPDX-License-Identifier: MIT
// What every test that makes a LineEditor needs: an inputrc of its own, as readline reads the
// user's once in a program, and a UTF-8 locale.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "ui/locale.h"

namespace confab::ui {

class LineEditorTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("INPUTRC", "/dev/null", 1);
    use_utf8_locale();
  }
};

}  // namespace confab::ui
