// SPDX-License-Identifier: MIT
// Reference logits: where they are, how they are read, how far ours are from them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace confab::engine {

// The folder of golden data, or an empty path when this machine has none.
inline std::filesystem::path golden_folder() {
  const char* variable = std::getenv("CONFAB_FIXTURES");
  const std::filesystem::path folder =
      variable != nullptr ? variable : CONFAB_SOURCE_DIR "/../shared/fixtures";
  return std::filesystem::is_directory(folder) ? folder : std::filesystem::path();
}

#define CONFAB_NEEDS_GOLDEN_FOLDER() \
  if (golden_folder().empty())       \
  GTEST_SKIP() << "the folder of golden data is not here; CONFAB_FIXTURES can name it"

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The values of a NumPy file, version 1.0, of float32 in C order; the shape is not looked at.
inline std::vector<float> read_npy(const std::filesystem::path& path) {
  const std::string bytes = read_text(path);
  if (bytes.size() < 10 || bytes.compare(1, 5, "NUMPY") != 0 ||
      bytes.find("'<f4'") == std::string::npos) {
    throw std::runtime_error(path.string() + " is no float32 NumPy file");
  }
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t start = 10U + byte(8) + 256U * byte(9);
  std::vector<float> values((bytes.size() - start) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + start, values.size() * sizeof(float));
  return values;
}

struct Difference {
  double nmse;  // sum((got - want)^2) / sum(want^2)
  double max_abs;
};

template <typename T>
Difference difference(std::span<const float> got, std::span<const T> want) {
  if (got.size() != want.size()) throw std::runtime_error("rows of different sizes");
  double squares = 0, errors = 0, max_abs = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = double{got[i]} - double{want[i]};
    squares += double{want[i]} * double{want[i]};
    errors += error * error;
    max_abs = std::max(max_abs, std::isnan(error) ? HUGE_VAL : std::abs(error));
  }
  return {std::isnan(errors) ? HUGE_VAL : errors / squares, max_abs};
}

}  // namespace confab::engine
