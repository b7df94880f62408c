// SPDX-License-Identifier: MIT
#include "ui/locale.h"

#include <langinfo.h>
#include <stdlib.h>

#include <clocale>
#include <cstring>
#include <initializer_list>

namespace confab::ui {

void use_utf8_locale() {
  for (const char* name : {"", "C.UTF-8", "en_US.UTF-8", "UTF-8"}) {
    if (std::setlocale(LC_CTYPE, name) == nullptr ||
        std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
      continue;
    if (*name == '\0') return;
    setenv("LC_CTYPE", name, 1);
    if (getenv("LC_ALL") != nullptr) setenv("LC_ALL", name, 1);
    return;
  }
}

}  // namespace confab::ui
