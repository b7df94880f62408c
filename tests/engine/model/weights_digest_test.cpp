// SPDX-License-Identifier: MIT
#include "engine/model/weights_digest.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "engine/model/model.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

std::string digest_of(const std::string& path, int n_threads = 1) {
  const Gguf gguf(path);
  kernels::ThreadPool pool(n_threads);
  WeightsDigest digest(gguf, pool);
  EXPECT_FALSE(digest.done());
  while (!digest.done()) digest.step();
  EXPECT_EQ(digest.bytes_done(), digest.n_bytes());
  return digest.hex();
}

// One bit anywhere in the weights, of small tensors and large ones, is another model.
TEST(WeightsDigestTest, EveryBitCounts) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.gguf";
  const std::string bytes = tiny_model({.n_ff = 4096}).bytes();
  const auto write = [&](const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
  };
  write(bytes);
  std::vector<std::size_t> places;
  {
    const Gguf gguf(path);
    const auto* begin = gguf.tensors().front().data.data();
    const std::size_t first = bytes.find(std::string(reinterpret_cast<const char*>(begin), 64));
    for (const GgufTensor& tensor : gguf.tensors()) {
      const auto at = first + static_cast<std::size_t>(tensor.data.data() - begin);
      for (const std::size_t i : {std::size_t{0}, tensor.data.size() / 3, tensor.data.size() - 1}) {
        places.push_back(at + i);
      }
    }
  }
  std::set<std::string> seen{digest_of(path)};
  for (const std::size_t at : places) {
    std::string other = bytes;
    other[at] ^= 4;
    write(other);
    EXPECT_TRUE(seen.insert(digest_of(path)).second) << at;
  }
}

TEST(WeightsDigestTest, ThreadsDoNotCount) {
  const TinyModelFile file{{.n_ff = 4096}};
  EXPECT_EQ(digest_of(file.path(), 1), digest_of(file.path(), 3));
  EXPECT_EQ(digest_of(file.path()).size(), 32U);
}

}  // namespace
}  // namespace confab::engine
