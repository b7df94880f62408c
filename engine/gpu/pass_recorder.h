// SPDX-License-Identifier: MIT
// The implementation of gpu_recorder.h: records one pass. gpu_recorder.cpp has what all parts
// share, attention_recorder.cpp has attention, feed_forward_recorder.cpp the feed-forward.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "engine/gpu/few_rows.h"
#include "engine/gpu/gpu_recorder.h"
#include "engine/gpu/shader_arguments.h"

namespace confab::engine {

constexpr std::uint32_t kTile = 128;  // rows of the matrix per workgroup of matmul
constexpr std::uint32_t kInvocations = 256;
// Attention works on tiles of queries if a pass has at least kFewestTiled rows and each sequence at
// least kFewestOfSequence. Shorter sequences would go through their positions one after the other.
constexpr int kFewestTiled = kMostFew + 1, kFewestOfSequence = 8;
constexpr int kTileQueries = 64;  // per workgroup (query_tile.glsl)
// Above this average number of choices per expert, tiles of 64 are faster even though most are not
// full.
constexpr int kManyChoices = 8;

// Where the result of a product goes.
struct Target {
  std::uint64_t y;
  Store store = Store::replaces;
  float added = 1;
};

// The form of the activations that a matrix reads.
inline GpuPacked source_of(const GpuMatrix& m, const GpuActivations& x) noexcept {
  return m.reads_floats() ? GpuPacked{.codes = x.floats} : x.packed;
}

// One feed-forward network and the activations that pass through it.
struct Through {
  const GpuMlp& mlp;
  GpuActivations x;
  GpuHidden hidden;
  Rows in;
};

// Whether any of these matrices reads packed activations, and whether any reads floats.
struct Readers {
  bool packed = false, floats = false;
  Readers() = default;
  explicit Readers(std::initializer_list<const GpuMatrix*> matrices) {
    for (const GpuMatrix* m : matrices) {
      if (m->n_rows == 0) continue;
      (m->reads_floats() ? floats : packed) = true;
    }
  }
};

// How the next part reads the stream. `input` is nullptr if no layer follows.
struct Next {
  const GpuStreamInput* input = nullptr;
  Readers readers{};
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

  void record(GpuLayerRange range) {
    if (range.begin == 0) embed();
    for (std::size_t i = range.begin; i < range.end; ++i) {
      attention(model_.layers[i]);
      feed_forward(model_.layers[i]);
    }
    if (range.end == model_.layers.size() && shape_.n_wanted > 0) output();
  }

 private:
  friend class SelfTest;  // records single steps
  using Grid = kernels::vulkan::Grid;
  using Shader = kernels::vulkan::Shader;

  template <typename Arguments>
  void dispatch(Shader shader, std::vector<std::uint32_t> constants, const Arguments& arguments,
                Grid grid) {
    dispatch(shader, 0, std::move(constants), arguments, grid);
  }
  // The same for a program that exists for each format.
  template <typename Arguments>
  void dispatch(Shader shader, std::uint32_t format, std::vector<std::uint32_t> constants,
                const Arguments& arguments, Grid grid) {
    commands_.dispatch(gpu_.program(shader, format, constants), arguments, grid);
  }

  void embed();
  void read_stream(const GpuStreamInput& input, const GpuActivations& to, bool packs,
                   int n_picked = 0);
  // The stream as `readers` read it: normed now, unless it was normed when it was last added to.
  GpuActivations read_stream(const GpuStreamInput& input, const Readers& readers);
  // Whether this norm is of the kind that the preceding product can prepare.
  bool is_plain_norm(const GpuStreamInput& input) const;
  Rows all_rows() const noexcept { return {.n = shape_.n_rows}; }
  void product(const GpuMatrix& m, const GpuActivations& x, const Target& to, const Rows& rows);
  void few_products(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                    const Rows& rows);
  bool is_in_parts(const GpuMatrix& m, const Rows& rows) const;
  void products_in_parts(const GpuMatrix& m, GpuActivations x, Target to, int n_rows);
  // Uses matrix cores or matvec. `arguments` holds what this kind of product needs besides the
  // matrix and x. If x.squares is set, x still has to be normed.
  void dispatch_few(const GpuMatrix& m, MatvecArguments arguments, const GpuActivations& x,
                    Store what, const Rows& rows);
  void dispatch_few_by_cores(const GpuMatrix& m, const MatvecArguments& arguments, Store what,
                             int n_rows);
  // The norm that matvec applies to x.
  struct NormOfX {
    float eps;  // 0: x is normed already
    bool is_of_stream;
  };
  void set_choice(const MatvecArguments& arguments, const Rows& rows,
                  MatvecConstants& constants) const;
  void dispatch_matvec(const GpuMatrix& m, const MatvecArguments& arguments, NormOfX norm,
                       Store what, const Rows& rows);
  struct Tiling {
    GpuPacked x;
    std::uint32_t constant;  // specific to the program
    int n_rows;              // of activations, per tile
  };
  void tiled_products(Shader shader, const GpuMatrix& m, const Tiling& tiling, const Target& to,
                      const Rows& rows);
  void many_products(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                     const Rows& rows);
  bool has_halves(int n_rows) const;
  // Where a pass of this many rows writes its f16 activations; 0 if it writes none.
  std::uint64_t halves_of(const GpuActivations& x, int n_rows) const {
    return has_halves(n_rows) ? x.halves : 0;
  }
  // Whether matrix cores can compute this product, and whether they are used for a few rows.
  bool uses_matrix_cores(const GpuMatrix& m, const Rows& rows) const;
  bool few_by_cores(const GpuMatrix& m, const Rows& rows) const;
  void products_of_cores(const GpuMatrix& m, const GpuActivations& x, const Target& to,
                         const Rows& rows);
  void norm_row(std::uint64_t x, std::uint64_t weight, std::uint32_t n_cols);
  void add_rows(std::uint64_t x, std::uint64_t added);
  // The first constants of all programs that work on heads. n_invocations is the size of a
  // workgroup.
  std::vector<std::uint32_t> heads_constants(const GpuLayer& layer,
                                             std::uint32_t n_invocations) const;
  // The same plus those that the attention programs share. `own` is specific to each
  // (attended.glsl).
  std::vector<std::uint32_t> attention_constants(const GpuLayer& layer, std::uint32_t n_invocations,
                                                 std::uint32_t own) const;
  HeadsArguments heads_arguments(const GpuLayer& layer) const;
  // Whether attention itself does the work of rope_append.
  bool prepares_heads(const LayerHparams& shape) const;
  int heads_of_group(const LayerHparams& shape) const;  // per workgroup of attention
  void rope_append(const GpuLayer& layer);
  void attend(const GpuLayer& layer);
  bool attends_by_tiles(const LayerHparams& shape) const;
  bool attends_by_cores(const GpuLayer& layer) const;  // asked only if attends_by_tiles()
  void attend_by_tiles(const GpuLayer& layer);
  void attention(const GpuLayer& layer);
  void add_to_stream(const GpuMatrix& m, const GpuActivations& x, const Rows& rows,
                     Residual::When when, const Next& next);
  void add_and_norm(const GpuMatrix& m, const GpuActivations& x, const Rows& rows,
                    const Next& next);
  // Whether the product that adds to the stream can prepare the norm that follows.
  bool norms_at_once(Residual::When when, const Next& next) const;
  static Readers readers_of_mixer(const GpuLayer& layer) {
    return Readers({&layer.q, &layer.k, &layer.v});
  }
  static Next after_mixer(const GpuLayer& layer);
  Next after_feed_forward(const GpuLayer& layer) const;
  void output();
  void finish_logits();
  void best_logits();

  void feed_forward(const GpuLayer& layer);
  bool hidden_at_once(const Through& t) const;
  void multiply_to_hidden(const Through& t);
  void activate_hidden(const Through& t);
  void hidden_rows(std::span<const Through> all);
  void dense_hidden(const GpuLayer& layer);

  void mixture(const GpuLayer& layer);
  void mixture_beside(const GpuLayer& layer);
  static Readers readers_of_mixture(const GpuExperts& experts);
  static Readers readers_of_experts(const GpuExperts& experts);
  // Chooses the experts. Returns the stream as the experts read it.
  GpuActivations route_stream(const GpuLayer& layer);
  bool is_grouped() const;  // whether choices are sorted by expert
  void route(const GpuExperts& experts, const GpuActivations& x);
  void ask_router(const GpuMatrix& router, const GpuActivations& x, std::uint64_t y);
  // Computes the logits of the experts and of the shared experts' gate.
  void ask_routers(const GpuExperts& experts, const GpuActivations& x);
  bool routers_norm(const GpuLayer& layer) const;
  GpuActivations stream_for_routers(const GpuLayer& layer) const;  // if routers_norm()
  void choose(const GpuExperts& experts);
  void group(const GpuExperts& experts, int n_choices);
  // Adds the experts' output to the stream.
  void give(const GpuExperts& experts, const GpuActivations& x, Residual::When when,
            const Next& next);
  bool sums_at_once(const GpuExperts& experts) const;
  Through through_chosen(const GpuExperts& experts, const GpuActivations& x) const;
  bool chooses_at_once(const GpuExperts& experts) const;
  void combine(const GpuExperts& experts, Residual::When when, const Next& next);

  // The number of invocations for n quarters of a row (four values each).
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
  bool is_normed_ = false;  // the stream was normed when it was last added to
};

}  // namespace confab::engine
