// SPDX-License-Identifier: MIT
// Files that people name for output: whole or not there, and none replaced by accident.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/gguf/atomic_file.h"

namespace confab::app {

using engine::Existing;

// Whether a file of that name is there, to ask about first.
bool would_replace(const std::string& path);

// The file that a name means: "~/" is the home directory, and a link is what it leads to. Changes
// nothing. Throws UserError "PATH: ..." when it is anything but a plain file or a name that is free
// (a directory, a device, a pipe, a link to nothing); when it is one of the inputs, under whatever
// name; and when it is there and is to be kept.
std::string output_file(const std::string& path, Existing existing,
                        std::span<const std::string> inputs = {});

// Writes to output_file(). A file that is replaced stays as it was when anything fails; its
// permissions and the links to it are kept. Throws UserError "PATH: ...".
void save_file(const std::string& path, std::string_view text, Existing existing);

}  // namespace confab::app
