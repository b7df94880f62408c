// SPDX-License-Identifier: MIT
// A file that is read for longer than anybody waits: a PDF whose converter sleeps.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "tests/temp_dir.h"

namespace confab::app {

class SlowPdf {
 public:
  explicit SlowPdf(const TempDir& dir) : path(dir.file("slow.pdf", "%PDF-1.7\n")) {
    chmod(dir.file("pdftotext", "#!/bin/sh\nexec /bin/sleep 3\n").c_str(), 0755);
    setenv("PATH", (dir.path().string() + ":" + path_before_).c_str(), 1);
  }
  ~SlowPdf() { setenv("PATH", path_before_.c_str(), 1); }
  SlowPdf(const SlowPdf&) = delete;
  SlowPdf& operator=(const SlowPdf&) = delete;

  const std::string path;

 private:
  const std::string path_before_ = std::getenv("PATH");
};

}  // namespace confab::app
