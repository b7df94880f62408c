// SPDX-License-Identifier: MIT
// Products with the matrices of a format: for few rows of activations, where much may be done with
// them at once, and for many, by matrix cores too.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "engine/cpu/feed_forward_regions.h"
#include "tests/engine/gpu/self_test/cases.h"

namespace confab::engine {
namespace {

constexpr std::int64_t kMostColumns = 16384, kFewColumns = 256;
constexpr int kManyTokens = kTileRows + 8;  // of more than a tile
constexpr int kFewTokens = kMostAlone + 1;

std::size_t size(std::int64_t n) noexcept {
  return static_cast<std::size_t>(n);
}

}  // namespace

// A matrix on both sides, and what it is multiplied by and gives.
struct SelfTest::ProductCase {
  ProductCase(SelfTest& test, const Matrix& m, bool of_experts)
      : matrix(m),
        n_used(of_experts ? test.hp_.experts.n_expert_used : 1),
        weights(test.bench_.gpu(), m.n_bytes() * static_cast<std::uint64_t>(n_copies()), {}) {
    const std::vector<Matrix> copies(size(n_copies()), m);
    on_device = of_experts ? weights.put(std::span(copies)) : weights.put(m);
    weights.finish();
    values.resize(size(m.n_rows * m.rows.n_cols));
    for (std::int64_t row = 0; row < m.n_rows; ++row)
      test.kernel_.decode_weights(m.rows, row, &values[size(row * m.rows.n_cols)]);
    fit_scale();
    take_memory(test.bench_.gpu());
  }
  // Products are about as large as activations, whatever the weights: f16 has what becomes of them.
  void fit_scale() {
    const double sum = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    if (sum == 0) return;
    matrix.scale = static_cast<float>(std::sqrt(static_cast<double>(matrix.n_rows) / sum));
    on_device.scale = matrix.scale;
  }
  // Of experts, any that are chosen are there, all of them this matrix.
  int n_copies() const { return std::max(2, n_used); }
  // For kManyTokens rows of few columns, or kMostFew of as many as there are; of experts, for what
  // kFewTokens choose.
  void take_memory(kernels::vulkan::Gpu& gpu) {
    const std::size_t n_cols = size(matrix.rows.n_cols), n_rows = size(matrix.n_rows);
    const std::size_t n_x = std::max(size(std::max(kMostFew, kFewTokens * n_used)) * n_cols,
                                     size(kManyTokens) * size(2048));
    const std::size_t n_y = size(std::max(kManyTokens, kFewTokens * n_used)) * n_rows;
    memory = gpu.allocate(16 * (n_x + n_y) + 8192, kernels::vulkan::Memory::device);
    std::uint64_t at = memory.address();
    const auto take = [&at](std::size_t n_bytes) {
      return std::exchange(at, at + (n_bytes + 255) / 256 * 256);
    };
    for (const auto& [to, n] : {std::pair{&x, n_x}, std::pair{&y, n_y}}) {
      to->floats = take(4 * n);
      to->packed = {take(n), take(n / 8), take(n / 4)};
      to->halves = take(2 * n);
    }
    squares = take(4 * kMostTokens * n_cols / 32);
    ids = take(256);
  }
  // With the matrix for gate and for what it opens; whoever reads what they give takes it packed.
  GpuMlp mlp() const {
    GpuMatrix reader;
    reader.dtype = kernels::Dtype::Q8_0;
    reader.n_cols = on_device.n_rows;
    return {on_device, on_device, reader};
  }
  // y = W x + bias, [n_rows of x, n_rows].
  std::vector<float> product(std::span<const float> of) const {
    const std::size_t n_cols = size(matrix.rows.n_cols), n_rows = size(matrix.n_rows);
    std::vector<float> made(of.size() / n_cols * n_rows);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const float* a = &values[i % n_rows * n_cols];
      const float* b = &of[i / n_rows * n_cols];
      double sum = 0;
      for (std::size_t c = 0; c < n_cols; ++c) sum += double{a[c]} * double{b[c]};
      made[i] = static_cast<float>(sum) * matrix.scale;
      if (matrix.bias != nullptr) made[i] += matrix.bias[i % n_rows];
    }
    return made;
  }

  Matrix matrix;
  int n_used;  // experts of a token
  GpuWeights weights;
  GpuMatrix on_device;
  std::vector<float> values;
  kernels::vulkan::Buffer memory;
  GpuActivations x, y;
  std::uint64_t squares = 0, ids = 0;
};

// Random activations; of few rows, where the model does so, as what adds to the stream leaves them
// for the norm that follows: to be divided by their roots. What they stand for.
SelfTest::Floats SelfTest::put_x(ProductCase& c, int n_rows, bool of_stream) {
  const std::size_t n_cols = size(c.matrix.rows.n_cols), n_squares = n_cols / 32;
  Floats x = bench_.put_activations(c.memory, c.x, size(n_rows) * n_cols);
  c.x.squares = 0;
  if (!of_stream || !norms_at_once_ || n_rows > kMostAlone || n_cols % 32 != 0) return x;
  Floats squares = bench_.random(size(n_rows) * n_squares, 30);
  for (float& square : squares) square += 32;
  c.x.squares = c.squares;
  bench_.put(c.memory, c.squares, squares);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto first = squares.begin() + static_cast<std::ptrdiff_t>(i / n_cols * n_squares);
    const float sum = std::accumulate(first, first + static_cast<std::ptrdiff_t>(n_squares), 0.0F);
    x[i] /= std::sqrt(sum / static_cast<float>(n_cols) + hp_.norm_eps);
  }
  return x;
}

// Of experts that are there.
void SelfTest::put_ids(const ProductCase& c, std::size_t n) {
  std::vector<std::uint32_t> ids(n);
  for (std::uint32_t& id : ids) id = bench_.random_below(u32(c.n_copies()));
  bench_.put(memory(), buffers_.experts.ids, ids);
}

// Rows of a gate, to what they let through of themselves.
void SelfTest::activate_rows(Floats& rows) const {
  const Floats up = rows;
  activate(kernel_, hp_.activation, rows.data(), up.data(), static_cast<std::int64_t>(rows.size()));
}

// The program for a few rows of activations.
kernels::vulkan::Shader SelfTest::few_shader(const ProductCase& c, int n_rows) {
  bool by_cores = false;
  record(n_rows, [&](PassRecorder& r) { by_cores = r.few_by_cores(c.on_device, {n_rows}); });
  return by_cores ? Shader::matvec_cores : Shader::matvec;
}

void SelfTest::few(ProductCase& c, int n_rows, Store store) {
  const Floats x = put_x(c, n_rows, store == Store::replaces);
  Floats want = c.product(x);
  const Floats before = bench_.random(want.size());
  bench_.put(c.memory, c.y.floats, before);
  record(n_rows, [&](PassRecorder& r) {
    r.few_products(c.on_device, c.x, {c.y.floats, store, 0.5F}, {n_rows});
  });
  if (store == Store::adds)
    for (std::size_t i = 0; i < want.size(); ++i) want[i] = before[i] + 0.5F * want[i];
  expect(bench_.get<float>(c.memory, c.y.floats, want.size()), want, few_shader(c, n_rows),
         c.matrix.rows.dtype);
}

void SelfTest::gated(ProductCase& c, int n_rows) {
  const Floats x = put_x(c, n_rows, true);
  const GpuMlp mlp = c.mlp();
  const Through through{mlp, c.x, {.up = 0, .rows = c.y}, {n_rows}};
  bool at_once = false;
  record(n_rows, [&](PassRecorder& r) {
    at_once = r.hidden_at_once(through);
    if (at_once) r.multiply_to_hidden(through);
  });
  if (!at_once) return few(c, n_rows, Store::replaces);
  Floats want = c.product(x);
  activate_rows(want);
  const Shader shader = few_shader(c, n_rows);
  expect(shader == Shader::matvec_cores ? bench_.get_halves(c.memory, c.y.halves, want.size())
                                        : bench_.get_packed(c.memory, c.y.packed, want.size()),
         want, shader, c.matrix.rows.dtype);
}

// What adds to the stream of one row, and does its part of a norm, and what reads that.
void SelfTest::with_norm(ProductCase& c) {
  if (!norms_at_once_ || c.matrix.n_rows % 32 != 0) return few(c, 1, Store::adds);
  const GpuLayer& layer = model_.layers.front();
  const Floats x = put_x(c, 1, false);
  GpuMatrix m = c.on_device;  // which may have more rows than the stream has columns
  m.n_rows = std::min(m.n_rows, static_cast<std::uint32_t>(hp_.n_embd));
  Floats want = bench_.random(m.n_rows);
  bench_.put(memory(), buffers_.x, want);
  record(1,
         [&](PassRecorder& r) { r.add_and_norm(m, c.x, {1}, PassRecorder::after_mixer(layer)); });
  const Floats product = c.product(x);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] += hp_.residual_scale * product[i];
  expect_for_norm(want, layer.plan->feed_forward_input.norm, Shader::matvec, c.matrix.rows.dtype);
}

// Two rows, each by an expert of its own.
void SelfTest::few_of_experts(ProductCase& c) {
  const Floats x = put_x(c, 2, true);
  bench_.put(c.memory, c.ids, std::vector<std::uint32_t>{1, 0});
  const Floats want = c.product(x);
  record(2, [&](PassRecorder& r) {
    r.few_products(c.on_device, c.x, {c.y.floats}, {.n = 2, .ids = c.ids});
  });
  expect(bench_.get<float>(c.memory, c.y.floats, want.size()), want, Shader::matvec,
         c.matrix.rows.dtype);
}

// The first products of tokens' experts, and what comes of them; where they choose the experts,
// those are the first ones, in random order.
void SelfTest::gated_of_experts(ProductCase& c, const GpuLayer& layer, int n_tokens) {
  const GpuExpertBuffers& b = buffers_.experts;
  const int n_expert = hp_.experts.n_expert, n_choices = n_tokens * c.n_used;
  Floats logits = bench_.random(size(n_tokens * n_expert));
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (i % size(n_expert) >= size(c.n_used)) logits[i] -= 30;
  bench_.put(memory(), b.logits, logits);
  put_ids(c, size(n_choices));
  const Floats x = put_x(c, n_tokens, true);
  const GpuMlp mlp = c.mlp();
  Through through{mlp, c.x, {.up = 0, .rows = c.y}, {n_choices, b.ids, c.n_used}};
  bool at_once = false;
  record(n_tokens, [&](PassRecorder& r) {
    through.in.chooses = r.chooses_at_once(layer.experts);
    at_once = r.hidden_at_once(through);
    if (at_once) r.multiply_to_hidden(through);
  });
  if (!at_once) return;
  const Floats of_tokens = c.product(x);
  Floats want;
  for (auto row = of_tokens.begin(); row != of_tokens.end(); row += c.matrix.n_rows)
    for (int k = 0; k < c.n_used; ++k) want.insert(want.end(), row, row + c.matrix.n_rows);
  activate_rows(want);
  const kernels::Dtype dtype = c.matrix.rows.dtype;
  expect(bench_.get_packed(c.memory, c.y.packed, want.size()), want, Shader::matvec, dtype);
  if (through.in.chooses) expect_choice(layer, logits, n_tokens, Shader::matvec, dtype);
}

// What tokens' experts give, summed up by their weights and added to the stream.
void SelfTest::sum_of_experts(ProductCase& c, const GpuLayer& layer, int n_tokens) {
  const GpuExpertBuffers& b = buffers_.experts;
  const std::size_t n_choices = size(n_tokens * c.n_used);
  const GpuMatrix& m = c.on_device;  // of as many rows as the stream has columns, or fewer
  const Floats x = put_x(c, n_tokens * c.n_used, false), weights = bench_.random(n_choices);
  put_ids(c, n_choices);
  bench_.put(memory(), b.weights, weights);
  Floats want = bench_.random(size(n_tokens) * m.n_rows);
  bench_.put(memory(), buffers_.x, want);
  const Rows rows{.n = n_tokens, .ids = b.ids, .n_summed = c.n_used};
  const Next next{&layer.feed_forward_input, Readers({&layer.experts.chosen.up})};
  bool is_normed = false;
  record(n_tokens, [&](PassRecorder& r) {
    is_normed = m.n_rows % 32 == 0 && r.norms_at_once(Residual::When::at_once, next);
    if (is_normed)
      r.add_and_norm(m, c.x, rows, next);
    else
      r.product(m, c.x, {buffers_.x, Store::adds, hp_.residual_scale}, rows);
  });
  const Floats products = c.product(x);
  for (std::size_t i = 0; i < want.size(); ++i) {
    const std::size_t first = i / m.n_rows * size(c.n_used);
    for (std::size_t k = first; k < first + size(c.n_used); ++k)
      want[i] += hp_.residual_scale * weights[k] * products[k * m.n_rows + i % m.n_rows];
  }
  const kernels::Dtype dtype = c.matrix.rows.dtype;
  expect(bench_.get<float>(memory(), buffers_.x, want.size()), want, Shader::matvec, dtype);
  if (is_normed && n_tokens == 1)
    expect_for_norm(want, layer.plan->feed_forward_input.norm, Shader::matvec, dtype);
}

void SelfTest::products_of_experts(ProductCase& c, const SampledFormat& format) {
  const auto layer = std::ranges::find_if(
      model_.layers, [](const GpuLayer& l) { return l.plan->feed_forward != FeedForward::dense; });
  few_of_experts(c);
  for (const int n_tokens : {1, kFewTokens}) {
    if (format.are_gated) gated_of_experts(c, *layer, n_tokens);
    if (format.are_summed) sum_of_experts(c, *layer, n_tokens);
  }
}

// Each of them by the tiles of the processor of signed bytes or floats, and by matrix cores.
void SelfTest::many(ProductCase& c, int n_rows, bool large) {
  const auto n = static_cast<std::uint32_t>(n_rows);
  const Floats x = put_x(c, n_rows, false);
  const Floats want = c.product(x);
  Rows rows{n_rows};
  if (c.on_device.expert_bytes != 0) {
    const GpuExpertBuffers& b = buffers_.experts;
    bench_.put(memory(), b.tiles, std::vector<std::uint32_t>{1, 0, n / 2, 0, n / 2, n});
    bench_.put(memory(), b.grids,
               std::vector<std::uint32_t>{count(c.on_device.n_rows, kTile), 2, 1});
    rows = {.n = n_rows, .tiles = b.tiles, .n_tiles = 2, .grid = b.grids};
  }
  const auto multiply = [&](Shader shader, auto f) {
    bench_.put(c.memory, c.y.floats, Floats(want.size()));
    record(n_rows, f);
    expect(bench_.get<float>(c.memory, c.y.floats, want.size()), want, shader, c.matrix.rows.dtype);
  };
  multiply(Shader::matmul, [&](PassRecorder& r) {
    const int n_tile = large ? 2 * kTileRows : kTileRows;
    r.tiled_products(Shader::matmul, c.on_device,
                     {source_of(c.on_device, c.x), u32(n_tile / 16), n_tile}, {c.y.floats}, rows);
  });
  bool has_cores = false;
  record(n_rows, [&](PassRecorder& r) { has_cores = r.uses_matrix_cores(c.on_device, rows); });
  if (!has_cores) return;
  multiply(Shader::matmul_cores,
           [&](PassRecorder& r) { r.products_of_cores(c.on_device, c.x, {c.y.floats}, rows); });
}

// Of programs that differ in these alone: of matrix cores those that fill half a matrix, and more.
std::vector<int> SelfTest::several_rows(const ProductCase& c) {
  if (few_shader(c, kMostTokens) == Shader::matvec) return {kMostTokens};
  return {kMostAlone + 1, kMostTokens + 1, kMostFew};
}

void SelfTest::products_of(const SampledFormat& format) {
  const std::int64_t n_rows =
      format.are_summed ? std::min<std::int64_t>(kSampleRows, hp_.n_embd) : kSampleRows;
  ProductCase wide(*this, cut(format.matrix, n_rows, kMostColumns), format.of_experts);
  if (format.of_experts) {
    products_of_experts(wide, format);
  } else {
    if (format.are_kept) few(wide, 1, Store::replaces);
    if (format.are_gated) gated(wide, 1);
    if (format.are_added) with_norm(wide);
    for (const int n : several_rows(wide)) {
      if (format.are_kept) few(wide, n, Store::replaces);
      if (format.are_gated) gated(wide, n);
      if (format.are_added) few(wide, n, Store::adds);
    }
  }
  ProductCase narrow(*this, cut(format.matrix, kSampleRows, kFewColumns), format.of_experts);
  many(narrow, kTileRows / 2, false);
  many(narrow, kManyTokens, !format.of_experts);
}

void SelfTest::products() {
  for (const SampledFormat& format : formats_of(Plan(whole_.hparams, whole_.weights)))
    products_of(format);
}

}  // namespace confab::engine
