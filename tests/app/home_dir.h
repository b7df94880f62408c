// SPDX-License-Identifier: MIT
// A folder of a test's own that is the home directory while it lives.
#pragma once

#include <stdlib.h>

#include <string>

#include "tests/temp_dir.h"

namespace confab {

class HomeDir : public TempDir {
 public:
  HomeDir() {
    if (const char* before = getenv("HOME"); before != nullptr) before_ = before;
    setenv("HOME", path().c_str(), 1);
  }
  ~HomeDir() { setenv("HOME", before_.c_str(), 1); }
  HomeDir(const HomeDir&) = delete;
  HomeDir& operator=(const HomeDir&) = delete;

 private:
  std::string before_;
};

}  // namespace confab
