// SPDX-License-Identifier: MIT
// Files that are written for a person: whole or not at all, and none replaced by accident.
#pragma once

#include <string>
#include <string_view>

namespace confab::app {

// What is to become of a file that has the name already.
enum class Existing { keep, replace };

// Whether there is a file of that name, to ask about first. A pipe or a device such as /dev/stdout
// is written to, which replaces nothing.
bool would_replace(const std::string& path);

// Writes under another name in the same folder, then gives the file its own. One that is replaced
// stays as it was when anything fails, and its permissions and the links to it are kept; a new one
// can be read as the umask allows. "~/" is the home directory. Throws UserError "PATH: ...", also
// when a file is in the way that is to be kept.
void save_file(const std::string& path, std::string_view text, Existing existing);

}  // namespace confab::app
