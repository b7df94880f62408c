// SPDX-License-Identifier: MIT
#include "app/tools/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/exit_status.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/tools/bandwidth.h"
#include "base/json.h"
#include "engine/cache/kv_layout.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/fit/advice.h"
#include "engine/gguf/quantize.h"
#include "engine/model/hparams.h"
#include "engine/run/draft_loader.h"
#include "engine/run/model_facts.h"
#include "ui/text.h"

namespace confab::app {
namespace {

using kernels::Dtype;

// Source: config.json of each model on Hugging Face (meta-llama/Llama-3.2-3B-Instruct,
// meta-llama/Llama-3.1-8B-Instruct, Qwen/Qwen2.5-14B-Instruct, Qwen/Qwen2.5-32B-Instruct,
// meta-llama/Llama-3.1-70B-Instruct, meta-llama/Llama-3.1-405B-Instruct, Qwen/Qwen3-30B-A3B).
constexpr auto kShapes = std::to_array<ModelShape>({
    {"3B", "Llama 3.2", "llama", 3072, 28, 24, 8, 128, 8192, 128256, 131072, true},
    {"8B", "Llama 3.1", "llama", 4096, 32, 32, 8, 128, 14336, 128256, 131072, false},
    {"14B", "Qwen 2.5", "qwen2", 5120, 48, 40, 8, 128, 13824, 152064, 32768, false},
    {"30B-A3B", "Qwen 3", "qwen3moe", 2048, 48, 32, 4, 128, 768, 151936, 40960, false, 128, 8},
    {"32B", "Qwen 2.5", "qwen2", 5120, 64, 40, 8, 128, 27648, 152064, 32768, false},
    {"70B", "Llama 3.1", "llama", 8192, 80, 64, 8, 128, 28672, 128256, 131072, false},
    {"405B", "Llama 3.1", "llama", 16384, 126, 128, 8, 128, 53248, 128256, 131072, false},
});

// The tensors of a model, without their data.
class Tensors {
 public:
  // n_embedded: rows of the embedding to include; n_expert: experts to include.
  Tensors(const ModelShape& m, std::int64_t n_embedded, std::int64_t n_expert) {
    const std::int64_t n_embd = m.n_embd, n_ff = m.n_ff;
    const std::int64_t n_q = std::int64_t{m.n_head} * m.head_dim;
    const std::int64_t n_kv = std::int64_t{m.n_head_kv} * m.head_dim;
    add("token_embd.weight", {n_embd, n_embedded});
    if (!m.tied) add("output.weight", {n_embd, m.n_vocab});
    add("output_norm.weight", {n_embd});
    for (int il = 0; il < m.n_layer; ++il) {
      const auto layer = [&](std::string_view name, std::vector<std::int64_t> shape) {
        add(fmt::format("blk.{}.{}.weight", il, name), std::move(shape));
      };
      layer("attn_norm", {n_embd});
      layer("ffn_norm", {n_embd});
      layer("attn_q", {n_embd, n_q});
      layer("attn_k", {n_embd, n_kv});
      layer("attn_v", {n_embd, n_kv});
      layer("attn_output", {n_q, n_embd});
      if (m.n_expert == 0) {
        layer("ffn_gate", {n_embd, n_ff});
        layer("ffn_up", {n_embd, n_ff});
        layer("ffn_down", {n_ff, n_embd});
        continue;
      }
      layer("ffn_gate_inp", {n_embd, m.n_expert});
      layer("ffn_gate_exps", {n_embd, n_ff, n_expert});
      layer("ffn_up_exps", {n_embd, n_ff, n_expert});
      layer("ffn_down_exps", {n_ff, n_embd, n_expert});
    }
  }

  std::span<const engine::GgufTensor> all() const noexcept { return tensors_; }

 private:
  void add(std::string name, std::vector<std::int64_t> shape) {
    names_.push_back(std::move(name));
    tensors_.push_back({names_.back(), Dtype::F32, std::move(shape), {}});
  }

  std::deque<std::string> names_;
  std::vector<engine::GgufTensor> tensors_;
};

std::uint64_t bytes_of(const ModelShape& m, const Tensors& tensors, const engine::FileType& type) {
  const engine::MixTraits traits{m.n_layer, m.n_expert,
                                 m.architecture != "qwen3moe" && m.n_head != m.n_head_kv};
  return engine::quantized_bytes(tensors.all(), traits, type);
}

using base::Json;

constexpr kernels::Dtype kCacheType = kernels::Dtype::Q8_0;
constexpr int kShort = 8192, kLong = 32768;

class Sizes {
 public:
  Sizes(const ModelShape& shape, const engine::FileType& type)
      : shape_(shape),
        type_(type),
        weights_(weights_bytes(shape, type)),
        scratch_(scratch_bytes(shape)) {}

  std::uint64_t weights() const noexcept { return weights_; }
  std::uint64_t total(int n_ctx) const {
    return weights_ + scratch_ + kv_bytes(shape_, n_ctx, kCacheType);
  }
  // Counts whole blocks, all of which have the same size.
  int longest(std::uint64_t memory_bytes) const {
    const std::uint64_t none = total(0), block = total(engine::kBlockTokens) - none;
    if (memory_bytes < none) return 0;
    const auto n_most = static_cast<std::uint64_t>(shape_.n_ctx / engine::kBlockTokens);
    const auto n_blocks = static_cast<int>(std::min(n_most, (memory_bytes - none) / block));
    const int n_ctx = n_blocks * engine::kBlockTokens;
    return n_ctx < engine::kLeastContext ? 0 : n_ctx;
  }
  // For a mixture: whether everything fits except the experts that a token does not use.
  bool fits_but_for_experts(std::uint64_t memory_bytes) const {
    if (shape_.n_expert == 0) return false;
    return token_weight_bytes(shape_, type_) + total(kShort) - weights_ <= memory_bytes;
  }
  // Assumes that half of a short context is filled.
  double bytes_per_token() const {
    const auto kv = static_cast<double>(kv_bytes(shape_, kShort, kCacheType)) / 2;
    return static_cast<double>(token_weight_bytes(shape_, type_)) + kv;
  }

 private:
  const ModelShape& shape_;
  const engine::FileType& type_;
  std::uint64_t weights_;
  std::uint64_t scratch_;
};

std::string context_text(const FitRow& row) {
  if (row.n_ctx > 0) return grouped(row.n_ctx);
  return row.from_disk ? "from disk" : "–";
}

std::string speed_text(const FitRow& row) {
  if (row.tokens_per_second <= 0) return "–";
  return fmt::format("{:.{}f}", row.tokens_per_second, row.tokens_per_second < 10 ? 1 : 0);
}

double gib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 30);
}

using engine::MemoryPlan;
using engine::platform::MemoryFacts;

std::string row(std::string_view what, std::uint64_t bytes, std::string_view more = {}) {
  return fmt::format("  {:<36}{:>10}{}\n", what, size_text(bytes), more);
}

std::string cache_types(const engine::ContextPlan& plan) {
  return fmt::format("{}/{}", kernels::info(plan.type_k).name, kernels::info(plan.type_v).name);
}

std::string plan_text(const engine::ContextPlan& plan) {
  const MemoryPlan& memory = plan.memory;
  std::string text = row("weights, mapped from the file", memory.weights_bytes);
  if (memory.expert_bytes > 0) {
    text += row("  of these, all experts", memory.expert_bytes);
    text += row("  those that a token uses", memory.expert_token_bytes);
    text += row("  what stays in memory for all", memory.resident_bytes());
  }
  text += row(fmt::format("KV cache ({})", cache_types(plan)), memory.kv_bytes);
  text += row("scratch", memory.scratch_bytes);
  if (memory.draft_bytes > 0) text += row("draft model", memory.draft_bytes);
  text += row("to be taken", memory.total_bytes());
  if (memory.process_bytes > 0)
    text +=
        row("the program, with the vocabulary", memory.process_bytes + memory.process_mapped_bytes);
  return text + row("at its peak", memory.peak_bytes(),
                    fmt::format(": {} anonymous, {} mapped", size_text(memory.anonymous_bytes()),
                                size_text(memory.mapped_bytes())));
}

std::string machine_text(const MemoryFacts& facts) {
  constexpr std::uint64_t kUnknown = engine::platform::kUnknownBytes;
  std::string text = "\nmemory of this machine\n";
  if (facts.physical_bytes != kUnknown) text += row("physical", facts.physical_bytes);
  if (facts.estimate_bytes != kUnknown)
    text += row("free, or cache that can go", facts.estimate_bytes);
  if (facts.mapped_bytes > 0) text += row("  of that, mapped by programs", facts.mapped_bytes);
  if (facts.group) {
    text += row("limit of control group", facts.group->limit_bytes,
                "  " + ui::sanitize(facts.group->group));
    text += row("  left of it", facts.group->left_bytes);
  }
  if (facts.address_space) {
    text += row("limit on address space", facts.address_space->limit_bytes, "  ulimit -v");
    text += row("  left of it", facts.address_space->left_bytes);
  }
  if (facts.swap_bytes > 0) text += row("swap", facts.swap_bytes);
  if (facts.swap_used_bytes > 0) text += row("  in use", facts.swap_used_bytes);
  if (facts.available_bytes() == kUnknown) return text + "  nobody says how much is available\n";
  const char* decides = facts.group_decides()           ? "  by the control group"
                        : facts.address_space_decides() ? "  by the limit on address space"
                                                        : "";
  return text + row("available", facts.available_bytes(), decides);
}

std::string device_text(const engine::DeviceFit& fit, int n_layer) {
  const std::string name = ui::one_line(fit.name);
  if (!fit.refusal.empty()) return fmt::format("  {} {}\n", name, ui::one_line(fit.refusal));
  const std::string layers = fit.n_layers == n_layer
                                 ? fmt::format("all {} layers", n_layer)
                                 : fmt::format("the last {} of {} layers", fit.n_layers, n_layer);
  return fmt::format("  {} has room for {}: {} of {} that are free\n", name, layers,
                     size_text(fit.bytes), size_text(fit.available_bytes));
}

std::string devices_text(const FitReport& report) {
  if (report.devices.empty()) return {};
  std::string text = "\ngraphics processors\n";
  for (const engine::DeviceFit& fit : report.devices) text += device_text(fit, report.n_layer);
  return text;
}

Json devices_json(const FitReport& report) {
  Json list = Json::array();
  for (const engine::DeviceFit& fit : report.devices) {
    list.push_back({{"name", ui::one_line(fit.name)},
                    {"n_layers", fit.n_layers},
                    {"bytes", fit.bytes},
                    {"available_bytes", fit.available_bytes}});
    if (!fit.refusal.empty()) list.back()["refusal"] = ui::one_line(fit.refusal);
  }
  return list;
}

Json machine_json(const MemoryFacts& facts) {
  Json json = {{"physical_bytes", facts.physical_bytes},
               {"estimate_bytes", facts.estimate_bytes},
               {"mapped_bytes", facts.mapped_bytes},
               {"swap_bytes", facts.swap_bytes},
               {"swap_used_bytes", facts.swap_used_bytes}};
  if (facts.address_space)
    json["address_space"] = {{"limit_bytes", facts.address_space->limit_bytes},
                             {"left_bytes", facts.address_space->left_bytes}};
  if (facts.group)
    json["group"] = {{"name", ui::sanitize(facts.group->group)},
                     {"limit_bytes", facts.group->limit_bytes},
                     {"left_bytes", facts.group->left_bytes}};
  return json;
}

std::optional<engine::MemoryRoom> given_room(const FitOptions& options) {
  if (!options.memory_bytes) return std::nullopt;
  return engine::memory_room({.estimate_bytes = *options.memory_bytes});
}

// Everything that is known before the weights are read. A model that cannot fit is planned as well.
FitReport plan_model(const FitOptions& options) {
  const MemoryFacts facts = engine::platform::memory_facts();
  engine::LoadOptions load = load_options(options.model);
  load.force = true;
  const bool own_head = load.draft.heads && load.draft.path.empty();
  const auto model = engine::Model::load(
      load.path, own_head ? engine::NextnHead::kept : engine::NextnHead::left_out, load.rope);
  const auto draft = load.draft.wanted ? engine::Model::load(load.draft.path,
                                                             engine::NextnHead::left_out, load.rope)
                                       : nullptr;
  const auto room = given_room(options);
  FitReport report{
      .name = engine::model_name(model->gguf), .facts = facts, .is_this_machine = !room};
  report.plan = room ? engine::plan_context(*model, load, *room, draft.get())
                     : engine::plan_context(*model, load, draft.get());
  report.n_layer = model->hparams.n_layer;
  if (!room) report.devices = engine::fit_on_devices(*model, report.plan, options.model.device);
  const engine::MemoryPlan& memory = report.plan.memory;
  if (!memory.fits() && !memory.fits_but_for_experts()) {
    report.advice = engine::plan_advice(*model, load, report.plan, draft.get());
    return report;
  }
  load.force = false;
  report.draft = engine::load_draft(*model, report.plan, load).notice;
  model->gguf.check();
  return report;
}

int show_table(const FitOptions& options, std::ostream& out) {
  const kernels::KernelTable& table = chosen_kernel_table();
  kernels::ThreadPool pool(options.model.n_threads > 0 ? options.model.n_threads
                                                       : kernels::usable_cores());
  const MemoryFacts facts = engine::platform::memory_facts();
  const double read_gbs = measure_read_gbs(pool, table, bytes_beyond_caches());
  const std::uint64_t bytes = given_room(options).value_or(engine::memory_room(facts)).bytes;
  const std::vector<FitRow> rows = fit_rows(bytes, read_gbs);
  if (options.json) {
    print_fit_table_json(rows, bytes, read_gbs, out);
    return 0;
  }
  const std::string whose = options.memory_bytes
                                ? fmt::format("of a machine with {} free",  //
                                              size_text(*options.memory_bytes))
                                : std::string("that may be taken on this machine now");
  print_fit_table(rows,
                  fmt::format("{} of memory {}, read at {:.1f} GB/s{}", size_text(bytes), whose,
                              read_gbs, options.memory_bytes ? " as here" : ""),
                  out);
  return 0;
}

}  // namespace

std::span<const ModelShape> model_shapes() noexcept {
  return kShapes;
}

std::int64_t n_parameters(const ModelShape& m) {
  const Tensors tensors(m, m.n_vocab, m.n_expert);
  std::int64_t n = 0;
  for (const engine::GgufTensor& tensor : tensors.all()) n += tensor.n_elements();
  return n;
}

std::uint64_t weights_bytes(const ModelShape& m, const engine::FileType& type) {
  return bytes_of(m, Tensors(m, m.n_vocab, m.n_expert), type);
}

std::uint64_t token_weight_bytes(const ModelShape& m, const engine::FileType& type) {
  return bytes_of(m, Tensors(m, m.tied ? m.n_vocab : 1, m.n_expert_used), type);
}

std::uint64_t kv_bytes(const ModelShape& m, int n_ctx, Dtype type) {
  engine::Hparams hparams;
  hparams.n_layer = m.n_layer;
  hparams.layers.assign(static_cast<std::size_t>(m.n_layer), {.n_head = m.n_head,
                                                              .n_head_kv = m.n_head_kv,
                                                              .head_dim_k = m.head_dim,
                                                              .head_dim_v = m.head_dim});
  return static_cast<std::uint64_t>(engine::CpuDecoder::n_pages(n_ctx)) *
         engine::KvLayout(hparams, type, type).block_bytes();
}

// The residual stream, the queries and results of attention, and hidden values, each as f32 and
// packed; and the logits of the rows in which drafts are verified.
std::uint64_t scratch_bytes(const ModelShape& m) {
  constexpr double kBatch = 512, kPacked = 1.25, kLogits = 16;
  const double n_hidden = static_cast<double>(m.n_ff) * std::max(1, m.n_expert_used);
  const double n_row = 2.0 * m.n_embd + 2.0 * m.n_head * m.head_dim + n_hidden * kPacked;
  return static_cast<std::uint64_t>(sizeof(float) * (kBatch * n_row + kLogits * m.n_vocab));
}

std::vector<FitRow> fit_rows(std::uint64_t memory_bytes, double read_gbs) {
  std::vector<FitRow> rows;
  for (const ModelShape& shape : model_shapes()) {
    for (const engine::FileType& type : engine::sized_file_types()) {
      const Sizes sizes(shape, type);
      FitRow row{.size = shape.size,
                 .name = shape.name,
                 .type = type.name,
                 .weights_bytes = sizes.weights(),
                 .bytes_8k = sizes.total(kShort),
                 .bytes_32k = sizes.total(kLong),
                 .n_ctx = sizes.longest(memory_bytes)};
      row.from_disk = row.n_ctx == 0 && sizes.fits_but_for_experts(memory_bytes);
      if (row.n_ctx > 0) row.tokens_per_second = read_gbs * 1e9 / sizes.bytes_per_token();
      rows.push_back(row);
    }
  }
  return rows;
}

// Prints Markdown that is also readable on a terminal of 80 columns.
void print_fit_table(const std::vector<FitRow>& rows, std::string_view about, std::ostream& out) {
  out << about << "\n\n"
      << "| model            | file   |   GiB | 8,192 | 32,768 |   longest | tok/s |\n"
         "| ---------------- | ------ | ----: | ----: | -----: | --------: | ----: |\n";
  for (const FitRow& row : rows)
    out << fmt::format("| {:<16} | {:<6} | {:>5.1f} | {:>5.1f} | {:>6.1f} | {:>9} | {:>5} |\n",
                       fmt::format("{} ({})", row.size, row.name), row.type, gib(row.weights_bytes),
                       gib(row.bytes_8k), gib(row.bytes_32k), context_text(row), speed_text(row));
  out << "\nGiB: of the weights, then of all that is taken with a context of 8,192 and of\n"
         "32,768 tokens. longest: the context that fits. tok/s: at most, as fast as memory\n"
         "is read, with 4,096 tokens in a KV cache of q8_0.\n"
         "from disk: a mixture of experts whose experts do not all fit; confab fit MODEL\n"
         "tells how fast the disk lets it run.\n";
}

void print_fit_table_json(const std::vector<FitRow>& rows, std::uint64_t memory_bytes,
                          double read_gbs, std::ostream& out) {
  Json array = Json::array();
  for (const FitRow& row : rows)
    array.push_back({{"size", row.size},
                     {"name", row.name},
                     {"type", row.type},
                     {"weights_bytes", row.weights_bytes},
                     {"bytes_8192", row.bytes_8k},
                     {"bytes_32768", row.bytes_32k},
                     {"n_ctx", row.n_ctx},
                     {"from_disk", row.from_disk},
                     {"tokens_per_second", row.tokens_per_second}});
  const Json all = {{"memory_bytes", memory_bytes}, {"read_gbs", read_gbs}, {"models", array}};
  out << all.dump(2) << '\n';
}

std::string verdict(const FitReport& report) {
  const MemoryPlan& memory = report.plan.memory;
  const std::string needed = size_text(memory.total_bytes());
  if (memory.available_bytes == engine::platform::kUnknownBytes)
    return fmt::format("it takes {}; nobody says how much is available", needed);
  const std::string available = size_text(memory.available_bytes);
  if (!report.advice.empty())
    return fmt::format("does not fit: {} needed, {} free: {}", needed, available, report.advice);
  if (!memory.fits()) return "fits but for its experts: " + report.plan.notice;
  const std::string shorter = report.plan.notice.empty() ? "" : "; " + report.plan.notice;
  return fmt::format("fits: it takes {} of the {} that may be taken{}", needed, available, shorter);
}

void print_fit(const FitReport& report, std::ostream& out) {
  out << fmt::format("{}, with a context of {} tokens\n", ui::sanitize(report.name),
                     grouped(report.plan.n_ctx))
      << plan_text(report.plan);
  if (report.is_this_machine) out << machine_text(report.facts) << devices_text(report);
  if (!report.draft.empty()) out << '\n' << ui::sanitize(report.draft) << '\n';
  out << '\n' << ui::sanitize(verdict(report)) << '\n';
}

void print_fit_json(const FitReport& report, std::ostream& out) {
  const MemoryPlan& memory = report.plan.memory;
  Json json = {{"model", ui::sanitize(report.name)},
               {"n_ctx", report.plan.n_ctx},
               {"cache_type_k", kernels::info(report.plan.type_k).name},
               {"cache_type_v", kernels::info(report.plan.type_v).name},
               {"fits", memory.fits()},
               {"verdict", ui::sanitize(verdict(report))},
               {"weights_bytes", memory.weights_bytes},
               {"expert_bytes", memory.expert_bytes},
               {"expert_token_bytes", memory.expert_token_bytes},
               {"resident_bytes", memory.resident_bytes()},
               {"kv_bytes", memory.kv_bytes},
               {"scratch_bytes", memory.scratch_bytes},
               {"draft_bytes", memory.draft_bytes},
               {"process_bytes", memory.process_bytes + memory.process_mapped_bytes},
               {"total_bytes", memory.total_bytes()},
               {"peak_anonymous_bytes", memory.anonymous_bytes()},
               {"peak_mapped_bytes", memory.mapped_bytes()},
               {"available_bytes", memory.available_bytes},
               {"disk_bytes_per_second", report.plan.disk_rate}};
  if (report.is_this_machine) {
    json["n_layer"] = report.n_layer;
    json["devices"] = devices_json(report);
    json["machine"] = machine_json(report.facts);
  }
  out << json.dump(2) << '\n';
}

int run_fit(const FitOptions& options, std::ostream& out) {
  if (options.table) return show_table(options, out);
  const FitReport report = plan_model(options);
  if (options.json)
    print_fit_json(report, out);
  else
    print_fit(report, out);
  return static_cast<int>(report.advice.empty() ? ExitStatus::success : ExitStatus::does_not_fit);
}

}  // namespace confab::app
