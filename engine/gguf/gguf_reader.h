// SPDX-License-Identifier: MIT
// The only code that looks at the raw bytes of a GGUF file: the header, metadata and tensor table
// of one part. Each number and length is checked before it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/gguf/gguf.h"

namespace confab::engine {

struct GgufPart {
  std::uint32_t version = 0;
  std::vector<GgufKey> keys;        // names are distinct
  std::vector<GgufTensor> tensors;  // names are distinct, data inside the file and disjoint
};

// Parses `bytes`; views and spans in the result borrow from it. Throws ModelError "PATH: ...".
GgufPart read_gguf(const std::string& path, std::span<const std::byte> bytes);

}  // namespace confab::engine
