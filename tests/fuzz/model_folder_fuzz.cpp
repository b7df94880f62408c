// SPDX-License-Identifier: MIT
// Any folder: a model that runs, or a ModelError of one bounded line, in bounded time and memory.
//
// Input: one byte that says how many times 64 KiB of weights follow the header, then the texts of
// the folder, each after a line "=== NAME". That of model.safetensors is its header alone.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "tests/fuzz/try_model.h"
#include "tests/temp_dir.h"

namespace {

using namespace confab;

constexpr std::size_t kPaddingBytes = std::size_t{64} << 10U;
constexpr std::size_t kLongestError = 4096;  // with the path of the folder
constexpr std::string_view kMark = "=== ";
constexpr std::string_view kNames[] = {"chat_template.json", "chat_template.jinja",
                                       "config.json",        "generation_config.json",
                                       "model.safetensors",  "model.safetensors.index.json",
                                       "tokenizer.json",     "tokenizer_config.json"};

void write_text(const std::filesystem::path& folder, std::string_view name, std::string_view text,
                std::size_t n_padding) {
  std::ofstream file(folder / name, std::ios::binary | std::ios::trunc);
  if (name == "model.safetensors") {
    const std::uint64_t length = text.size();
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file << text << std::string(n_padding * kPaddingBytes, 0x3C);
  } else {
    file << text;
  }
}

// The texts of an input, into the folder.
void write_folder(const std::filesystem::path& folder, std::string_view texts,
                  std::size_t n_padding) {
  for (const std::string_view name : kNames) {
    const std::string mark = std::string(kMark) + std::string(name) + "\n";
    const std::size_t at = texts.find(mark);
    std::filesystem::remove(folder / name);
    if (at == texts.npos) continue;
    const std::string_view rest = texts.substr(at + mark.size());
    write_text(folder, name, rest.substr(0, rest.find("\n" + std::string(kMark))), n_padding);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempDir folder;
  if (size == 0) return 0;
  write_folder(folder.path(), {reinterpret_cast<const char*>(data) + 1, size - 1}, data[0]);
  try {
    try_model(*engine::Model::load(folder.path().string()));
  } catch (const engine::ModelError& error) {
    const std::string_view what = error.what();
    if (what.size() > kLongestError || what.find('\n') != what.npos) std::abort();
  }
  return 0;
}
