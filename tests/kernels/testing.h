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

// Every type there is.
inline std::vector<const DtypeInfo*> all_dtypes() {
  std::vector<const DtypeInfo*> types;
  for (std::uint32_t number = 0; number < 256; ++number) {
    if (const DtypeInfo* type = find_dtype(number)) types.push_back(type);
  }
  return types;
}

// Where in a block its f16 scales lie.
inline std::vector<std::size_t> scale_offsets(Dtype dtype) {
  switch (dtype) {
    case Dtype::Q4_1:
    case Dtype::Q5_1:
    case Dtype::Q4_K:
    case Dtype::Q5_K:
      return {0, 2};
    case Dtype::Q2_K:
      return {80, 82};
    case Dtype::Q3_K:
      return {108};
    case Dtype::Q6_K:
      return {208};
    case Dtype::TQ1_0:
      return {52};
    case Dtype::TQ2_0:
      return {64};
    case Dtype::F32:
    case Dtype::BF16:
    case Dtype::IQ1_M:
    case Dtype::MXFP4:
    case Dtype::NVFP4:
      return {};  // have none
    default:
      return {0};
  }
}

// Random rows whose scales are finite and of one order: every code and every sub-scale.
inline std::vector<std::byte> random_weights(std::mt19937& rng, Dtype dtype, std::size_t n) {
  const DtypeInfo& d = info(dtype);
  std::vector<std::byte> bytes =
      random_bytes(rng, n / static_cast<std::size_t>(d.block) * d.block_bytes);
  const auto any_f16 = [&] {  // magnitude in [2^-8, 2^-6)
    return static_cast<std::uint16_t>((rng() & 0x83ffU) | (7U + (rng() & 1U)) << 10);
  };
  for (std::size_t at = 0; at < bytes.size(); at += d.block_bytes) {
    for (const std::size_t offset : scale_offsets(dtype)) {
      const std::uint16_t h = any_f16();
      std::memcpy(bytes.data() + at + offset, &h, sizeof h);
    }
    if (dtype == Dtype::F32) {
      const float f = random_floats(rng, 1)[0];
      std::memcpy(bytes.data() + at, &f, sizeof f);
    } else if (dtype == Dtype::BF16) {
      bytes[at + 1] = static_cast<std::byte>(0x3c | (rng() & 0x83U));
    } else if (dtype == Dtype::MXFP4) {
      bytes[at] = static_cast<std::byte>(118U + rng() % 4);
    } else if (dtype == Dtype::NVFP4) {
      for (std::size_t i = 0; i < 4; ++i) bytes[at + i] &= std::byte{0x3f};
    } else if (dtype == Dtype::IQ1_M) {  // one in the high halves of four
      const unsigned h = any_f16();
      for (unsigned k = 0; k < 4; ++k) {
        std::byte& b = bytes[at + 49 + 2 * k];
        b = (b & std::byte{15}) | static_cast<std::byte>((h >> 4 * k & 15U) << 4);
      }
    }
  }
  return bytes;
}

inline double nmse(const std::vector<float>& got, const std::vector<float>& want) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const auto w = static_cast<double>(want[i]), d = static_cast<double>(got.at(i)) - w;
    error += d * d;
    norm += w * w;
  }
  return error / norm;
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
