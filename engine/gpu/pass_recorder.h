// SPDX-License-Identifier: MIT
// Records one pass: what gpu_recorder.h is made of. Attention and what all parts share are in
// gpu_recorder.cpp, the feed-forward in feed_forward_recorder.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <vector>

#include "engine/gpu/gpu_recorder.h"
#include "engine/gpu/shader_arguments.h"

namespace confab::engine {

constexpr int kMostTokens = 8;           // of a product by matvec
constexpr std::uint32_t kSubgroups = 8;  // of its workgroups
constexpr std::uint32_t kTile = 64;      // rows and tokens of a workgroup of matmul
constexpr std::uint32_t kInvocations = 256;

inline std::uint32_t count(std::int64_t n, std::int64_t of) noexcept {
  return static_cast<std::uint32_t>((n + of - 1) / of);
}

enum class Store : std::uint32_t { replaces, adds, hidden };  // matvec's kWhat

// Where a product goes.
struct Target {
  std::uint64_t y;
  Store store = Store::replaces;
  float added = 1;
};

// What a matrix is multiplied by.
inline GpuPacked source_of(const GpuMatrix& m, const GpuActivations& x) noexcept {
  return m.reads_floats() ? GpuPacked{.codes = x.floats} : x.packed;
}

// Whether any of these reads packed activations; whether any reads floats is told by the address.
struct Readers {
  bool packed = false, floats = false;
  explicit Readers(std::initializer_list<const GpuMatrix*> matrices) {
    for (const GpuMatrix* m : matrices) {
      if (m->n_rows == 0) continue;
      (m->reads_floats() ? floats : packed) = true;
    }
  }
};

inline GpuActivations wanted_of(GpuActivations all, const Readers& readers) {
  if (!readers.floats) all.floats = 0;
  return all;
}

class PassRecorder {
 public:
  PassRecorder(const GpuPassParts& parts, const GpuBuffers& buffers, const GpuPassShape& shape,
               kernels::vulkan::Commands& commands)
      : gpu_(parts.gpu),
        model_(parts.model),
        hp_(parts.model.hp),
        pool_(parts.pool),
        b_(buffers),
        shape_(shape),
        commands_(commands),
        subgroup_(static_cast<std::uint32_t>(gpu_.info().subgroup_size)) {}

  void record() {
    embed();
    for (const GpuLayer& layer : model_.layers) {
      attention(layer);
      feed_forward(layer);
    }
    if (shape_.n_wanted > 0) output();
  }

 private:
  using Grid = kernels::vulkan::Grid;
  using Shader = kernels::vulkan::Shader;

  template <typename Arguments>
  void dispatch(Shader shader, std::initializer_list<std::uint32_t> constants,
                const Arguments& arguments, Grid grid) {
    dispatch(shader, 0, constants, arguments, grid);
  }
  // By a program for a format.
  template <typename Arguments>
  void dispatch(Shader shader, std::uint32_t format, std::initializer_list<std::uint32_t> constants,
                const Arguments& arguments, Grid grid) {
    commands_.dispatch(gpu_.program(shader, format, std::vector<std::uint32_t>(constants)),
                       arguments, grid);
  }

  void embed();
  void read_stream(const GpuStreamInput& input, const GpuActivations& to, bool packs,
                   int n_picked = 0);
  void product(const GpuMatrix& m, const GpuActivations& x, const Target& to, int n_rows);
  void few_products(const GpuMatrix& m, const GpuActivations& x, const Target& to, int n_rows);
  void many_products(const GpuMatrix& m, const GpuActivations& x, const Target& to, int n_rows);
  void norm_row(std::uint64_t x, std::uint64_t weight, std::uint32_t n_cols);
  void rope_append(const GpuLayer& layer);
  void attend(const GpuLayer& layer);
  void attention(const GpuLayer& layer);
  void feed_forward(const GpuLayer& layer);
  bool hidden_at_once(const GpuLayer& layer) const;
  void add_to_stream(const GpuMatrix& m, const GpuActivations& x, Residual::When when);
  void output();

  // Invocations that go through n quarters of a row.
  std::uint32_t row_workgroup(std::uint32_t n_quarters) const {
    const auto most = static_cast<std::uint32_t>(std::min(gpu_.info().n_workgroup_max, 512));
    return std::clamp(std::bit_ceil(n_quarters), std::max(subgroup_, 32U), most);
  }

  kernels::vulkan::Gpu& gpu_;
  const GpuModel& model_;
  const Hparams& hp_;
  const GpuPagePool& pool_;
  const GpuBuffers& b_;
  const GpuPassShape shape_;
  kernels::vulkan::Commands& commands_;
  const std::uint32_t subgroup_;
};

}  // namespace confab::engine
