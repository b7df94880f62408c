// SPDX-License-Identifier: MIT
// What the kernel tests share: every usable table as a parameter, seeded data, the golden folder.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "kernels/isa.h"

namespace confab::kernels::testing {

class EveryTable : public ::testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& table() const { return *GetParam(); }
};

inline std::string table_name(const ::testing::TestParamInfo<const KernelTable*>& param) {
  return std::string(name(param.param->isa));
}

inline std::vector<float> random_floats(std::mt19937& rng, std::size_t n, float sigma = 1) {
  std::normal_distribution<float> normal(0, sigma);
  std::vector<float> x(n);
  for (float& v : x) v = normal(rng);
  return x;
}

inline std::vector<std::byte> random_bytes(std::mt19937& rng, std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (std::byte& b : bytes) b = static_cast<std::byte>(rng() & 255U);
  return bytes;
}

// Random rows whose scales are finite and of the order of 1: every code and every sub-scale.
inline std::vector<std::byte> random_weights(std::mt19937& rng, Dtype dtype, std::size_t n) {
  const DtypeInfo& d = info(dtype);
  std::vector<std::byte> bytes =
      random_bytes(rng, n / static_cast<std::size_t>(d.block) * d.block_bytes);
  const auto set_f16 = [&](std::size_t at) {  // magnitude in [2^-8, 2^-6)
    const std::uint16_t h =
        static_cast<std::uint16_t>((rng() & 0x83ffU) | (7U + (rng() & 1U)) << 10);
    std::memcpy(bytes.data() + at, &h, sizeof h);
  };
  for (std::size_t at = 0; at < bytes.size(); at += d.block_bytes) {
    switch (dtype) {
      case Dtype::F32: {
        const float f = random_floats(rng, 1)[0];
        std::memcpy(bytes.data() + at, &f, sizeof f);
        break;
      }
      case Dtype::BF16:
        bytes[at + 1] = static_cast<std::byte>(0x3c | (rng() & 0x83U));
        break;
      case Dtype::Q4_K:
      case Dtype::Q5_K:
        set_f16(at + 2);
        [[fallthrough]];
      case Dtype::F16:
      case Dtype::Q8_0:
      case Dtype::Q4_0:
        set_f16(at);
        break;
      case Dtype::Q6_K:
        set_f16(at + 208);
        break;
    }
  }
  return bytes;
}

// A copy of some bytes at an address that is `misalignment` past a multiple of 64.
class Misaligned {
 public:
  Misaligned(const void* data, std::size_t n, std::size_t misalignment) : storage_(n + 128) {
    void* p = storage_.data();
    std::size_t space = storage_.size();
    data_ = static_cast<std::byte*>(std::align(64, n + 63, p, space)) + misalignment;
    if (data != nullptr) std::memcpy(data_, data, n);
  }
  std::byte* data() { return data_; }

 private:
  std::vector<std::byte> storage_;
  std::byte* data_;
};

inline std::filesystem::path fixtures() {
  const char* folder = std::getenv("CONFAB_FIXTURES");
  return folder != nullptr ? folder : CONFAB_SOURCE_DIR "/../shared/fixtures";
}

inline std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// The values of a little-endian float32 .npy file, version 1.0.
inline std::vector<float> read_npy(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_bytes(path);
  if (bytes.size() < 10) return {};
  const auto header =
      std::to_integer<std::size_t>(bytes[8]) | std::to_integer<std::size_t>(bytes[9]) << 8;
  std::vector<float> values((bytes.size() - 10 - header) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + 10 + header, values.size() * sizeof(float));
  return values;
}

}  // namespace confab::kernels::testing
