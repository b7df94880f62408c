// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_weights.h"

#include <algorithm>
#include <utility>

#include "kernels/iq_grids.h"

namespace confab::engine {

using kernels::Dtype;
using kernels::vulkan::Buffer;
using kernels::vulkan::Memory;

namespace {

constexpr std::size_t kArenaBytes = std::size_t{256} << 20;
constexpr std::size_t kAlignment = 256;
// Less is not worth memory of its own; the programs read sixteen bytes at a time.
constexpr std::size_t kLeastImport = std::size_t{64} << 10, kImportAlignment = 16;

constexpr std::size_t aligned(std::size_t n) noexcept {
  return (n + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t matrix_bytes(const Matrix& m) noexcept {
  return m.rows.row_bytes * static_cast<std::size_t>(m.n_rows);
}

std::span<const std::byte> grid_of(Dtype dtype) noexcept {
  switch (dtype) {
    case Dtype::IQ2_XXS:
      return std::as_bytes(std::span(kernels::kIq2XxsGrid));
    case Dtype::IQ2_XS:
      return std::as_bytes(std::span(kernels::kIq2XsGrid));
    case Dtype::IQ2_S:
      return std::as_bytes(std::span(kernels::kIq2SGrid));
    case Dtype::IQ3_XXS:
      return std::as_bytes(std::span(kernels::kIq3XxsGrid));
    case Dtype::IQ3_S:
      return std::as_bytes(std::span(kernels::kIq3SGrid));
    case Dtype::IQ1_S:
    case Dtype::IQ1_M:
      return std::as_bytes(std::span(kernels::kIq1Grid));
    default:
      return {};
  }
}

GpuMatrix shape_of(const Matrix& m) noexcept {
  GpuMatrix made;
  made.dtype = m.rows.dtype;
  made.format = static_cast<std::uint32_t>(m.rows.dtype);
  made.n_rows = static_cast<std::uint32_t>(m.n_rows);
  made.n_cols = static_cast<std::uint32_t>(m.rows.n_cols);
  made.row_bytes = static_cast<std::uint32_t>(m.rows.row_bytes);
  made.scale = m.scale;
  return made;
}

// The planes that m goes to the device as, if it does; `made` is what it will be there.
std::optional<RowPlanes> take_apart(const Matrix& m, GpuMatrix& made) {
  std::optional<RowPlanes> planes = RowPlanes::of(m.rows);
  if (planes) {
    made.format = planes->format;
    made.row_bytes = static_cast<std::uint32_t>(planes->stride);
  }
  return planes;
}

}  // namespace

bool GpuMatrix::reads_floats() const noexcept {
  return dtype == Dtype::F32 || dtype == Dtype::F16 || dtype == Dtype::BF16;
}

GpuWeights::GpuWeights(kernels::vulkan::Gpu& gpu, std::uint64_t n_bytes,
                       const UploadOptions& options)
    : gpu_(gpu),
      options_(options),
      n_expected_(n_bytes),
      upload_(gpu, options.team, [this](std::size_t n) { count(n); }) {
  options_.may_import = options.may_import && gpu.info().shares_memory;
}

std::uint64_t GpuWeights::device_bytes(std::uint64_t n_bytes) noexcept {
  return n_bytes + n_bytes / 64 + WeightsUpload::kStagingBytes + (1 << 20);
}

// All but its place.
GpuMatrix GpuWeights::start(const Matrix& m) {
  GpuMatrix made = shape_of(m);
  if (const auto grid = grid_of(made.dtype); !grid.empty()) made.grid = put(grid);
  return made;
}

// Of an imported matrix the blocks stay as they are in the file: planes would be read faster, but
// take as much memory once more.
GpuMatrix GpuWeights::put(const Matrix& m) {
  if (m.n_rows == 0) return {};
  GpuMatrix made = start(m);
  const std::span bytes(m.rows.data, matrix_bytes(m));
  made.bias = put(m.bias, m.n_rows);
  made.data = import(bytes);
  if (made.data != 0) return made;
  const auto planes = take_apart(m, made);
  made.data = put(bytes, made.n_bytes(), planes ? &*planes : nullptr);
  return made;
}

GpuMatrix GpuWeights::put(std::span<const Matrix> experts) {
  if (experts.empty() || experts.front().n_rows == 0) return {};
  const Matrix& first = experts.front();
  GpuMatrix made = start(first);
  made.expert_bytes = matrix_bytes(first);
  if (first.bias != nullptr) {
    std::vector<float> biases;
    for (const Matrix& m : experts) biases.insert(biases.end(), m.bias, m.bias + m.n_rows);
    made.bias = put_copy(biases);
  }
  const std::size_t n_bytes = made.expert_bytes * experts.size();
  bool in_order = true;
  for (std::size_t i = 0; i < experts.size(); ++i)
    in_order = in_order && experts[i].rows.data == first.rows.data + i * made.expert_bytes;
  if (in_order) made.data = import(std::span(first.rows.data, n_bytes));
  if (made.data != 0) return made;
  const auto planes = take_apart(first, made);
  made.expert_bytes = made.n_bytes();
  const std::size_t offset = make_room(made.expert_bytes * experts.size());
  made.data = address(offset);
  for (std::size_t i = 0; i < experts.size(); ++i)
    upload_.put(std::span(experts[i].rows.data, matrix_bytes(first)), planes ? &*planes : nullptr,
                arenas_.back(), offset + i * made.expert_bytes);
  return made;
}

std::uint64_t GpuWeights::import(std::span<const std::byte> bytes) {
  if (!options_.may_import || bytes.size() < kLeastImport) return 0;
  const auto found = places_.find(bytes.data());
  if (found != places_.end() && found->second.n_bytes >= bytes.size())
    return found->second.is_imported ? found->second.address : 0;
  Buffer buffer = gpu_.import(bytes);
  const std::uint64_t address = buffer.address();
  if (buffer.size() == 0 || address % kImportAlignment != 0) return 0;
  imported_.push_back(std::move(buffer));
  places_[bytes.data()] = {address, bytes.size(), true};
  n_imported_ += bytes.size();
  count(bytes.size());
  return address;
}

void GpuWeights::count(std::size_t n_bytes) {
  n_put_ += n_bytes;
  if (options_.progress) options_.progress(n_put_, n_expected_);
}

GpuNorm GpuWeights::put(const Norm& norm, std::int64_t n) {
  return {put(norm.weight, n), put(norm.bias, n)};
}

std::uint64_t GpuWeights::put(const float* values, std::int64_t n) {
  if (values == nullptr) return 0;
  return put(std::as_bytes(std::span(values, static_cast<std::size_t>(n))));
}

std::uint64_t GpuWeights::put_copy(std::span<const float> values) {
  const std::size_t offset = make_room(values.size_bytes());
  upload_.put(std::as_bytes(values), nullptr, arenas_.back(), offset);
  return address(offset);
}

std::uint64_t GpuWeights::put(std::span<const std::byte> bytes) {
  return put(bytes, bytes.size(), nullptr);
}

std::uint64_t GpuWeights::put(std::span<const std::byte> bytes, std::size_t n_there,
                              const RowPlanes* planes) {
  const auto found = places_.find(bytes.data());
  if (found != places_.end() && found->second.n_bytes >= bytes.size()) return found->second.address;
  const std::size_t offset = make_room(n_there);
  upload_.put(bytes, planes, arenas_.back(), offset);
  places_[bytes.data()] = {address(offset), bytes.size(), false};
  return address(offset);
}

void GpuWeights::finish() {
  upload_.finish();
  options_.progress = {};
}

std::size_t GpuWeights::make_room(std::size_t n_bytes) {
  const std::size_t n_wanted = aligned(n_bytes);
  if (arenas_.empty() || n_used_ + n_wanted > arenas_.back().size()) {
    const std::uint64_t n_left = n_expected_ > n_put_ ? n_expected_ - n_put_ : 0;
    const std::size_t usual = std::min<std::uint64_t>(kArenaBytes, aligned(n_left) + (1 << 20));
    arenas_.push_back(gpu_.allocate(std::max(usual, n_wanted), Memory::device));
    n_used_ = 0;
  }
  return std::exchange(n_used_, n_used_ + n_wanted);
}

}  // namespace confab::engine
