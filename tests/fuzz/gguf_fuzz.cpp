// SPDX-License-Identifier: MIT
// Any file: a model that runs, or a ModelError, in bounded time and memory.
//
// Input: one byte that says how many times 64 KiB of weights follow the file, so that a corpus of
// headers alone makes whole models, then the file. One that loads is asked for its plan and its
// text, and for a few tokens.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "engine/error.h"
#include "tests/fuzz/try_model.h"

namespace {

using namespace confab;

constexpr std::size_t kPaddingBytes = std::size_t{64} << 10U;
constexpr char kPaddingByte = 0x3C;  // gives positive numbers near 1 in F32, F16 and BF16

// A file without a name: the bytes, and `n_padding` times the padding.
class MemoryFile {
 public:
  MemoryFile(const std::uint8_t* data, std::size_t size, int n_padding)
      : fd_(memfd_create("model.gguf", MFD_CLOEXEC)) {
    static const std::string padding(kPaddingBytes, kPaddingByte);
    append(data, size);
    for (int i = 0; i < n_padding; ++i) append(padding.data(), padding.size());
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  void append(const void* data, std::size_t size) const {
    if (write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }

  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const MemoryFile file(data + 1, size - 1, data[0]);
  try {
    try_model(*engine::Model::load(file.path()));
  } catch (const engine::ModelError&) {
  }
  return 0;
}
