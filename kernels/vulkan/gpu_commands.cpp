// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>

#include "kernels/vulkan/gpu_state.h"

namespace confab::kernels::vulkan {
namespace {

constexpr std::uint32_t kMostTimes = 4096;

constexpr VkPipelineStageFlags kStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;

VkCommandBuffer buffer_of(void* commands) noexcept {
  return static_cast<VkCommandBuffer>(commands);
}

VkQueryPool make_queries(const GpuState& s) {
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = kMostTimes;
  VkQueryPool queries = nullptr;
  check(s.api.vkCreateQueryPool(s.device, &info, nullptr, &queries), "vkCreateQueryPool");
  return queries;
}

}  // namespace

Commands::Commands(Gpu& gpu, bool timed) : gpu_(*gpu.state_) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = gpu_.pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer commands = nullptr;
  check(gpu_.api.vkAllocateCommandBuffers(gpu_.device, &info, &commands),
        "vkAllocateCommandBuffers");
  commands_ = commands;
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  check(gpu_.api.vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
  // Makes the writes of earlier lists visible. That a list has ended does not guarantee this: the
  // "host write ordering guarantees" of Vulkan 1.3, section 7.9, cover only the processor's writes.
  barrier_for_grids();
  if (!timed || gpu_.found.timestamp_period == 0) return;
  const VkQueryPool queries = make_queries(gpu_);
  queries_ = queries;
  gpu_.api.vkCmdResetQueryPool(commands, queries, 0, kMostTimes);
  gpu_.api.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 0);
}

Commands::~Commands() {
  if (gpu_.is_stuck) return;
  const VkCommandBuffer commands = buffer_of(commands_);
  gpu_.api.vkFreeCommandBuffers(gpu_.device, gpu_.pool, 1, &commands);
  if (queries_ != nullptr)
    gpu_.api.vkDestroyQueryPool(gpu_.device, static_cast<VkQueryPool>(queries_), nullptr);
}

void Commands::bind(const Program& program, std::span<const std::byte> arguments) {
  const VkCommandBuffer commands = buffer_of(commands_);
  gpu_.api.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                             static_cast<VkPipeline>(program.pipeline));
  gpu_.api.vkCmdPushConstants(commands, gpu_.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                              static_cast<std::uint32_t>(arguments.size()), arguments.data());
}

void Commands::add_dispatch(const Program& program, Grid grid) {
  const std::array<std::uint32_t, 3>& most = gpu_.found.most_workgroups;
  if (grid.x > most[0] || grid.y > most[1] || grid.z > most[2])
    throw GpuError(GpuError::Kind::unusable,
                   "a pass needs " + std::to_string(std::max({grid.x, grid.y, grid.z})) +
                       " workgroups at once, more than the graphics processor takes");
  gpu_.api.vkCmdDispatch(buffer_of(commands_), grid.x, grid.y, grid.z);
  note_dispatch(program);
}

void Commands::add_dispatch(const Program& program, const WrittenGrid& grid) {
  gpu_.api.vkCmdDispatchIndirect(buffer_of(commands_), static_cast<VkBuffer>(grid.in.buffer_),
                                 grid.offset);
  note_dispatch(program);
}

void Commands::note_dispatch(const Program& program) {
  dispatches_.push_back({program.shader, program.format, program.n_instructions});
  if (queries_ == nullptr || dispatches_.size() >= kMostTimes) return;
  gpu_.api.vkCmdWriteTimestamp(buffer_of(commands_), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                               static_cast<VkQueryPool>(queries_),
                               static_cast<std::uint32_t>(dispatches_.size()));
}

void Commands::barrier() {
  barrier_before(kStages, 0);
}

void Commands::barrier_for_grids() {
  barrier_before(kStages | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

void Commands::barrier_before(std::uint32_t stages, std::uint32_t reads) {
  VkMemoryBarrier all{};
  all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  all.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT | reads;
  gpu_.api.vkCmdPipelineBarrier(buffer_of(commands_), kStages, stages, 0, 1, &all, 0, nullptr, 0,
                                nullptr);
}

void Commands::copy(const Buffer& from, std::size_t from_offset, const Buffer& to,
                    std::size_t to_offset, std::size_t n_bytes) {
  const VkBufferCopy region{from_offset, to_offset, n_bytes};
  gpu_.api.vkCmdCopyBuffer(buffer_of(commands_), static_cast<VkBuffer>(from.buffer_),
                           static_cast<VkBuffer>(to.buffer_), 1, &region);
}

void Commands::fill_with_zeros(const Buffer& to, std::size_t offset, std::size_t n_bytes) {
  gpu_.api.vkCmdFillBuffer(buffer_of(commands_), static_cast<VkBuffer>(to.buffer_), offset, n_bytes,
                           0);
}

// Makes copied data visible to the processor.
void Commands::end() {
  VkMemoryBarrier all{};
  all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  all.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  gpu_.api.vkCmdPipelineBarrier(buffer_of(commands_), kStages, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                                &all, 0, nullptr, 0, nullptr);
  check(gpu_.api.vkEndCommandBuffer(buffer_of(commands_)), "vkEndCommandBuffer");
}

std::vector<double> Commands::times() const {
  if (queries_ == nullptr) return {};
  const std::size_t n = std::min<std::size_t>(dispatches_.size(), kMostTimes - 1);
  std::vector<std::uint64_t> ticks(n + 1);
  check(gpu_.api.vkGetQueryPoolResults(gpu_.device, static_cast<VkQueryPool>(queries_), 0,
                                       static_cast<std::uint32_t>(ticks.size()),
                                       ticks.size() * sizeof(ticks[0]), ticks.data(),
                                       sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT),
        "vkGetQueryPoolResults");
  std::vector<double> times;
  for (std::size_t i = 0; i < n; ++i)
    times.push_back(static_cast<double>(ticks[i + 1] - ticks[i]) *
                    double{gpu_.found.timestamp_period});
  return times;
}

}  // namespace confab::kernels::vulkan
