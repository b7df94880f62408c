// SPDX-License-Identifier: MIT
// Graphics processors, by Vulkan 1.2 and later: what there are, their memory, the programs that run
// on them, and lists of commands that are recorded once and run again and again.
//
// Programs reach memory by its address (VK_KHR_buffer_device_address), so there are no descriptors.
// All is confined to one thread, but for list_gpus(). What fails throws GpuError.
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
    unusable,       // no such device, or it lacks what the programs need
    out_of_memory,  // of the device
    lost,           // the device: reset, unplugged, hung
  };
  GpuError(Kind why, const std::string& message) : std::runtime_error(message), kind(why) {}
  Kind kind;
};

struct GpuInfo {
  enum class Type { integrated, discrete, virtual_gpu, processor, other };
  int index = 0;  // as list_gpus() has them
  std::string name;
  std::string driver;  // name and version
  Type type = Type::other;
  std::array<std::uint8_t, 16> driver_uuid{};  // changes with the driver's version
  std::array<std::uint8_t, 16> device_uuid{};
  std::uint64_t memory_bytes = 0;        // of its own, or that it shares with the processor
  std::uint64_t available_bytes = 0;     // of that, now; memory_bytes where the driver does not say
  std::uint64_t most_at_once_bytes = 0;  // that the driver gives as one range
  bool shares_memory = false;            // with the processor
  int subgroup_size = 0;
  int n_workgroup_max = 0;         // invocations
  std::uint32_t shared_bytes = 0;  // of a workgroup's shared memory
  bool matrix_cores = false;       // that multiply f16 (VK_KHR_cooperative_matrix)
  // Of an open Gpu with these: elements of matrices are where shaders/fragments.glsl has them.
  bool known_fragments = false;
  std::string lacks;  // what keeps confab from using it, in words; empty: nothing
};

// Hardware before software (a processor that plays the part), and the larger memory first; empty
// without Vulkan.
std::vector<GpuInfo> list_gpus();

struct GpuState;

enum class Memory {
  device,    // read and written by programs
  shared,    // of the device where it can be, and mapped: small, written for each pass
  upload,    // the processor's, mapped: what is copied to the device
  readback,  // the processor's, mapped and cached: what is copied from the device
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

// The programs of kernels/vulkan/shaders; the place of what has one for each format.
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

// As its file in kernels/vulkan/shaders.
std::string_view name(Shader shader) noexcept;
// Whether it uses matrix cores.
constexpr bool has_matrices(Shader shader) noexcept {
  return shader == Shader::attention_cores || shader == Shader::matmul_cores ||
         shader == Shader::matvec_cores || shader == Shader::probe_cores;
}
// Of all programs: another one where any of them has been changed.
std::uint64_t programs_digest() noexcept;
// Whether there are programs for weights of this format, as formats.glsl numbers them.
bool has_format(std::uint32_t format) noexcept;

// A shader with its constants, compiled by the driver. Borrowed from the Gpu.
struct Program {
  void* pipeline = nullptr;
  Shader shader{};
  std::uint32_t format = 0;  // where there is one for each
  int n_instructions = 0;    // of its SPIR-V, before the driver has the constants
};

struct Grid {  // workgroups
  std::uint32_t x = 1, y = 1, z = 1;
};
// One that a program writes; offset: a multiple of 4.
struct WrittenGrid {
  const Buffer& in;
  std::size_t offset;
};

inline constexpr std::size_t kPushBytes = 128;  // that every device takes

// A list of commands. The Gpu and all that it names must outlive it.
class Commands {
 public:
  // timed: times() can be asked for after a run.
  explicit Commands(class Gpu& gpu, bool timed = false);
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;
  ~Commands();

  // arguments: at most kPushBytes, the shader's push constants, in its layout (scalar). What is
  // dispatched without a barrier between may run at the same time.
  template <typename Arguments>
  void dispatch(const Program& program, const Arguments& arguments, Grid grid) {
    prepare_dispatch(program, arguments);
    add_dispatch(program, grid);
  }
  // After barrier_for_grids().
  template <typename Arguments>
  void dispatch(const Program& program, const Arguments& arguments, const WrittenGrid& grid) {
    prepare_dispatch(program, arguments);
    add_dispatch(program, grid);
  }
  // Of the last dispatch, for whoever asks dispatches(): the bytes of weights that it reads.
  void reads(std::uint64_t weight_bytes) { dispatches_.back().weight_bytes = weight_bytes; }
  // Bytes of the KV cache that it reads or writes for each row of the pass, of each position that
  // the row sees, the last n_positions of these; 0: of all.
  void moves_cache(std::uint64_t position_bytes, int n_positions) {
    dispatches_.back().position_bytes = position_bytes;
    dispatches_.back().n_positions = n_positions;
  }
  // What comes before is done, and seen by what comes after.
  void barrier();
  // The same where grids are among it.
  void barrier_for_grids();
  void copy(const Buffer& from, std::size_t from_offset, const Buffer& to, std::size_t to_offset,
            std::size_t n_bytes);
  // n_bytes: a multiple of 4.
  void fill_with_zeros(const Buffer& to, std::size_t offset, std::size_t n_bytes);
  void end();  // nothing more follows

  struct Dispatch {
    Shader shader;
    std::uint32_t format;
    int n_instructions;  // Program's
    std::uint64_t weight_bytes = 0;
    std::uint64_t position_bytes = 0;
    int n_positions = 0;
  };
  std::span<const Dispatch> dispatches() const noexcept { return dispatches_; }
  // Nanoseconds of the last run, dispatch by dispatch, of some thousands at most; empty where it
  // was not timed, or the device has no time stamps.
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
  void* queries_ = nullptr;  // timed
  std::vector<Dispatch> dispatches_;
  mutable ExpectedEnd end_;
};

class Gpu {
 public:
  // Throws GpuError when it lacks something. Without info.matrix_cores it is used as if it had
  // none.
  explicit Gpu(const GpuInfo& info);
  ~Gpu();

  const GpuInfo& info() const noexcept;
  Buffer allocate(std::size_t n_bytes, Memory memory);
  // Memory of this process as memory of the device, without a copy, to be read only; an empty
  // buffer where the driver does not take it. The pages that the bytes are in must outlive it.
  Buffer import(std::span<const std::byte> bytes) noexcept;
  // The same one for the same constants; the first of these is the number of invocations. format:
  // of the weights, as formats.glsl has it, for programs that there is one for each of.
  const Program& program(Shader shader, std::uint32_t format,
                         std::span<const std::uint32_t> constants);
  // Runs commands and waits until they are done.
  void run(const Commands& commands);
  // The same in two steps: so many lists may be in flight, and wait() is for the oldest. One that
  // does not end within a minute is given up, and so is the device.
  static constexpr int kMostInFlight = 2;
  void submit(const Commands& commands);
  void wait();
  // Waits for all that are in flight, whatever becomes of them.
  void drain() noexcept;

 private:
  friend class Commands;
  std::unique_ptr<GpuState> state_;
};

}  // namespace confab::kernels::vulkan
