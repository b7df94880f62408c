// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_weights.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "kernels/iq_grids.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

using kernels::Dtype;
using kernels::vulkan::Buffer;
using kernels::vulkan::Commands;
using kernels::vulkan::GpuError;
using kernels::vulkan::Memory;

namespace {

using Parts = std::array<std::size_t, 4>;
constexpr std::size_t kScaleBytes = 2;
constexpr Parts kPartsQ8_0{kScaleBytes, 32, 0, 0}, kPartsQ6_K{128, 64, 16, kScaleBytes};

// The plane of codes always comes first, even for blocks that start with their scale.
template <Parts kParts>
void take_row_apart(const std::byte* from, std::size_t n_blocks, std::byte* to) noexcept {
  constexpr std::size_t kFirst = kParts[0] == kScaleBytes ? 1 : 0;
  std::array<std::byte*, 4> plane{};
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    const std::size_t k = (i + kFirst) % kParts.size();
    plane[k] = to;
    to += kParts[k] * n_blocks;
  }
  for (std::size_t block = 0; block < n_blocks; ++block) {
    const auto take = [&]<std::size_t... k>(std::index_sequence<k...>) {
      ((std::memcpy(plane[k] + block * kParts[k], from, kParts[k]), from += kParts[k]), ...);
    };
    take(std::make_index_sequence<kParts.size()>());
  }
}

constexpr std::size_t kPartBytes = std::size_t{256} << 10;  // read by a thread at a time

// The smallest number of bytes that is read as a whole, and its size on the device.
struct Unit {
  std::size_t n_read = 1, n_written = 1;

  explicit Unit(const RowPlanes* planes) {
    if (planes != nullptr) *this = Unit(planes->row_bytes, planes->stride);
  }
  Unit(std::size_t read, std::size_t written) : n_read(read), n_written(written) {}
};

constexpr std::size_t kArenaBytes = std::size_t{256} << 20;
constexpr std::size_t kAlignment = 256;
// Smaller matrices are not worth an import of their own. The programs read sixteen bytes at a time.
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

// Returns the planes for m, if it is split on the way to the device, and sets the format and row
// size of `made` accordingly.
std::optional<RowPlanes> take_apart(const Matrix& m, GpuMatrix& made) {
  std::optional<RowPlanes> planes = RowPlanes::of(m.rows);
  if (planes) {
    made.format = planes->format;
    made.row_bytes = static_cast<std::uint32_t>(planes->stride);
  }
  return planes;
}

}  // namespace

std::optional<RowPlanes> RowPlanes::of(const kernels::WeightRows& rows) {
  const std::size_t stride = (rows.row_bytes + 15) / 16 * 16;
  if ((stride - rows.row_bytes) * 63 > rows.row_bytes) return std::nullopt;
  const auto n_cols = static_cast<std::size_t>(rows.n_cols);
  switch (rows.dtype) {
    case kernels::Dtype::Q8_0:
      return RowPlanes{264, rows.row_bytes, stride, n_cols / 32, kPartsQ8_0};
    case kernels::Dtype::Q6_K:
      return RowPlanes{270, rows.row_bytes, stride, n_cols / 256, kPartsQ6_K};
    default:
      return std::nullopt;
  }
}

void RowPlanes::take_apart(std::span<const std::byte> rows, std::byte* to) const noexcept {
  assert(rows.size() % row_bytes == 0);
  for (std::size_t row = 0; row < rows.size(); row += row_bytes, to += stride) {
    const std::byte* from = rows.data() + row;
    if (parts == kPartsQ8_0)
      take_row_apart<kPartsQ8_0>(from, n_blocks, to);
    else
      take_row_apart<kPartsQ6_K>(from, n_blocks, to);
  }
}

WeightsUpload::~WeightsUpload() {
  try {
    gpu_.wait();
  } catch (const GpuError&) {  // the next user of the device gets the error
  }
}

void WeightsUpload::put(std::span<const std::byte> bytes, const RowPlanes* planes, const Buffer& to,
                        std::size_t offset) {
  const Unit unit(planes);
  assert(unit.n_written <= kHalfBytes && bytes.size() % unit.n_read == 0);
  if (staging_.size() == 0) staging_ = gpu_.allocate(kStagingBytes, Memory::upload);
  while (!bytes.empty()) {
    const std::size_t n =
        std::min((kHalfBytes - n_used_) / unit.n_written, bytes.size() / unit.n_read);
    if (n == 0) {
      hand_over();
      continue;
    }
    const std::size_t at = filled_ * kHalfBytes + n_used_;
    read(bytes.first(n * unit.n_read), planes, staging_.data() + at);
    std::optional<Commands>& copies = copies_[filled_];
    if (!copies) copies.emplace(gpu_);
    copies->copy(staging_, at, to, offset, n * unit.n_written);
    n_used_ += n * unit.n_written;
    offset += n * unit.n_written;
    bytes = bytes.subspan(n * unit.n_read);
    on_read_(n * unit.n_read);
  }
}

// A single thread copies, or waits for a disk, more slowly than a device accepts data.
void WeightsUpload::read(std::span<const std::byte> bytes, const RowPlanes* planes, std::byte* to) {
  const Unit unit(planes);
  const std::size_t n_part = std::max(kPartBytes / unit.n_read, std::size_t{1}) * unit.n_read;
  const auto read_part = [&](int i, int) {
    const std::size_t at = static_cast<std::size_t>(i) * n_part;
    const std::span<const std::byte> part = bytes.subspan(at, std::min(n_part, bytes.size() - at));
    if (planes == nullptr)
      std::memcpy(to + at, part.data(), part.size());
    else
      planes->take_apart(part, to + at / unit.n_read * unit.n_written);
  };
  const int n_parts = static_cast<int>((bytes.size() + n_part - 1) / n_part);
  if (team_ != nullptr && n_parts > 1) return team_->parallel_for(n_parts, read_part);
  for (int i = 0; i < n_parts; ++i) read_part(i, 0);
}

// Waits before it submits a half: the device copies only one at a time, so the other is free to be
// filled.
void WeightsUpload::hand_over() {
  copies_[filled_]->end();
  gpu_.wait();
  gpu_.submit(*copies_[filled_]);
  filled_ = 1 - filled_;
  copies_[filled_].reset();
  n_used_ = 0;
}

void WeightsUpload::finish() {
  if (n_used_ > 0) hand_over();
  gpu_.wait();
  for (std::optional<Commands>& copies : copies_) copies.reset();
  staging_ = {};
}

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

// Everything except the address.
GpuMatrix GpuWeights::start(const Matrix& m) {
  GpuMatrix made = shape_of(m);
  if (const auto grid = grid_of(made.dtype); !grid.empty()) made.grid = put(grid);
  return made;
}

// An imported matrix keeps the file's blocks. Planes would be faster to read, but would need as
// much memory again.
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
