// SPDX-License-Identifier: MIT
// How near the memory plan is to what a process then has: nine shapes of models with random
// weights, three types of cache, a prompt that fills the context. A plan and a run are processes of
// their own, as `confab fit` and a chat are. The exit status is 1 where a plan is off by more than
// 3 %.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "engine/api/turn.h"
#include "engine/cache/cache_type.h"
#include "engine/model/model.h"
#include "engine/platform/memory.h"
#include "engine/run/context_plan.h"
#include "engine/run/local_chat_model.h"
#include "tests/engine/tiny_model.h"

namespace {

using namespace confab::engine;  // NOLINT: a program of one file
using confab::kernels::Dtype;
using platform::MemoryUse;

constexpr int kContext = 4096;
// Tokens that are read at once. More are only where the machine is fast enough to stop in time
// (engine/run/chunk_size.h); the plan has room for all of them, so it says the most that may be.
constexpr int kBatch = 64;
constexpr double kMostOff = 0.03;

struct Shape {
  const char* name;
  TinyModelOptions options;
};

std::array<Shape, 9> shapes() {
  const TinyModelOptions sized{.n_layer = 8,
                               .n_embd = 512,
                               .n_head = 8,
                               .n_head_kv = 8,
                               .n_ff = 1536,
                               .n_ctx = 2 * kContext};
  std::array<Shape, 9> all{{{"dense, f32", sized},
                            {"dense, q8_0, tied", sized},
                            {"dense, wide, one KV head", sized},
                            {"dense, biases (qwen2)", sized},
                            {"mixture of 8 (llama)", sized},
                            {"mixture of 16, one shared (qwen2moe)", sized},
                            {"recurrent (qwen35)", sized},
                            {"recurrent mixture (qwen3next)", sized},
                            {"windows of 512 (starcoder2)", sized}}};
  TinyModelOptions& packed = all[1].options;
  packed.quantised = packed.tied = true;
  packed.n_layer = 16;
  packed.n_ff = 2560;
  TinyModelOptions& wide = all[2].options;
  wide.n_layer = 3;
  wide.n_embd = 1024;
  wide.n_head = 16;
  wide.n_head_kv = 1;
  wide.n_ff = 3072;
  all[3].options.architecture = "qwen2";
  // Random layers soon make all tokens alike, and then alike in their experts; these add little.
  for (const int i : {4, 5, 7}) all[static_cast<std::size_t>(i)].options.added = 0.03F;
  TinyModelOptions& eight = all[4].options;
  eight.n_layer = 3;
  eight.n_ff = 768;
  eight.n_expert = 8;
  TinyModelOptions& sixteen = all[5].options;
  sixteen.architecture = "qwen2moe";
  sixteen.n_layer = 4;
  sixteen.n_ff = 256;
  sixteen.n_expert = 16;
  sixteen.n_expert_used = 4;
  sixteen.n_ff_shared = 512;
  all[6].options.architecture = "qwen35";
  TinyModelOptions& next = all[7].options;
  next.architecture = "qwen3next";
  next.n_layer = 4;
  next.n_ff = 256;
  next.n_expert = 16;
  next.n_expert_used = 4;
  next.n_ff_shared = 512;
  TinyModelOptions& windows = all[8].options;
  windows.architecture = "starcoder2";
  windows.layer_norms = windows.biases = true;
  windows.gated = false;
  windows.window = 512;
  return all;
}

LoadOptions load_options(const std::string& file, Dtype type) {
  return {.path = file,
          .n_ctx = kContext,
          .n_batch = kBatch,
          .type_k = type,
          .type_v = type,
          .draft = {.heads = false}};
}

// What the plan says that the process will have.
MemoryUse planned(const std::string& file, Dtype type) {
  const auto model = Model::load(file);
  const MemoryPlan plan = plan_context(*model, load_options(file, type)).memory;
  return {plan.anonymous_bytes(), plan.mapped_bytes(), plan.peak_bytes()};
}

// Words of letters of all kinds, so many that the context is nearly full. Few tokens in turn would
// leave some experts of a mixture unused, which no long text does.
std::vector<Turn> long_question(const ChatModel& model) {
  std::mt19937 rng(20261123);
  std::string text;
  std::vector<Turn> turns{{{"user", ""}}};
  do {
    for (int i = 0; i < 8; ++i) text += static_cast<char>('!' + rng() % 94);
    text += ' ';
    turns[0].message.content = text;
  } while (model.count_tokens(turns) < kContext - 32);
  return turns;
}

MemoryUse measured(const std::string& file, Dtype type) {
  const auto model = load_chat_model(load_options(file, type));
  model->generate({.turns = long_question(*model), .n_predict = 8});
  for (;;) {
    const auto event = model->next_event();
    if (event && is_end(event->event)) return platform::memory_use();
    pollfd entry{model->wake_fd(), POLLIN, 0};
    if (!event) ::poll(&entry, 1, -1);
  }
}

// A process of its own, and the two numbers that it prints.
MemoryUse ask(const std::string& program, const char* what, const std::string& file, Dtype type) {
  const std::string command =
      fmt::format("'{}' {} '{}' {}", program, what, file, static_cast<int>(type));
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  MemoryUse use;
  unsigned long long anonymous = 0, mapped = 0;
  if (!pipe || std::fscanf(pipe.get(), "%llu %llu", &anonymous, &mapped) != 2)
    throw std::runtime_error(command + ": failed");
  use.anonymous_bytes = anonymous;
  use.mapped_bytes = mapped;
  return use;
}

double mebibytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

// By how much of the measured whole the plan is off.
double off(std::uint64_t plan, std::uint64_t real, std::uint64_t whole) {
  return (static_cast<double>(plan) - static_cast<double>(real)) / static_cast<double>(whole);
}

bool compare(const std::string& program, const Shape& shape, const std::string& file) {
  bool near = true;
  for (const Dtype type : {Dtype::F16, Dtype::Q8_0, Dtype::Q4_0}) {
    const MemoryUse plan = ask(program, "plan", file, type), real = ask(program, "run", file, type);
    const std::uint64_t whole = real.anonymous_bytes + real.mapped_bytes;
    const double anonymous = off(plan.anonymous_bytes, real.anonymous_bytes, whole);
    const double mapped = off(plan.mapped_bytes, real.mapped_bytes, whole);
    fmt::print(
        "| {} | {} | {:.1f} / {:.1f} | {:.1f} / {:.1f} | {:.1f} / {:.1f} | {:+.1f} % | {:+.1f} % "
        "|\n",
        shape.name, confab::kernels::info(type).name, mebibytes(plan.anonymous_bytes),
        mebibytes(real.anonymous_bytes), mebibytes(plan.mapped_bytes), mebibytes(real.mapped_bytes),
        mebibytes(plan.anonymous_bytes + plan.mapped_bytes), mebibytes(whole),
        100 * off(plan.anonymous_bytes, real.anonymous_bytes, real.anonymous_bytes),
        100 * (anonymous + mapped));
    std::fflush(stdout);
    near = near && std::abs(anonymous + mapped) <= kMostOff;
  }
  return near;
}

int compare_all(const std::string& program) {
  fmt::print(
      "| shape | cache | anonymous, MiB | mapped, MiB | both, MiB | anonymous off by | both off by "
      "|\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n");
  bool near = true;
  for (const Shape& shape : shapes()) {
    const TinyModelFile file(shape.options);
    near = compare(program, shape, file.path()) && near;
  }
  fmt::print("\nplanned / measured; {}\n",
             near ? "all within 3 %" : "some are off by more than 3 %");
  return near ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 4) return compare_all(std::filesystem::read_symlink("/proc/self/exe"));
    const auto type = static_cast<Dtype>(std::stoi(argv[3]));
    const MemoryUse use =
        argv[1] == std::string("plan") ? planned(argv[2], type) : measured(argv[2], type);
    fmt::print("{} {}\n", use.anonymous_bytes, use.mapped_bytes);
    return 0;
  } catch (const std::exception& fault) {
    fmt::print(stderr, "memory_fit: {}\n", fault.what());
    return 1;
  }
}
