// SPDX-License-Identifier: MIT
// Graphics processors, through Vulkan 1.2 or later: which exist, their memory, the programs that
// run on them, and lists of commands that are recorded once and run repeatedly.
//
// Programs access memory by its address (VK_KHR_buffer_device_address), so there are no
// descriptors. Everything except list_gpus() is confined to one thread. Functions that fail throw
// GpuError.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/vulkan/expected_end.h"

namespace confab::kernels::vulkan {

class GpuError : public std::runtime_error {
 public:
  enum class Kind {
    unusable,       // no such device, or it lacks something that the programs need
    out_of_memory,  // device memory
    lost,           // the device was reset or unplugged, or it hangs
  };
  GpuError(Kind why, const std::string& message) : std::runtime_error(message), kind(why) {}
  Kind kind;
};

struct GpuInfo {
  enum class Type { integrated, discrete, virtual_gpu, processor, other };
  int index = 0;  // position in list_gpus()
  std::string name;
  std::string driver;  // name and version
  Type type = Type::other;
  std::array<std::uint8_t, 16> driver_uuid{};  // changes with the driver's version
  std::array<std::uint8_t, 16> device_uuid{};
  std::uint64_t memory_bytes = 0;     // its own memory, or memory that it shares with the processor
  std::uint64_t available_bytes = 0;  // currently free; memory_bytes if the driver does not say
  std::uint64_t most_at_once_bytes = 0;  // largest single allocation
  bool shares_memory = false;            // with the processor
  int subgroup_size = 0;
  int n_workgroup_max = 0;         // invocations
  std::uint32_t shared_bytes = 0;  // shared memory per workgroup
  bool matrix_cores = false;       // for f16 (VK_KHR_cooperative_matrix)
  // Set in an open Gpu with matrix cores if matrix elements are where shaders/fragments.glsl
  // expects them.
  bool known_fragments = false;
  std::string lacks;  // why confab cannot use it, in words; empty if it can
};

// Lists hardware before software renderers, and larger memory first. Empty without Vulkan.
std::vector<GpuInfo> list_gpus();

struct GpuState;

enum class Memory {
  device,    // read and written by programs
  shared,    // preferably device memory, mapped: small data written for each pass
  upload,    // processor memory, mapped: data on its way to the device
  readback,  // processor memory, mapped and cached: data copied from the device
};

// A range of memory; empty by default. The Gpu must outlive it.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  std::uint64_t address() const noexcept { return address_; }
  std::size_t size() const noexcept { return n_bytes_; }
  // nullptr for Memory::device.
  std::byte* data() const noexcept { return data_; }

 private:
  friend class Gpu;
  friend class Commands;
  void swap(Buffer& other) noexcept;

  GpuState* gpu_ = nullptr;
  void* buffer_ = nullptr;
  void* memory_ = nullptr;
  std::byte* data_ = nullptr;
  std::uint64_t address_ = 0;
  std::size_t n_bytes_ = 0;
};

// The programs in kernels/vulkan/shaders. A program that exists for several formats is listed once.
enum class Shader {
  activate,
  attention,
  attention_cores,
  attention_tiles,
  combine,
  embed,
  gather,
  group,
  logits,
  matmul,
  matmul_cores,
  matvec,
  matvec_cores,
  norm,
  probe_cores,
  rope_append,
  route,
  top,
};

// The name of its file in kernels/vulkan/shaders.
std::string_view name(Shader shader) noexcept;
// Whether it uses matrix cores.
constexpr bool has_matrices(Shader shader) noexcept {
  return shader == Shader::attention_cores || shader == Shader::matmul_cores ||
         shader == Shader::matvec_cores || shader == Shader::probe_cores;
}
// A digest of all programs, which changes if any of them changes.
std::uint64_t programs_digest() noexcept;
// Whether programs exist for weights of this format, as numbered in formats.glsl.
bool has_format(std::uint32_t format) noexcept;

// A shader with its constants, compiled by the driver. Borrowed from the Gpu.
struct Program {
  void* pipeline = nullptr;
  Shader shader{};
  std::uint32_t format = 0;  // for shaders with one program per format
  int n_instructions = 0;    // in its SPIR-V, before the driver applies the constants
};

struct Grid {  // workgroups
  std::uint32_t x = 1, y = 1, z = 1;
};
// A grid that a program writes. `offset` is a multiple of 4.
struct WrittenGrid {
  const Buffer& in;
  std::size_t offset;
};

inline constexpr std::size_t kPushBytes = 128;  // every device accepts this many

// A list of commands. The Gpu and all objects named in the list must outlive it.
class Commands {
 public:
  // If `timed`, times() is available after a run.
  explicit Commands(class Gpu& gpu, bool timed = false);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;
  ~Commands();

  // `arguments` is the shader's push constants, at most kPushBytes, in scalar layout. Dispatches
  // without a barrier between them may run at the same time.
  template <typename Arguments>
  void dispatch(const Program& program, const Arguments& arguments, Grid grid) {
    prepare_dispatch(program, arguments);
    add_dispatch(program, grid);
  }
  // Call barrier_for_grids() first.
  template <typename Arguments>
  void dispatch(const Program& program, const Arguments& arguments, const WrittenGrid& grid) {
    prepare_dispatch(program, arguments);
    add_dispatch(program, grid);
  }
  // Notes the bytes of weights that the last dispatch reads, for dispatches().
  void reads(std::uint64_t weight_bytes) { dispatches_.back().weight_bytes = weight_bytes; }
  // Notes the bytes of KV cache that it reads or writes per row of the pass and per position that
  // the row sees. Only the last n_positions positions count; 0 means all.
  void moves_cache(std::uint64_t position_bytes, int n_positions) {
    dispatches_.back().position_bytes = position_bytes;
    dispatches_.back().n_positions = n_positions;
  }
  // Commands after it start when all commands before it have finished, and see their writes.
  void barrier();
  // The same, and also for grids that a program has written.
  void barrier_for_grids();
  void copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
            std::size_t n_bytes);
  // n_bytes is a multiple of 4.
  void fill_with_zeros(const Buffer& to, std::size_t offset, std::size_t n_bytes);
  void end();  // call once, after the last command

  struct Dispatch {
    Shader shader;
    std::uint32_t format;
    int n_instructions;  // as in Program
    std::uint64_t weight_bytes = 0;
    std::uint64_t position_bytes = 0;
    int n_positions = 0;
  };
  std::span<const Dispatch> dispatches() const noexcept { return dispatches_; }
  // Nanoseconds of each dispatch in the last run, for at most a few thousand dispatches. Empty if
  // the list is not timed or the device has no time stamps.
  std::vector<double> times() const;

 private:
  friend class Gpu;
  template <typename Arguments>
  void prepare_dispatch(const Program& program, const Arguments& arguments) {
    static_assert(sizeof(Arguments) <= kPushBytes);
    bind(program, std::as_bytes(std::span(&arguments, 1)));
  }
  void bind(const Program& program, std::span<const std::byte> arguments);
  void add_dispatch(const Program& program, Grid grid);
  void add_dispatch(const Program& program, const WrittenGrid& grid);
  void note_dispatch(const Program& program);
  void barrier_before(std::uint32_t stages, std::uint32_t reads);

  GpuState& gpu_;
  void* commands_ = nullptr;
  void* queries_ = nullptr;  // if timed
  std::vector<Dispatch> dispatches_;
  mutable ExpectedEnd end_;
};

class Gpu {
 public:
  // Throws GpuError if the device lacks something. If info.matrix_cores is false, matrix cores are
  // not used.
  explicit Gpu(const GpuInfo& info);
  ~Gpu();

  const GpuInfo& info() const noexcept;
  Buffer allocate(std::size_t n_bytes, Memory memory);
  // Makes memory of this process readable by the device without a copy. Returns an empty buffer if
  // the driver does not support it. The pages that contain the bytes must outlive the buffer.
  Buffer import(std::span<const std::byte> bytes) noexcept;
  // Returns the same program for the same constants, of which the first is the number of
  // invocations. `format` is the format of the weights as numbered in formats.glsl, for shaders
  // with one program per format.
  const Program& program(Shader shader, std::uint32_t format,
                         std::span<const std::uint32_t> constants);
  // Runs commands and waits until they are done.
  void run(const Commands& commands);
  // The same in two steps. At most kMostInFlight lists may be in flight, and wait() waits for the
  // oldest. If a list does not end within a minute, it and the device are given up.
  static constexpr int kMostInFlight = 2;
  void submit(const Commands& commands);
  void wait();
  // Waits for all lists in flight and ignores their errors.
  void drain() noexcept;

 private:
  friend class Commands;
  std::unique_ptr<GpuState> state_;
};

}  // namespace confab::kernels::vulkan
