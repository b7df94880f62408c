// SPDX-License-Identifier: MIT
#include "engine/run/decoder_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "engine/cache/block_store.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/error.h"
#include "engine/gpu/gpu_decoder.h"
#include "engine/gpu/split_decoder.h"
#include "engine/model/model.h"
#include "engine/model/model_part.h"
#include "engine/run/context_plan.h"
#include "engine/run/device/device_check.h"
#include "engine/run/device/fallback_decoder.h"
#include "engine/run/device/sides_decoder.h"
#include "engine/run/device_fit.h"
#include "engine/size_text.h"
#include "kernels/isa.h"
#include "kernels/vulkan/gpu.h"

namespace confab::engine {
namespace {

using kernels::vulkan::GpuError;
using kernels::vulkan::GpuInfo;
using Kind = DeviceChoice::Kind;

// A smaller model has answered before drivers have been opened and queried.
constexpr std::uint64_t kWorthADevice = std::uint64_t{200} << 20;

constexpr const char* kTooSmall =
    "the model is small, and answers before a graphics processor is ready";

constexpr const char* kInstead = "to run it on the processor: --device cpu";

CpuDecoder::Options processor_options(const ContextPlan& plan, bool exact) {
  return {.n_ctx = plan.n_ctx,
          .n_pages = plan.n_pages,
          .n_whole = plan.n_whole,
          .max_in_flight = plan.max_in_flight(),
          .type_k = plan.type_k,
          .type_v = plan.type_v,
          .forward = {.n_batch = plan.n_batch, .exact = exact, .n_logits = plan.n_logits}};
}

std::unique_ptr<Decoder> make_processor(const DecoderParts& parts, bool exact) {
  return std::make_unique<CpuDecoder>(parts.model, parts.table, parts.pool,
                                      processor_options(parts.plan, exact));
}

UploadOptions upload_options(const DecoderParts& parts, const Decoder::Progress& progress) {
  return {.progress = progress, .may_import = true, .team = &parts.pool};
}

struct OnDevice {
  std::unique_ptr<Decoder> decoder;
  bool shares_weights;  // it has all layers and reads the processor's own copy
};

// Makes the decoder with the last n layers on the device, ready for its first pass.
OnDevice make_device(const DecoderParts& parts, const GpuInfo& gpu, int n_layers,
                     const UploadOptions& upload) {
  const GpuDecoder::Options options = device_options(parts.plan);
  if (n_layers < parts.model.hparams.n_layer)
    return {
        std::make_unique<SplitDecoder>(
            parts.model, n_layers,
            SplitDecoder::Processor{parts.table, parts.pool, processor_options(parts.plan, false)},
            SplitDecoder::Device{gpu, options, upload}),
        false};
  auto whole = std::make_unique<GpuDecoder>(gpu, parts.model, options, upload);
  if (gpu.type != GpuInfo::Type::processor)  // a software renderer has no clocks
    warm_up(*whole, parts.model.hparams.n_vocab, [&] {
      if (upload.progress)
        upload.progress(parts.model.weights.n_bytes, parts.model.weights.n_bytes);
    });
  const bool shares_weights = whole->weights().are_imported();
  return {std::move(whole), shares_weights};
}

// Combines a device with the processor, which does the rest of the work.
std::unique_ptr<Decoder> with_processor(const DecoderParts& parts, std::unique_ptr<Decoder> device,
                                        DeviceUse use) {
  if (use == DeviceUse::all) return device;
  std::unique_ptr<Decoder> processor = make_processor(parts, false);
  if (use == DeviceUse::answers) std::swap(device, processor);
  return std::make_unique<SidesDecoder>(std::move(device), std::move(processor));
}

// Most layers of each kind to compare. A model that mixes formats has about four.
constexpr int kMostCheckedLayers = 6;

// Compares the first layers and the output on both sides, with little memory. on_pass is called as
// by compare_decoders().
double compare_first_layers(const DecoderParts& parts, const GpuInfo& gpu,
                            const std::function<void()>& on_pass) {
  const ExpertHparams& experts = parts.model.hparams.experts;
  const int n_rows = check_rows(experts.n_expert, experts.n_expert_used);
  const GpuDecoder::Options there{.n_ctx = kCheckPositions,
                                  .n_pages = kCheckSequences,
                                  .type_k = parts.plan.type_k,
                                  .type_v = parts.plan.type_v,
                                  .n_batch = n_rows,
                                  .n_logits = kCheckSequences};
  int n_layers = kMostCheckedLayers;
  ModelPart part = first_of_each_kind(parts.model, n_layers);
  while (n_layers > 1 && GpuDecoder::device_bytes(part, there) > gpu.available_bytes)
    part = first_of_each_kind(parts.model, --n_layers);
  constexpr int kPages = kCheckSequences + CpuDecoder::kSparePages;
  CpuDecoder processor(part, parts.table, parts.pool,
                       {.n_ctx = kCheckPositions,
                        .n_pages = kPages,
                        .n_whole = kPages,
                        .type_k = parts.plan.type_k,
                        .type_v = parts.plan.type_v,
                        .forward = {.n_batch = n_rows, .n_logits = kCheckSequences}});
  GpuDecoder device(gpu, part, there, {.team = &parts.pool});
  return compare_decoders(device, processor, parts.model.hparams.n_vocab, n_rows, on_pass);
}

bool is_right(const DecoderParts& parts, const DeviceCheck& check) noexcept {
  return check.is_right(parts.model.hparams.experts.n_expert > 0);
}

// Checks the device with all its features, and if that is wrong, without its matrix cores.
DeviceCheck check(const DecoderParts& parts, GpuInfo gpu, const std::function<void()>& on_pass) {
  parts.model.gguf.guard();
  const DeviceCheck check{.nmse = compare_first_layers(parts, gpu, on_pass)};
  if (is_right(parts, check) || !gpu.matrix_cores) return check;
  gpu.matrix_cores = false;
  const DeviceCheck without{.nmse = compare_first_layers(parts, gpu, on_pass),
                            .without_cores = true};
  return is_right(parts, without) ? without : check;
}

// Measures the whole model for a few tokens in the same context, with little memory on the
// processor.
void measure_speeds(const DecoderParts& parts, const OnDevice& device, DeviceCheck& check) {
  const ContextPlan& plan = parts.plan;
  CpuDecoder processor(parts.model, parts.table, parts.pool,
                       {.n_ctx = plan.n_ctx,
                        .n_pages = 1 + CpuDecoder::kSparePages,
                        .n_whole = 1 + CpuDecoder::kSparePages,
                        .type_k = plan.type_k,
                        .type_v = plan.type_v,
                        .forward = {.n_batch = std::min(plan.n_batch, kSpeedTokens)}});
  measure_speeds(*device.decoder, processor, parts.model.hparams.n_vocab, check);
  check.shares_weights = device.shares_weights;
}

// The part of the work that a device does, in words.
std::string_view use_text(DeviceUse use) noexcept {
  return use == DeviceUse::prompts ? "prompts" : "answers";
}

// Includes the driver, and whether matrix cores are used.
std::string id_of(const GpuInfo& gpu) {
  return fmt::format("{:02x}-{:02x}{}", fmt::join(gpu.device_uuid, ""),
                     fmt::join(gpu.driver_uuid, ""), gpu.matrix_cores ? " matrix cores" : "");
}

// Also includes the number of layers, unless the device has all of them.
std::string id_of(const GpuInfo& gpu, int n_layers, int n_all) {
  const std::string id = id_of(gpu);
  return n_layers == n_all ? id : fmt::format("{} layers={}", id, n_layers);
}

std::string name_of(const GpuInfo& gpu, int n_layers, int n_all) {
  return n_layers == n_all ? gpu.name
                           : fmt::format("{} ({} of {} layers)", gpu.name, n_layers, n_all);
}

// A fact that the store remembers.
class Memo {
 public:
  // name: everything that the fact depends on.
  Memo(BlockStore* store, std::string name) : store_(store), name_(std::move(name)) {}

  std::optional<std::string> recall() const {
    return store_ == nullptr ? std::nullopt : store_->recall(name_);
  }
  void remember(const std::string& text) const {
    if (store_ != nullptr) store_->remember(name_, text);
  }

 private:
  BlockStore* store_;
  std::string name_;
};

// id: the device's, from id_of().
Memo memo_of_check(BlockStore* store, const DecoderParts& parts, const std::string& id) {
  return {store, fmt::format("check of {} by {:016x} on {} {} {} threads, {}/{}",
                             parts.model.gguf.identity(), kernels::vulkan::programs_digest(), id,
                             kernels::name(parts.table.isa), parts.pool.n_threads(),
                             kernels::info(parts.plan.type_k).name,
                             kernels::info(parts.plan.type_v).name)};
}

// How much the user wants a device.
enum class Wish {
  ordered,   // failing is an error
  hoped,     // -ngl: failing is reported in a line
  whatever,  // use whatever is faster
};

struct Found {
  std::optional<GpuInfo> gpu;
  std::string fault = {};  // why not: a sentence without a full stop
};

Found find_device(const DeviceChoice& choice, Wish wish) {
  const std::vector<GpuInfo> gpus = kernels::vulkan::list_gpus();
  if (wish == Wish::ordered) {
    const auto index = static_cast<std::size_t>(choice.index);
    if (index < gpus.size()) return {gpus[index]};
    return {std::nullopt, gpus.empty()
                              ? "there is no graphics processor with Vulkan on this machine"
                              : fmt::format("there is no {}: confab devices lists what there is",
                                            device_text({Kind::vulkan, choice.index}))};
  }
  if (gpus.empty())
    return {std::nullopt, "there is no graphics processor with Vulkan on this machine"};
  // A software renderer is slower than confab's own kernels.
  if (gpus.front().type == GpuInfo::Type::processor)
    return {std::nullopt, fmt::format("{} is a software renderer, which runs on the processor too; "
                                      "--device vulkan uses it all the same",
                                      gpus.front().name)};
  return {gpus.front()};
}

class Chooser {
 public:
  Chooser(const DecoderParts& parts, const LoadOptions& options,
          std::function<void(const std::string&)> on_failure)
      : parts_(parts), options_(options), on_failure_(std::move(on_failure)) {}

  ChosenDecoder choose() {
    if (options_.device.kind == Kind::cpu || options_.n_gpu_layers == 0) return {};
    const Wish wish = wish_of();
    if (wish == Wish::whatever && parts_.model.weights.n_bytes < kWorthADevice)
      return refuse(wish, kTooSmall);
    const Found found = find_device(options_.device, wish);
    if (!found.gpu) return refuse(wish, found.fault);
    const GpuInfo& gpu = *found.gpu;
    const std::string refusal = options_.exact
                                    ? "rounds activations, and --exact keeps them as they are"
                                    : device_refusal(gpu, parts_.model, parts_.plan);
    if (!refusal.empty()) return refuse(wish, fmt::format("{} {}", gpu.name, refusal));
    try {
      return take(wish, gpu);
    } catch (const GpuError& error) {
      return refuse(wish, fmt::format("{}: {}", gpu.name, error.what()));
    }
  }

 private:
  Wish wish_of() const noexcept {
    if (options_.device.kind == Kind::vulkan) return Wish::ordered;
    return options_.n_gpu_layers ? Wish::hoped : Wish::whatever;
  }

  ChosenDecoder refuse(Wish wish, const std::string& fault) const {
    if (wish == Wish::ordered)
      throw ModelError(
          fmt::format("--device {}: {}; {}", device_text(options_.device), fault, kInstead));
    ChosenDecoder chosen{.reason = fault};
    if (wish == Wish::hoped) chosen.notice = fmt::format("runs on the processor: {}", fault);
    return chosen;
  }

  // Worth reporting even to users who did not ask for the device.
  ChosenDecoder refuse_wrong(Wish wish, const GpuInfo& gpu, const std::string& what) const {
    return refuse(wish == Wish::whatever ? Wish::hoped : wish,
                  fmt::format("{} computes wrongly ({}): a newer version of its driver may not",
                              gpu.name, what));
  }

  ChosenDecoder take(Wish wish, GpuInfo gpu) {
    const int n_all = parts_.model.hparams.n_layer;
    const int n_wanted = std::min(options_.n_gpu_layers.value_or(n_all), n_all);
    const int n_layers = layers_that_fit(gpu, parts_.model, parts_.plan, n_wanted);
    if (n_layers == 0)
      return refuse(wish,
                    fmt::format("{} cannot run the last {} layers alone", gpu.name, n_wanted));
    const std::string name = name_of(gpu, n_layers, n_all);
    const Memo memo = memo_of_check(options_.store, parts_, id_of(gpu, n_layers, n_all));
    const auto text = memo.recall();
    std::optional<DeviceCheck> known = text ? parse_check(*text) : std::nullopt;
    if (!known) {
      known = check(parts_, gpu, [this] { report_testing(); });
      memo.remember(check_text(*known));
    }
    if (!is_right(parts_, *known))
      return refuse_wrong(wish, gpu, fmt::format("its logits are off by {:.1e}", known->nmse));
    if (const std::string why = too_slow(wish, *known, name); !why.empty())
      return refuse(wish, why);
    gpu.matrix_cores = gpu.matrix_cores && !known->without_cores;
    parts_.model.gguf.guard();
    OnDevice device =
        make_device(parts_, gpu, n_layers, upload_options(parts_, options_.on_copied));
    // A device that the user asked for need not be faster.
    if (wish == Wish::whatever && !known->has_speeds()) {
      measure_speeds(parts_, device, *known);
      memo.remember(check_text(*known));
      if (const std::string why = too_slow(wish, *known, name); !why.empty())
        return refuse(wish, why);
    }
    return chosen(wish, *known, std::move(device), {gpu, n_layers, use_of(wish, *known)});
  }

  void report_testing() const {
    if (options_.on_copied) options_.on_copied(0, parts_.model.weights.n_bytes);
  }

  // Why the device is too slow; empty if it is not, or if that is not known yet.
  std::string too_slow(Wish wish, const DeviceCheck& known, const std::string& name) const {
    const bool is =
        wish == Wish::whatever && known.has_speeds() && use_of(wish, known) == DeviceUse::none;
    return is ? speeds_text(known, name) : std::string();
  }

  struct Part {  // the part that a device runs
    GpuInfo gpu;
    int n_layers;
    DeviceUse use;
  };
  ChosenDecoder chosen(Wish wish, const DeviceCheck& known, OnDevice device, const Part& part) {
    const int n_all = parts_.model.hparams.n_layer;
    const std::string name = name_of(part.gpu, part.n_layers, n_all);
    ChosenDecoder chosen{.decoder = in_front_of_processor(std::move(device.decoder), part),
                         .device = name,
                         .device_id = id_of(part.gpu, part.n_layers, n_all)};
    if (wish == Wish::whatever) chosen.reason = speeds_text(known, name);
    if (part.use != DeviceUse::all) {
      chosen = shared(std::move(chosen), part.use);
    } else {
      if (part.n_layers == n_all) chosen.whole_on = part.gpu.index;
      const int n_wanted = std::min(options_.n_gpu_layers.value_or(n_all), n_all);
      if (wish != Wish::whatever && part.n_layers < n_wanted)
        chosen.notice = too_large(part.gpu, part.n_layers);
    }
    if (known.without_cores) add_fault(chosen, part.gpu);
    return chosen;
  }

  static void add_fault(ChosenDecoder& chosen, const GpuInfo& gpu) {
    const std::string fault = fmt::format(
        "{} computes wrongly with its matrix cores and runs without them: a newer version of its "
        "driver may not",
        gpu.name);
    chosen.notice += (chosen.notice.empty() ? "" : "\n") + fault;
    chosen.reason += (chosen.reason.empty() ? "" : "; ") + fault;
  }

  // A device that the user asked for does everything.
  DeviceUse use_of(Wish wish, const DeviceCheck& check) const {
    return wish == Wish::whatever ? check.best_use(fits_beside(parts_.model, parts_.plan))
                                  : DeviceUse::all;
  }

  // For a device and the processor together. Both contribute to the blocks, so the blocks are
  // useless to either alone.
  static ChosenDecoder shared(ChosenDecoder chosen, DeviceUse use) {
    const bool reads = use == DeviceUse::prompts;
    chosen.reason +=
        fmt::format("; prompts on {}, answers on {}", reads ? chosen.device : "the processor",
                    reads ? "the processor" : chosen.device);
    chosen.device += fmt::format(" ({})", use_text(use));
    chosen.device_id += fmt::format(" {}", use_text(use));
    return chosen;
  }

  std::string too_large(const GpuInfo& gpu, int n_layers) const {
    const int n_all = parts_.model.hparams.n_layer;
    return fmt::format(
        "{} of {} layers run on the processor: {} has {} free, and all layers would take {}",
        n_all - n_layers, n_all, gpu.name, size_text(gpu.available_bytes),
        size_text(device_bytes(parts_.model, parts_.plan, n_all)));
  }

  std::unique_ptr<Decoder> in_front_of_processor(std::unique_ptr<Decoder> device,
                                                 const Part& part) {
    return std::make_unique<FallbackDecoder>(FallbackDecoder::Parts{
        .device = with_processor(parts_, std::move(device), part.use),
        .make_device =
            [parts = parts_, part](const Decoder::Progress& progress) {
              OnDevice again =
                  make_device(parts, part.gpu, part.n_layers, upload_options(parts, progress));
              return with_processor(parts, std::move(again.decoder), part.use);
            },
        .make_processor = [parts = parts_] { return make_processor(parts, false); },
        .on_failure =
            [name = part.gpu.name, on_failure = on_failure_](const std::string& why) {
              on_failure(fmt::format("{}: {}; the processor goes on", name, why));
            }});
  }

  DecoderParts parts_;
  const LoadOptions& options_;
  std::function<void(const std::string&)> on_failure_;
};

}  // namespace

const kernels::KernelTable& choose_table(const LoadOptions& options) {
  const char* from_environment = std::getenv("CONFAB_ISA");
  try {
    return kernels::choose_kernel_table(
        options.isa.empty() && from_environment != nullptr ? from_environment : options.isa);
  } catch (const std::invalid_argument& error) {
    throw ModelError(error.what());
  }
}

ModelInfo on_device(ModelInfo info, const ChosenDecoder& chosen) {
  info.device = chosen.device;
  info.device_reason = chosen.reason;
  info.drafts_itself = chosen.decoder->has_head();
  if (!info.notice.empty() && !chosen.notice.empty()) info.notice += '\n';
  info.notice += chosen.notice;
  return info;
}

ChosenDecoder choose_decoder(const DecoderParts& parts, const LoadOptions& options,
                             std::function<void(const std::string& why)> on_failure) {
  ChosenDecoder chosen = choose_device(parts, options, std::move(on_failure));
  if (!chosen.decoder) chosen.decoder = make_processor(parts, options.exact);
  return chosen;
}

ChosenDecoder choose_device(const DecoderParts& parts, const LoadOptions& options,
                            std::function<void(const std::string& why)> on_failure) {
  return Chooser(parts, options, std::move(on_failure)).choose();
}

}  // namespace confab::engine
