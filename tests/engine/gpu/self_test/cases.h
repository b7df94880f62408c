// SPDX-License-Identifier: MIT
// What self_test.h is made of: cases of the programs of layers in layer_cases.cpp, those of
// mixtures of experts in mixture_cases.cpp, those of products in product_cases.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/gpu/pass_recorder.h"
#include "tests/engine/gpu/self_test/bench.h"
#include "tests/engine/gpu/self_test/sample.h"
#include "tests/engine/gpu/self_test/self_test.h"

namespace confab::engine {

class SelfTest {
 public:
  SelfTest(const kernels::vulkan::GpuInfo& gpu, const TestedModel& tested,
           std::function<void()> on_program);

  void run();
  // Of what has run.
  WrongPrograms wrong() const { return wrong_; }

 private:
  using Shader = kernels::vulkan::Shader;
  using Floats = std::vector<float>;

  // Rows of a pass, so many that activations are also wanted in the form for matrix cores; and more
  // than a few.
  static constexpr int kRows = kMostTokens + 4, kMoreRows = kMostFew + 4;
  static_assert(kMoreRows >= kFewestTiled && kMoreRows >= kFewestOfSequence);

  // Whether the program is as it should be, else it is wrong. dtype: of those with a format.
  bool expect(bool is_right, Shader shader, std::optional<kernels::Dtype> dtype = {});
  bool expect(std::span<const float> got, std::span<const float> want, Shader shader,
              std::optional<kernels::Dtype> dtype = {}) {
    return expect(are_alike(got, want), shader, dtype);
  }

  // Runs what f records with a PassRecorder for a pass of this shape.
  template <typename F>
  void record(const GpuPassShape& shape, F f) {
    if (on_program_) on_program_();
    kernels::vulkan::Commands commands(bench_.gpu());
    PassRecorder recorder({bench_.gpu(), model_, pool_}, buffers_, shape, commands);
    f(recorder);
    commands.end();
    bench_.gpu().run(commands);
  }
  template <typename F>
  void record(int n_rows, F f) {
    record(GpuPassShape{n_rows, 1, 0, kRangePositions, 1, false}, f);
  }
  static constexpr int kRangePositions = 512;

  // Of what programs give in several forms.
  void expect_activations(const Floats& want, const GpuActivations& at, bool packed, bool halves,
                          Shader shader);
  // What has been added to the stream, of few rows, as a norm that follows takes it.
  void expect_for_norm(const Floats& stream, const Norm& norm, Shader shader,
                       std::optional<kernels::Dtype> dtype = {});
  // The kernel's norm over rows of x.
  void norm_rows(const Norm& norm, std::span<float> x, std::size_t n_cols) const;
  std::size_t n_embd() const noexcept { return static_cast<std::size_t>(hp_.n_embd); }
  const kernels::vulkan::Buffer& memory() const noexcept { return buffers_.device; }

  // layer_cases.cpp
  void embedding();
  void stream_input(const StreamInput& plan, const GpuStreamInput& input, int n_picked);
  void rows_of_norm();
  struct Heads;
  using Pages = std::vector<std::vector<std::byte>>;
  static std::byte* kept_row(Pages& pages, const KvLayout::Slice& slice, int head, int pos);
  Heads put_heads(const GpuLayer& layer, int first, int n_rows);
  void finish_head(const Heads& heads, const HeadNorm& norm, int head, int t, float* row) const;
  void finish_heads(Heads& heads) const;
  void expect_kept(const Heads& heads, Shader shader);
  void append(const Heads& heads, Pages& pages) const;
  void rope_and_append(const GpuLayer& layer);
  Floats attended(const GpuLayer& layer, const Floats& q,
                  std::span<const std::byte* const> pages) const;
  void attention(const GpuLayer& layer, const GpuPassShape& pass);
  void attention(const GpuLayer& layer);
  Pages fill_pages(const GpuLayer& layer);
  void activation(const GpuMlp& mlp, int n_ff);
  void logits();
  void best_logits();
  void take_rows(int first_pos, int n_rows);

  // mixture_cases.cpp
  void mixture(const GpuLayer& layer);
  void routers(const GpuLayer& layer, int n_rows);
  void choice(const GpuLayer& layer);
  // What has been chosen and weighed by these, of n_rows tokens.
  void expect_choice(const GpuLayer& layer, Floats logits, int n_rows, Shader shader,
                     std::optional<kernels::Dtype> dtype = {});
  void order(const GpuExperts& experts, int n_rows);
  void gathered(const GpuExperts& experts, const Floats& x,
                const std::vector<std::uint32_t>& sources);
  struct Given;
  Given put_given(int n_rows);
  void sum(const GpuLayer& layer, int n_rows);

  // product_cases.cpp
  void products();
  struct ProductCase;
  void products_of(const SampledFormat& format);
  Floats put_x(ProductCase& c, int n_rows, bool of_stream);
  void put_ids(const ProductCase& c, std::size_t n);
  void activate_rows(Floats& rows) const;
  Shader few_shader(const ProductCase& c, int n_rows);
  void few(ProductCase& c, int n_rows, Store store);
  void gated(ProductCase& c, int n_rows);
  void with_norm(ProductCase& c);
  void few_of_experts(ProductCase& c);
  void gated_of_experts(ProductCase& c, const GpuLayer& layer, int n_tokens);
  void sum_of_experts(ProductCase& c, const GpuLayer& layer, int n_tokens);
  void products_of_experts(ProductCase& c, const SampledFormat& format);
  void many(ProductCase& c, int n_rows, bool large);
  std::vector<int> several_rows(const ProductCase& c);

  std::function<void()> on_program_;
  const kernels::KernelTable& kernel_;
  const ModelView whole_;
  const ModelPart part_;
  const Hparams& hp_;
  Bench bench_;
  const GpuModel model_;
  GpuPagePool pool_;
  const GpuPageRef pages_[2];
  GpuBuffers buffers_;
  const std::vector<Rope> ropes_;
  bool has_halves_ = false;     // passes of kRows
  bool norms_at_once_ = false;  // what adds to the stream, in passes of a row
  WrongPrograms wrong_;
};

}  // namespace confab::engine
