// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_decoder.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/gpu/few_rows.h"
#include "engine/gpu/gpu_buffers.h"
#include "engine/gpu/gpu_recorder.h"
#include "engine/model/hparams.h"
#include "kernels/dtype.h"

namespace confab::engine {

using kernels::vulkan::Commands;
using kernels::vulkan::Gpu;
using kernels::vulkan::GpuError;

namespace {

constexpr std::size_t kMostRecorded = 32;
// A pass of many rows is cut into this many parts at most, and can end between them. Each cut costs
// some microseconds while the device starts the next part.
constexpr std::size_t kMostParts = 8;

int n_wanted_of(const GpuRun& run) noexcept {
  switch (run.logits) {
    case LogitsOf::none:
      return 0;
    case LogitsOf::last_token:
      return 1;
    case LogitsOf::all_tokens:
      return static_cast<int>(run.tokens.size());
  }
  return 0;
}

// How many of the best logits to return per row; 0 if any row is wanted whole or no row is wanted.
int n_top_of(std::span<const GpuRun> runs, int n_vocab) noexcept {
  int n = 0;
  for (const GpuRun& run : runs) {
    if (run.logits == LogitsOf::none) continue;
    if (run.n_top == 0) return 0;
    n = std::max(n, run.n_top);
  }
  return n <= std::min(GpuBuffers::kMostTop, n_vocab) ? n : 0;
}

// Keeps a pass within its buffers, whatever it is asked for.
void require(bool fits) {
  if (!fits) throw GpuError(GpuError::Kind::unusable, "a pass has more rows than it was made for");
}

// The name of a format as numbered in formats.glsl: "Q6_K", "Q6_K planes".
std::string format_name(std::uint32_t format) {
  constexpr std::uint32_t kPlanes = 256;  // what RowPlanes adds to a type
  return std::string(kernels::ggml_type_name(format % kPlanes)) +
         (format >= kPlanes ? " planes" : "");
}

GpuSequence& own(const SequenceRun& run) {
  return static_cast<GpuSequence&>(*run.sequence);
}

}  // namespace

struct GpuForward::State {
  struct Rows {  // rows of logits
    std::size_t first, n;
  };
  GpuPassParts parts;
  Options options;
  std::vector<Rope> ropes;
  GpuBuffers buffers;
  using Parts = std::vector<std::unique_ptr<Commands>>;  // the parts of a pass, in order
  std::map<GpuPassShape, Parts> recorded = {};
  const Parts* running = nullptr;  // the parts that run now, or ran last
  std::vector<Rows> wanted = {};
  std::vector<float> cosines = {}, sines = {};       // for one row
  std::vector<int> next = {};                        // expected position of each row
  std::vector<std::vector<float>> next_angles = {};  // for each rope, [n, n_rot]
  std::size_t n_wanted = 0;
  std::size_t n_top = 0;  // per wanted row; 0: all

  std::size_t row_bytes() const noexcept {  // in `result`
    return n_top > 0 ? n_top * sizeof(TopLogit)
                     : static_cast<std::size_t>(parts.model.hp.n_vocab) * sizeof(float);
  }
  GpuPassShape write_rows(std::span<const GpuRun> runs);
  void find_angles(std::size_t rope, int pos, float* to);
  void write_angles(std::size_t row, int pos);
  void prepare_next(std::span<const GpuRun> runs);
  const Parts& commands_of(const GpuPassShape& shape);
  GpuLayerRange layers_of(std::size_t i, std::size_t n_parts) const;
  bool run(const Parts& passes, std::span<const GpuRun> runs,
           kernels::FunctionRef<bool(int il)> go_on);
  ProgramRun program_run(const Commands::Dispatch& dispatch, std::size_t n_rows) const;
};

// Writes the rows of a pass to memory that both sides see.
GpuPassShape GpuForward::State::write_rows(std::span<const GpuRun> runs) {
  std::size_t n_rows = 0, n_table = 0;
  int n_positions = 0, n_least = options.n_batch;
  wanted.clear();
  n_wanted = 0;
  for (const GpuRun& run : runs) {
    const int n_pages = run.sequence->n_pages();
    require(n_table + static_cast<std::size_t>(n_pages) <= buffers.n_tables &&
            n_rows + run.tokens.size() <= static_cast<std::size_t>(options.n_batch));
    for (int i = 0; i < n_pages; ++i) buffers.tables[n_table + i] = run.sequence->page(i)->address;
    if (run.x != nullptr) {
      const std::size_t n_embd = static_cast<std::size_t>(parts.model.hp.n_embd);
      std::copy_n(run.x, run.tokens.size() * n_embd, buffers.given + n_rows * n_embd);
    }
    n_least = std::min(n_least, static_cast<int>(run.tokens.size()));
    const auto n = static_cast<std::size_t>(n_wanted_of(run));
    require(n_wanted + n <= static_cast<std::size_t>(options.n_logits));
    const std::size_t unwanted = run.tokens.size() - n;
    for (std::size_t t = 0; t < run.tokens.size(); ++t, ++n_rows) {
      const int pos = run.sequence->n_tokens() + static_cast<int>(t);
      buffers.rows[n_rows] = {static_cast<std::uint32_t>(run.tokens[t]),
                              static_cast<std::uint32_t>(pos), static_cast<std::uint32_t>(n_table)};
      write_angles(n_rows, pos);
      if (t >= unwanted)
        buffers.picked[n_wanted + t - unwanted] = static_cast<std::uint32_t>(n_rows);
      n_positions = std::max(n_positions, pos + 1);
    }
    wanted.push_back({n_wanted, n});
    n_wanted += n;
    n_table += static_cast<std::size_t>(n_pages);
  }
  require(n_rows >= 1);
  GpuPassShape shape = pass_shape(parts.model.hp, {static_cast<int>(n_rows), n_least},
                                  static_cast<int>(n_wanted), n_positions);
  shape.n_top = n_top_of(runs, parts.model.hp.n_vocab);
  n_top = static_cast<std::size_t>(shape.n_top);
  return shape;
}

void GpuForward::State::find_angles(std::size_t rope, int pos, float* to) {
  const auto n = static_cast<std::size_t>(parts.model.hp.ropes[rope].n_rot / 2);
  cosines.resize(n);  // allocates only during the first passes
  sines.resize(n);
  ropes[rope].angles(pos, cosines.data(), sines.data());
  for (std::size_t k = 0; k < n; ++k) {
    to[2 * k] = cosines[k];
    to[2 * k + 1] = sines[k];
  }
}

void GpuForward::State::write_angles(std::size_t row, int pos) {
  const bool expected = row < next.size() && next[row] == pos;
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    const auto n = static_cast<std::size_t>(parts.model.hp.ropes[i].n_rot);
    float* to = buffers.angles[i] + row * n;
    if (expected)
      std::copy_n(next_angles[i].data() + row * n, n, to);
    else
      find_angles(i, pos, to);
  }
}

// Computes the angles and records the commands of the expected next pass.
void GpuForward::State::prepare_next(std::span<const GpuRun> runs) {
  if (n_wanted == 0) return;
  next.clear();
  for (const GpuRun& run : runs)
    next.push_back(run.sequence->n_tokens() + static_cast<int>(run.tokens.size()));
  const int n_rows = static_cast<int>(next.size());
  const int n_positions = *std::ranges::max_element(next) + 1;
  if (n_positions > options.n_ctx || n_rows > options.n_logits) return next.clear();
  next_angles.resize(ropes.size());
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    const auto n = static_cast<std::size_t>(parts.model.hp.ropes[i].n_rot);
    next_angles[i].resize(next.size() * n);
    for (std::size_t row = 0; row < next.size(); ++row)
      find_angles(i, next[row], next_angles[i].data() + row * n);
  }
  GpuPassShape shape = pass_shape(parts.model.hp, {n_rows, 1}, n_rows, n_positions);
  shape.n_top = static_cast<int>(n_top);
  commands_of(shape);
}

GpuLayerRange GpuForward::State::layers_of(std::size_t i, std::size_t n_parts) const {
  const std::size_t n = parts.model.layers.size();
  return {i * n / n_parts, (i + 1) * n / n_parts};
}

// A pass of a few rows is not cut: it ends soon, and its layers pass on recorder state.
const GpuForward::State::Parts& GpuForward::State::commands_of(const GpuPassShape& shape) {
  const auto found = recorded.find(shape);
  if (found != recorded.end()) return found->second;
  if (recorded.size() >= kMostRecorded)
    std::erase_if(recorded, [this](const auto& one) { return &one.second != running; });
  const std::size_t n_parts =
      shape.n_rows > kMostFew ? std::min(kMostParts, parts.model.layers.size()) : 1;
  Parts made;
  for (std::size_t i = 0; i < n_parts; ++i) {
    made.push_back(std::make_unique<Commands>(parts.gpu));
    record_layers(parts, buffers, shape, layers_of(i, n_parts), *made.back());
  }
  return recorded.emplace(shape, std::move(made)).first->second;
}

// While one part runs, the next one is already queued, so that the device is never idle. Returns
// false if go_on() ended the pass.
bool GpuForward::State::run(const Parts& passes, std::span<const GpuRun> runs,
                            kernels::FunctionRef<bool(int il)> go_on) {
  struct Drained {  // also runs if something throws
    Gpu& gpu;
    ~Drained() { gpu.drain(); }
  } const drained{parts.gpu};
  constexpr std::size_t kAhead = Gpu::kMostInFlight;
  bool goes_on = true, is_prepared = false;
  std::size_t n_given = 0, n_done = 0;
  const auto give = [&] {
    if (goes_on && n_given > 0)
      goes_on = go_on(static_cast<int>(layers_of(n_given, passes.size()).begin));
    if (goes_on) parts.gpu.submit(*passes[n_given++]);
  };
  while (n_given < passes.size() && n_given < kAhead && goes_on) give();
  while (n_done < n_given) {
    if (n_given == passes.size() && !std::exchange(is_prepared, true)) {
      try {
        prepare_next(runs);
      } catch (const std::exception&) {  // the error comes up again when that pass is wanted
      }
    }
    parts.gpu.wait();
    ++n_done;
    if (goes_on && n_given < passes.size()) give();
  }
  return goes_on;
}

GpuForward::GpuForward(kernels::vulkan::Gpu& gpu, ModelView model, const GpuModel& on_device,
                       const GpuPagePool& pool, const Options& options)
    : state_(new State{.parts = {gpu, on_device, pool},
                       .options = options,
                       .ropes = make_ropes(model.hparams, model.weights, options.n_ctx),
                       .buffers = GpuBuffers(gpu, model.hparams,
                                             {options.n_ctx, options.n_batch, options.n_logits,
                                              model.weights.token_embd.n_rows == 0})}) {}

GpuForward::~GpuForward() = default;

int GpuForward::n_parts(int n_layer) noexcept {
  return std::max(1, std::min(static_cast<int>(kMostParts), n_layer) / Gpu::kMostInFlight);
}

bool GpuForward::run(std::span<const GpuRun> runs, kernels::FunctionRef<bool(int il)> go_on) {
  State& s = *state_;
  const GpuPassShape shape = s.write_rows(runs);
  const State::Parts& passes = s.commands_of(shape);
  s.running = &passes;
  return s.run(passes, runs, go_on);
}

ProgramRun GpuForward::State::program_run(const Commands::Dispatch& dispatch,
                                          std::size_t n_rows) const {
  ProgramRun made{.program = std::string(kernels::vulkan::name(dispatch.shader)),
                  .format = dispatch.weight_bytes > 0 ? format_name(dispatch.format) : "",
                  .n_instructions = dispatch.n_instructions,
                  .weight_bytes = dispatch.weight_bytes,
                  .cache_bytes = 0};
  const auto most = static_cast<std::uint64_t>(dispatch.n_positions);
  if (dispatch.position_bytes == 0) return made;
  for (const GpuRow& row : std::span(buffers.rows, n_rows)) {
    const std::uint64_t n_seen = row.pos + std::uint64_t{1};
    made.cache_bytes += dispatch.position_bytes * (most > 0 ? std::min(n_seen, most) : n_seen);
  }
  return made;
}

std::vector<ProgramRun> GpuForward::trace(std::span<const GpuRun> runs) {
  State& s = *state_;
  const GpuPassShape shape = s.write_rows(runs);
  Commands commands(s.parts.gpu, true);
  record_pass(s.parts, s.buffers, shape, commands);
  s.parts.gpu.run(commands);
  std::vector<ProgramRun> programs;
  for (const Commands::Dispatch& dispatch : commands.dispatches())
    programs.push_back(s.program_run(dispatch, static_cast<std::size_t>(shape.n_rows)));
  const std::vector<double> times = commands.times();
  for (std::size_t i = 0; i < times.size(); ++i) programs[i].nanoseconds = times[i];
  return programs;
}

std::span<const float> GpuForward::logits(std::size_t i) const noexcept {
  const State& s = *state_;
  if (s.n_top > 0) return {};
  const auto n_vocab = static_cast<std::size_t>(s.parts.model.hp.n_vocab);
  const auto* first = reinterpret_cast<const float*>(s.buffers.result.data());
  return {first + s.wanted[i].first * n_vocab, s.wanted[i].n * n_vocab};
}

std::span<const TopLogit> GpuForward::top(std::size_t i) const noexcept {
  const State& s = *state_;
  const auto* first = reinterpret_cast<const TopLogit*>(s.buffers.result.data());
  return {first + s.wanted[i].first * s.n_top, s.wanted[i].n * s.n_top};
}

std::span<const float> GpuForward::hidden(std::size_t i) const noexcept {
  const State& s = *state_;
  const auto n_embd = static_cast<std::size_t>(s.parts.model.hp.n_embd);
  const auto* first =
      reinterpret_cast<const float*>(s.buffers.result.data() + s.n_wanted * s.row_bytes());
  return {first + s.wanted[i].first * n_embd, s.wanted[i].n * n_embd};
}

GpuDecoder::GpuDecoder(const kernels::vulkan::GpuInfo& gpu, ModelView model, const Options& options,
                       const UploadOptions& upload)
    : options_(options),
      gpu_(gpu),
      model_(gpu_, model, upload),
      pool_(gpu_, KvLayout(model.hparams, options.type_k, options.type_v), options.n_pages),
      forward_(gpu_, model, model_, pool_,
               {.n_ctx = options.n_ctx, .n_batch = options.n_batch, .n_logits = options.n_logits}) {
}

int GpuDecoder::n_layer() const noexcept {
  return model_.hp.n_layer;
}

void GpuDecoder::make_room(std::span<const SequenceRun> runs) {
  for (const SequenceRun& run : runs) own(run).make_room(static_cast<int>(run.tokens.size()));
}

RunEnd GpuDecoder::run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) {
  make_room(runs);
  return run_from(runs, {}, go_on);
}

RunEnd GpuDecoder::trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) {
  make_room(runs);
  take(runs, {});
  programs = forward_.trace(runs_);
  append(runs);
  return RunEnd::done;
}

RunEnd GpuDecoder::run_from(std::span<const SequenceRun> runs, std::span<const float* const> x,
                            kernels::FunctionRef<bool(int)> go_on) {
  take(runs, x);
  if (!forward_.run(runs_, go_on)) return RunEnd::stopped;
  append(runs);
  return RunEnd::done;
}

void GpuDecoder::take(std::span<const SequenceRun> runs, std::span<const float* const> x) {
  runs_.clear();
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs_.push_back(
        {&own(runs[i]), runs[i].tokens, runs[i].logits, runs[i].n_top, x.empty() ? nullptr : x[i]});
}

void GpuDecoder::append(std::span<const SequenceRun> runs) {
  for (const SequenceRun& run : runs) own(run).append(run.tokens);
}

std::uint64_t GpuDecoder::device_bytes(ModelView model, const Options& options) {
  const KvLayout layout(model.hparams, options.type_k, options.type_v);
  return GpuWeights::device_bytes(model.weights.n_bytes) +
         layout.block_bytes() * static_cast<std::uint64_t>(options.n_pages) +
         GpuBuffers::device_bytes(model.hparams,
                                  {options.n_ctx, options.n_batch, options.n_logits});
}

}  // namespace confab::engine
