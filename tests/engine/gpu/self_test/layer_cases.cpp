// SPDX-License-Identifier: MIT
// The programs of a layer but for its products and its mixture of experts; the embedding and what
// follows the output.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/cpu/feed_forward_regions.h"
#include "tests/engine/gpu/self_test/cases.h"

namespace confab::engine {
namespace {

constexpr int kPositions = 300;  // of a sequence: more than a page has

std::size_t size(int n) noexcept {
  return static_cast<std::size_t>(n);
}

}  // namespace

void SelfTest::expect_activations(const Floats& want, const GpuActivations& at, bool packed,
                                  bool halves, Shader shader) {
  if (packed) expect(bench_.get_packed(memory(), at.packed, want.size()), want, shader);
  if (halves) expect(bench_.get_halves(memory(), at.halves, want.size()), want, shader);
}

void SelfTest::expect_for_norm(const Floats& stream, const Norm& norm, Shader shader,
                               std::optional<kernels::Dtype> dtype) {
  Floats weighted = stream, squares(stream.size() / 32);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    weighted[i] *= norm.weight[i % n_embd()];
    squares[i / 32] += stream[i] * stream[i];
  }
  expect(bench_.get<float>(memory(), buffers_.x, stream.size()), stream, shader, dtype);
  expect(bench_.get<float>(memory(), buffers_.squares, squares.size()), squares, shader, dtype);
  expect(bench_.get_packed(memory(), buffers_.normed.packed, stream.size()), weighted, shader,
         dtype);
}

void SelfTest::norm_rows(const Norm& norm, std::span<float> x, std::size_t n_cols) const {
  if (norm.weight == nullptr) return;
  const auto norm_of = hp_.norm == NormKind::rms ? kernel_.rms_norm : kernel_.layer_norm;
  const auto n = static_cast<std::int64_t>(n_cols);
  for (std::size_t at = 0; at < x.size(); at += n_cols) {
    norm_of(&x[at], norm.weight, n, hp_.norm_eps, &x[at]);
    if (norm.bias != nullptr) kernel_.add(norm.bias, n, &x[at]);
  }
}

// Rows of one sequence that has both pages.
void SelfTest::take_rows(int first_pos, int n_rows) {
  for (std::size_t i = 0; i < std::size(pages_); ++i) buffers_.tables[i] = pages_[i]->address;
  for (int t = 0; t < n_rows; ++t)
    buffers_.rows[t] = {bench_.random_below(static_cast<std::uint32_t>(
                            std::max<std::int64_t>(part_.weights.token_embd.n_rows, 1))),
                        static_cast<std::uint32_t>(first_pos + t), 0};
}

void SelfTest::embedding() {
  const Matrix& table = part_.weights.token_embd;
  take_rows(0, kRows);
  record(kRows, [](PassRecorder& r) { r.embed(); });
  Floats want(size(kRows) * n_embd());
  for (std::size_t t = 0; t < size(kRows); ++t) {
    float* row = &want[t * n_embd()];
    kernel_.decode_weights(table.rows, buffers_.rows[t].token, row);
    for (std::size_t i = 0; i < n_embd(); ++i) row[i] *= hp_.embedding_scale;
  }
  expect(bench_.get<float>(memory(), buffers_.x, want.size()), want, Shader::embed,
         table.rows.dtype);
}

void SelfTest::stream_input(const StreamInput& plan, const GpuStreamInput& input, int n_picked) {
  const std::size_t n = size(kRows) * n_embd();
  const bool packs = hp_.n_embd % 32 == 0;
  Floats x = bench_.random(n);
  const Floats waiting = bench_.random(n);
  bench_.put(memory(), buffers_.x, x);
  bench_.put(memory(), buffers_.waiting, waiting);
  const std::size_t picked = size(n_picked > 0 ? kRows - 1 : 0);
  buffers_.picked[0] = static_cast<std::uint32_t>(picked);
  const GpuActivations& to = n_picked > 0 ? buffers_.output : buffers_.normed;
  record(kRows, [&](PassRecorder& r) { r.read_stream(input, to, packs, n_picked); });

  const auto add_waiting = [&] {
    Floats added = waiting;
    norm_rows(plan.before.norm, added, n_embd());
    const float scale = plan.before.x_scale != nullptr ? *plan.before.x_scale : 1;
    for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] + hp_.residual_scale * added[i]) * scale;
  };
  if (plan.before.when == Residual::When::before_norm) add_waiting();
  Floats want = x;
  norm_rows(plan.norm, want, n_embd());
  if (plan.before.when == Residual::When::after_norm) add_waiting();
  if (n_picked == 0)
    expect(bench_.get<float>(memory(), buffers_.x, n), x, Shader::norm);
  else
    want = {want.begin() + static_cast<std::ptrdiff_t>(picked * n_embd()),
            want.begin() + static_cast<std::ptrdiff_t>((picked + 1) * n_embd())};
  expect(bench_.get<float>(memory(), to.floats, want.size()), want, Shader::norm);
  if (n_picked == 0) expect_activations(want, to, packs, has_halves_, Shader::norm);
}

// Of norms by themselves: queries and keys that are normed as rows, and what plain feed-forwards
// beside experts give.
void SelfTest::rows_of_norm() {
  const GpuLayer& layer = model_.layers.front();
  const bool by_row = hp_.qk_norm == QkNorm::row;
  if (!by_row && layer.plan->feed_forward != FeedForward::experts_beside_dense) return;
  const LayerHparams& shape = layer.plan->shape;
  const std::size_t n_cols = by_row ? size(shape.n_head) * size(shape.head_dim_k) : n_embd();
  const std::uint64_t at = by_row ? buffers_.q : buffers_.waiting;
  const ExpertWeights& e = layer.plan->weights.experts;
  const Norm norm =
      by_row ? Norm{layer.plan->weights.attn_q_norm.weight} : Norm{e.post_norm.weight};
  const std::uint64_t weight = by_row ? layer.q_norm : layer.experts.post_norm.weight;
  Floats want = bench_.random(size(kRows) * n_cols);
  bench_.put(memory(), at, want);
  record(kRows, [&](PassRecorder& r) {
    r.norm_row(at, weight, static_cast<std::uint32_t>(n_cols));
    r.commands_.barrier();
    if (!by_row) r.add_rows(at, at);
  });
  norm_rows(norm, want, n_cols);
  if (!by_row)
    for (float& value : want) value *= 2;
  expect(bench_.get<float>(memory(), at, want.size()), want, Shader::norm);
}

// Queries, keys and values of tokens from a position on, [n_rows, n_heads, dim].
struct SelfTest::Heads {
  const GpuLayer& layer;
  int first, n_rows;
  Floats q, k, v;
  int n_half;             // angles of a token
  Floats cosines, sines;  // [n_rows, n_half]
};

SelfTest::Heads SelfTest::put_heads(const GpuLayer& layer, int first, int n_rows) {
  const LayerHparams& shape = layer.plan->shape;
  const int n_half = shape.rope == kNoRope ? 0 : hp_.ropes[size(shape.rope)].n_rot / 2;
  Heads heads{layer,
              first,
              n_rows,
              bench_.random(size(n_rows * shape.n_head * shape.head_dim_k)),
              bench_.random(size(n_rows * shape.n_head_kv * shape.head_dim_k)),
              bench_.random(size(n_rows * shape.n_head_kv * shape.head_dim_v)),
              n_half,
              Floats(size(n_rows * n_half)),
              Floats(size(n_rows * n_half))};
  bench_.put(memory(), buffers_.q, heads.q);
  bench_.put(memory(), buffers_.k, heads.k);
  bench_.put(memory(), buffers_.v, heads.v);
  take_rows(first, n_rows);
  for (int t = 0; t < n_rows && n_half > 0; ++t) {
    const std::size_t at = size(t * n_half);
    ropes_[size(shape.rope)].angles(first + t, &heads.cosines[at], &heads.sines[at]);
    float* to = buffers_.angles[size(shape.rope)];
    for (std::size_t i = at; i < at + size(n_half); ++i) {
      to[2 * i] = heads.cosines[i];
      to[2 * i + 1] = heads.sines[i];
    }
  }
  return heads;
}

// What becomes of a query or key of token t: normed, rotated, turned.
void SelfTest::finish_head(const Heads& heads, const HeadNorm& norm, int head, int t,
                           float* row) const {
  const LayerHparams& shape = heads.layer.plan->shape;
  const std::size_t dim = size(shape.head_dim_k);
  if (hp_.qk_norm == QkNorm::head)
    norm_rows({norm.weight + norm.stride * head}, std::span(row, dim), dim);
  if (heads.n_half > 0) {
    const RopeHparams& how = hp_.ropes[size(shape.rope)];
    const std::size_t at = size(t * heads.n_half);
    kernel_.rope(row + how.offset, how.n_rot, how.interleaved, &heads.cosines[at],
                 &heads.sines[at]);
  }
  const int turn = pool_.layout().layer(heads.layer.plan->il).rotations.keys;
  if (turn > 0) kernel_.hadamard(row, shape.head_dim_k, turn);
}

void SelfTest::finish_heads(Heads& heads) const {
  const LayerHparams& shape = heads.layer.plan->shape;
  const LayerWeights& w = heads.layer.plan->weights;
  const int turn = pool_.layout().layer(heads.layer.plan->il).rotations.values;
  for (int t = 0; t < heads.n_rows; ++t) {
    const float steps = std::floor(static_cast<float>(heads.first + t) /
                                   static_cast<float>(hp_.attn_temperature_length));
    for (int head = 0; head < shape.n_head; ++head) {
      float* row = &heads.q[size((t * shape.n_head + head) * shape.head_dim_k)];
      finish_head(heads, w.attn_q_norm, head, t, row);
      for (int i = 0; i < shape.head_dim_k; ++i)
        row[i] *= 1 + hp_.attn_temperature_scale * std::log(1 + steps);
    }
    for (int head = 0; head < shape.n_head_kv; ++head) {
      const int at = t * shape.n_head_kv + head;
      finish_head(heads, w.attn_k_norm, head, t, &heads.k[size(at * shape.head_dim_k)]);
      float* value = &heads.v[size(at * shape.head_dim_v)];
      if (hp_.v_norm) kernel_.rms_norm(value, nullptr, shape.head_dim_v, hp_.norm_eps, value);
      if (turn > 0) kernel_.hadamard(value, shape.head_dim_v, turn);
    }
  }
}

// Whether the pages have these keys and values.
void SelfTest::expect_kept(const Heads& heads, Shader shader) {
  const LayerHparams& shape = heads.layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(heads.layer.plan->il);
  Pages pages(std::size(pages_));
  for (std::size_t i = 0; i < pages.size(); ++i) {
    pages[i].resize(pool_.layout().block_bytes());
    pool_.read(*pages_[i], pages[i]);
  }
  const auto rows_of = [&](const KvLayout::Slice& slice, int dim) {
    Floats rows(size(heads.n_rows * shape.n_head_kv * dim));
    for (int i = 0; i < heads.n_rows * shape.n_head_kv; ++i)
      kernel_.decode_row(
          slice.dtype,
          kept_row(pages, slice, i % shape.n_head_kv, heads.first + i / shape.n_head_kv), dim,
          &rows[size(i * dim)]);
    return rows;
  };
  expect(rows_of(kept.k, shape.head_dim_k), heads.k, shader);
  expect(rows_of(kept.v, shape.head_dim_v), heads.v, shader);
}

std::byte* SelfTest::kept_row(Pages& pages, const KvLayout::Slice& slice, int head, int pos) {
  return &pages[size(pos / kBlockTokens)][KvLayout::row_offset(slice, head, pos)];
}

void SelfTest::rope_and_append(const GpuLayer& layer) {
  // From one page to the next.
  Heads heads = put_heads(layer, kBlockTokens - kRows / 2, kRows);
  record(kRows, [&](PassRecorder& r) { r.rope_append(layer); });
  finish_heads(heads);
  expect(bench_.get<float>(memory(), buffers_.q, heads.q.size()), heads.q, Shader::rope_append);
  expect_kept(heads, Shader::rope_append);
}

// Keys and values of kPositions in the pages, and what these are now.
SelfTest::Pages SelfTest::fill_pages(const GpuLayer& layer) {
  const LayerHparams& shape = layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(layer.plan->il);
  Pages pages(std::size(pages_));
  for (auto& page : pages) page.resize(pool_.layout().block_bytes());
  const auto put = [&](const KvLayout::Slice& slice, int dim) {
    for (int head = 0; head < shape.n_head_kv; ++head) {
      const Floats rows = bench_.random(size(kPositions * dim), 2);
      for (int pos = 0; pos < kPositions; ++pos)
        kernel_.encode_row(slice.dtype, &rows[size(pos * dim)], dim,
                           kept_row(pages, slice, head, pos));
    }
  };
  put(kept.k, shape.head_dim_k);
  put(kept.v, shape.head_dim_v);
  for (std::size_t i = 0; i < pages.size(); ++i) pool_.write(*pages_[i], pages[i]);
  return pages;
}

// The keys and values of these tokens, where they belong.
void SelfTest::append(const Heads& heads, Pages& pages) const {
  const LayerHparams& shape = heads.layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(heads.layer.plan->il);
  for (int i = 0; i < heads.n_rows * shape.n_head_kv; ++i) {
    const int head = i % shape.n_head_kv, pos = heads.first + i / shape.n_head_kv;
    kernel_.encode_row(kept.k.dtype, &heads.k[size(i * shape.head_dim_k)], shape.head_dim_k,
                       kept_row(pages, kept.k, head, pos));
    kernel_.encode_row(kept.v.dtype, &heads.v[size(i * shape.head_dim_v)], shape.head_dim_v,
                       kept_row(pages, kept.v, head, pos));
  }
}

// What heads of the last n_rows positions attend to, [n_rows, n_head, head_dim_v].
SelfTest::Floats SelfTest::attended(const GpuLayer& layer, const Floats& q,
                                    std::span<const std::byte* const> pages) const {
  const LayerHparams& shape = layer.plan->shape;
  const KvLayout::Layer& kept = pool_.layout().layer(layer.plan->il);
  const float* sinks = layer.plan->weights.attn_sinks;
  const int n_rows = static_cast<int>(q.size()) / (shape.n_head * shape.head_dim_k);
  Floats out(size(n_rows * shape.n_head * shape.head_dim_v));
  Floats scratch(kernels::attention_scratch_floats(1, shape.head_dim_k, shape.head_dim_v));
  const auto rows_of = [&](const KvLayout::Slice& slice, int head_kv) {
    return kernels::KvRows{slice.dtype, pages.data(), KvLayout::row_offset(slice, head_kv, 0),
                           kBlockTokens, slice.row_bytes};
  };
  for (int head = 0; head < shape.n_head; ++head) {
    const int head_kv = head / (shape.n_head / shape.n_head_kv);
    kernel_.attention({.q = &q[size(head * shape.head_dim_k)],
                       .q_stride = std::int64_t{shape.n_head} * shape.head_dim_k,
                       .out = &out[size(head * shape.head_dim_v)],
                       .out_stride = std::int64_t{shape.n_head} * shape.head_dim_v,
                       .n_queries = n_rows,
                       .n_group = 1,
                       .head_dim_k = shape.head_dim_k,
                       .head_dim_v = shape.head_dim_v,
                       .pos = kPositions - n_rows,
                       .window = shape.window,
                       .scale = hp_.score_scale(shape),
                       .softcap = hp_.attn_softcap,
                       .sinks = sinks == nullptr ? nullptr : sinks + head,
                       .k = rows_of(kept.k, head_kv),
                       .v = rows_of(kept.v, head_kv),
                       .scratch = scratch.data()});
  }
  return out;
}

void SelfTest::attention(const GpuLayer& layer, const GpuPassShape& pass) {
  const int n_rows = pass.n_rows;
  Pages pages = fill_pages(layer);
  Heads heads = put_heads(layer, kPositions - n_rows, n_rows);
  bool prepares = false;  // as rope_append does for many rows
  Shader shader = Shader::attention;
  record(pass, [&](PassRecorder& r) {
    r.attend(layer);
    prepares = r.prepares_heads(layer.plan->shape);
    if (r.attends_by_tiles(layer.plan->shape))
      shader = r.attends_by_cores(layer) ? Shader::attention_cores : Shader::attention_tiles;
  });
  if (prepares) {
    finish_heads(heads);
    expect_kept(heads, shader);
    append(heads, pages);
  }
  const std::byte* const blocks[] = {pages[0].data(), pages[1].data()};
  Floats want = attended(layer, heads.q, blocks);
  const int turn = pool_.layout().layer(layer.plan->il).rotations.values;
  if (turn > 0) kernel_.hadamard(want.data(), static_cast<std::int64_t>(want.size()), turn);
  const GpuActivations& to = buffers_.attended;
  const bool floats = layer.out.reads_floats();
  if (floats) expect(bench_.get<float>(memory(), to.floats, want.size()), want, shader);
  expect_activations(want, to, !floats, has_halves_ && n_rows >= kRows, shader);
}

// Of ranges of positions, and where tiles have all of them.
void SelfTest::attention(const GpuLayer& layer) {
  for (const int n_rows : {1, kRows, kMoreRows})
    attention(layer, pass_shape(hp_, {n_rows, n_rows}, 0, kPositions));
  attention(layer, {kMoreRows, 0, 0, kRangePositions, 1, true});
}

void SelfTest::activation(const GpuMlp& mlp, int n_ff) {
  GpuMlp whole = mlp;  // of which only the sizes are read
  whole.up.n_rows = static_cast<std::uint32_t>(n_ff);
  const std::size_t n = size(kRows) * size(n_ff);
  const bool has_gate = mlp.gate.n_rows > 0, packs = !mlp.down.reads_floats();
  Floats want = bench_.random(n, 4);
  const Floats up = has_gate ? bench_.random(n) : Floats(n, 1);
  const GpuHidden& hidden = buffers_.hidden;
  bench_.put(memory(), hidden.rows.floats, want);
  bench_.put(memory(), hidden.up, up);
  record(kRows, [&](PassRecorder& r) { r.activate_hidden({whole, {}, hidden, r.all_rows()}); });
  activate(kernel_, hp_.activation, want.data(), up.data(), static_cast<std::int64_t>(n));
  expect(bench_.get<float>(memory(), hidden.rows.floats, n), want, Shader::activate);
  expect_activations(want, hidden.rows, packs, has_halves_, Shader::activate);
}

void SelfTest::logits() {
  if (hp_.logit_scale == 1 && hp_.logit_softcap <= 0) return;
  Floats want = bench_.random(size(hp_.n_vocab), 40 / hp_.logit_scale);
  bench_.put(memory(), buffers_.logits, want);
  record(1, [](PassRecorder& r) { r.finish_logits(); });
  for (float& value : want) value *= hp_.logit_scale;
  if (hp_.logit_softcap > 0)
    kernel_.soft_cap(want.data(), static_cast<std::int64_t>(want.size()), hp_.logit_softcap);
  expect(bench_.get<float>(memory(), buffers_.logits, want.size()), want, Shader::logits);
}

void SelfTest::best_logits() {
  constexpr int kBest = 40;
  const Floats row = bench_.random(size(hp_.n_vocab), 20);
  bench_.put(memory(), buffers_.logits, row);
  const auto n_best = size(std::min(kBest, hp_.n_vocab));
  record(GpuPassShape{1, 1, static_cast<int>(n_best), kRangePositions, 1, false},
         [](PassRecorder& r) { r.best_logits(); });
  std::vector<Token> want(row.size());
  std::iota(want.begin(), want.end(), 0);
  std::ranges::partial_sort(want, want.begin() + static_cast<std::ptrdiff_t>(n_best),
                            [&](Token a, Token b) {
                              const float x = row[size(a)], y = row[size(b)];
                              return x > y || (x == y && a < b);
                            });
  const auto got = bench_.get<TopLogit>(memory(), buffers_.top, n_best);
  bool is_right = true;
  for (std::size_t i = 0; i < n_best; ++i)
    is_right = is_right && got[i].token == want[i] && got[i].logit == row[size(want[i])];
  expect(is_right, Shader::top);
}

}  // namespace confab::engine
