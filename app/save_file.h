// SPDX-License-Identifier: MIT
// Writing files that people name: a file appears complete or not at all, and none is replaced by
// accident.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/gguf/atomic_file.h"

namespace confab::app {

using engine::Existing;

// Whether a file with this name exists, so that the caller can ask first.
bool would_replace(const std::string& path);

// The file that a name refers to: expands "~/" and follows links. Changes nothing. Throws UserError
// "PATH: ..." if the path is neither a regular file nor free (a directory, a device, a pipe, a
// dangling link), if it is one of the inputs under any name, or if it exists and must be kept.
std::string output_file(const std::string& path, Existing existing,
                        std::span<const std::string> inputs = {});

// Writes to output_file(). If anything fails, an existing file stays as it was; its permissions and
// the links to it are always kept. Throws UserError "PATH: ...".
void save_file(const std::string& path, std::string_view text, Existing existing);

}  // namespace confab::app
