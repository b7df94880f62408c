// SPDX-License-Identifier: MIT
#include "engine/run/local_chat_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <future>
#include <map>
#include <stop_token>
#include <variant>

#include "base/thread.h"
#include "engine/error.h"
#include "engine/events/event_queue.h"
#include "engine/locked.h"
#include "engine/model/model.h"
#include "engine/run/context_plan.h"
#include "engine/run/decoder_choice.h"
#include "engine/run/draft_loader.h"
#include "engine/run/fingerprint.h"
#include "engine/run/generator.h"
#include "engine/run/model_facts.h"
#include "engine/run/prompt_thread.h"
#include "engine/run/scoring/scorer.h"
#include "kernels/os_thread.h"

namespace confab::engine {
namespace {

PromptBuilder make_prompts(const Model& model, const TemplateSource& source, bool is_given) {
  try {
    PromptBuilder prompts(*model.tokenizer, source.text, source.tokens);
    if (prompts.leaves_out_question())
      throw ModelError(
          "it leaves the question out of the prompt, under all names of roles and forms of content "
          "that are known");
    return prompts;
  } catch (const ModelError& error) {
    if (is_given) throw ModelError(fmt::format("chat template that was given: {}", error.what()));
    model.gguf.fail(
        fmt::format("chat template: {}; --chat-template gives it another, as in "
                    "--chat-template chatml",
                    error.what()));
  }
}

class LocalChatModel final : public ChatModel {
 public:
  LocalChatModel(const LoadOptions& options, std::unique_ptr<const Model> model, DraftFile draft);
  ~LocalChatModel() override;

  const ModelInfo& info() const noexcept override { return info_; }
  int count_tokens(const std::vector<Turn>& turns,
                   const TemplateSettings& settings) const override {
    return prompt_thread_.count(turns, settings);
  }
  std::string prompt_text(const std::vector<Turn>& turns,
                          const TemplateSettings& settings) const override {
    return prompt_thread_.text(turns, settings);
  }
  void count(CountRequest request) override { prompt_thread_.start_count(std::move(request)); }
  AnswerId generate(GenerateRequest request) override { return ask(std::move(request)); }
  AnswerId score(ScoreRequest request) override { return ask(std::move(request)); }
  void cancel(AnswerId answer) noexcept override;
  void prepare(PrepareRequest request) override;
  std::future<void> unload() override;
  void spare_memory(bool on) override;
  void spare_power(bool on) override;
  std::optional<AnswerEvent> next_event() override;
  int wake_fd() const noexcept override { return events_.wake_fd(); }

 private:
  using Request = std::variant<GenerateRequest, ScoreRequest>;
  struct Job {
    AnswerId answer;
    Request request;
    Generator::Clock::time_point requested;
    std::stop_token stop;
  };
  struct Preparation {
    PrepareRequest request;
    std::stop_token stop;
  };
  struct Inbox {  // requests to the generation thread
    std::deque<Job> jobs = {};
    std::optional<Preparation> preparation = {};    // done when there is no job
    std::optional<std::promise<void>> unload = {};  // done when there is neither
    std::optional<bool> spare_memory = {};
    std::optional<bool> spare_power = {};
    bool leave = false;

    bool is_empty() const {
      return jobs.empty() && !preparation && !unload && !spare_memory && !spare_power && !leave;
    }
  };
  AnswerId ask(Request request);
  void run_jobs();
  void start(const Job& job);
  bool is_busy() const noexcept { return generator_.is_busy() || scorer_.is_busy(); }
  bool is_wanted(const std::deque<Job>& taken, const LoadProgress& progress);
  void give_back() noexcept;
  void relieve() noexcept;
  void restrain(const Inbox& next) noexcept;
  bool bring_back(const std::deque<Job>& jobs) noexcept;
  void recall_weights();
  void read_weights();
  void run(const Preparation& preparation) noexcept;
  void device_failed(const std::string& why);

  // Const after the constructor.
  std::unique_ptr<const Model> model_;
  const kernels::KernelTable& table_;
  ContextPlan plan_;
  LoadedDraft draft_file_;
  TemplateSource template_;
  PromptBuilder prompts_;
  // Used only by the generation thread.
  std::shared_ptr<kernels::ThreadPool> team_;
  kernels::ThreadPool& pool_ = *team_;
  ChosenDecoder chosen_;
  Decoder& decoder_ = *chosen_.decoder;
  ModelInfo info_;                     // used only by the user's thread
  std::unique_ptr<DraftModel> draft_;  // nullptr if there is none
  LikelyToken head_;
  DraftSources drafts_;
  bool exact_;
  BlockStore* store_;
  std::optional<UnreadWeights> unread_ = {};  // set until they have been read
  std::optional<UnreadWeights> draft_unread_ = {};
  std::string remark_ = {};  // to be sent with the next answer
  bool is_unloaded_ = false;
  bool was_ended_ = false;  // a user cancelled bringing it back; a question retries
  bool spares_memory_ = false;
  bool spares_power_ = false;
  PrefixCache prefix_;
  Generator generator_;
  Scorer scorer_;
  // Shared between the threads.
  EventQueue events_;
  mutable PromptThread prompt_thread_;
  Locked<Inbox> inbox_;
  // Used only by the user's thread.
  std::map<AnswerId, std::stop_source> running_;
  std::stop_source preparation_;  // of the last preparation
  std::uint64_t n_answers_ = 0;   // requested so far
  bool is_sparing_ = false;       // sparing memory
  base::Thread thread_;           // last: it uses all the others
};

LocalChatModel::LocalChatModel(const LoadOptions& options, std::unique_ptr<const Model> model,
                               DraftFile draft)
    : model_(std::move(model)),
      table_(choose_table(options)),
      plan_(plan_context(*model_, options)),
      draft_file_(load_draft(*model_, plan_, options, std::move(draft))),
      template_(choose_template(model_->gguf, *model_->tokenizer, options.chat_template)),
      prompts_(make_prompts(*model_, template_, !options.chat_template.empty())),
      team_(options.team ? options.team : make_team(plan_.n_threads)),
      chosen_(choose_decoder({*model_, plan_, table_, pool_}, options,
                             [this](const std::string& why) { device_failed(why); })),
      info_(with_recommended(
          on_device(make_info(*model_, plan_, table_.isa, template_, draft_file_), chosen_),
          options.recommended)),
      draft_(make_draft(draft_file_, table_, pool_, options.store)),
      head_(*model_->tokenizer, table_, draft_rule(*model_, options.draft)),
      drafts_{.lookup = options.lookup,
              .model = draft_.get(),
              .head = decoder_.has_head() ? &head_ : nullptr,
              .model_most = options.draft.most},
      exact_(options.exact),
      store_(options.store),
      prefix_(decoder_, store_),
      generator_({*model_, prompts_, prefix_, template_.stop, drafts_, &pool_}),
      scorer_({*model_, prompts_, prefix_}),
      prompt_thread_(prompts_, events_),
      thread_(base::stack::kLanguages, [this](const std::stop_token&) { run_jobs(); }) {}

LocalChatModel::~LocalChatModel() {
  for (auto& [answer, cancel] : running_) cancel.request_stop();
  preparation_.request_stop();
  inbox_.with([](Inbox& inbox) { return inbox.leave = true; });
}

AnswerId LocalChatModel::ask(Request request) {
  const auto answer = static_cast<AnswerId>(++n_answers_);
  preparation_.request_stop();
  Job job{answer, std::move(request), Generator::Clock::now(), running_[answer].get_token()};
  inbox_.with([&job](Inbox& inbox) {
    inbox.jobs.push_back(std::move(job));
    inbox.preparation.reset();
    inbox.unload.reset();
    return true;
  });
  return answer;
}

void LocalChatModel::cancel(AnswerId answer) noexcept {
  const auto running = running_.find(answer);
  if (running != running_.end()) running->second.request_stop();
}

void LocalChatModel::prepare(PrepareRequest request) {
  if (!running_.empty() || is_sparing_) return;
  preparation_.request_stop();
  preparation_ = std::stop_source();
  Preparation next{std::move(request), preparation_.get_token()};
  inbox_.with([&next](Inbox& inbox) {
    inbox.preparation = std::move(next);
    inbox.unload.reset();
    return true;
  });
}

std::future<void> LocalChatModel::unload() {
  preparation_.request_stop();
  return inbox_.with([](Inbox& inbox) {
    inbox.preparation.reset();
    return inbox.unload.emplace().get_future();
  });
}

void LocalChatModel::spare_memory(bool on) {
  is_sparing_ = on;
  if (on) preparation_.request_stop();
  inbox_.with([on](Inbox& inbox) {
    if (on) inbox.preparation.reset();
    inbox.spare_memory = on;
    return true;
  });
}

void LocalChatModel::spare_power(bool on) {
  inbox_.with([on](Inbox& inbox) {
    inbox.spare_power = on;
    return true;
  });
}

std::optional<AnswerEvent> LocalChatModel::next_event() {
  std::optional<AnswerEvent> event = events_.pop();
  if (!event) return event;
  if (is_end(event->event)) running_.erase(event->answer);
  if (const auto* remark = std::get_if<Remark>(&event->event)) {  // from device_failed()
    info_.device.clear();
    info_.device_reason = remark->text;
  }
  return event;
}

// Whether long work should continue. It should if somebody waits for it, either in the jobs already
// taken or in the inbox; or if there are no jobs and nothing else is wanted. Reports the progress
// to all who wait.
bool LocalChatModel::is_wanted(const std::deque<Job>& taken, const LoadProgress& progress) {
  std::vector<AnswerId> waiting;
  const bool goes_on = inbox_.with([&](Inbox& inbox) {
    for (const std::deque<Job>* jobs : {&taken, static_cast<const std::deque<Job>*>(&inbox.jobs)})
      for (const Job& job : *jobs)
        if (!job.stop.stop_requested()) waiting.push_back(job.answer);
    const bool any = !taken.empty() || !inbox.jobs.empty();
    return !inbox.leave && (any ? !waiting.empty() : !inbox.unload);
  });
  for (const AnswerId answer : waiting) events_.push(answer, progress);
  return goes_on;
}

void LocalChatModel::recall_weights() {
  if (store_ == nullptr) return;
  model_->gguf.guard();
  const CacheTraits draft_traits{.weights_digest = {}, .isa = table_.isa};
  CacheTraits traits = draft_traits;
  traits.exact = exact_;
  traits.device = chosen_.device_id;
  if (decoder_.is_made_of_blocks()) {
    unread_.emplace(*model_, plan_, traits, pool_);
    settle(prefix_, unread_->recall(*store_), unread_);
  }
  if (draft_ == nullptr || !draft_->is_made_of_blocks()) return;
  draft_unread_.emplace(*draft_file_.model, draft_file_.plan, draft_traits, pool_);
  settle(*draft_, draft_unread_->recall(*store_), draft_unread_);
}

// Nobody waits for the draft model's weights.
void LocalChatModel::read_weights() {
  while (unread_ && is_wanted({}, {unread_->bytes_done(), unread_->n_bytes()}))
    settle(prefix_, unread_->read(*store_), unread_);
  while (draft_unread_ && inbox_.with([](const Inbox& inbox) { return inbox.is_empty(); }))
    settle(*draft_, draft_unread_->read(*store_), draft_unread_);
}

// Memory shared with the last sequence stays, and mapped pages cost nothing.
void LocalChatModel::relieve() noexcept {
  if (draft_ != nullptr) draft_->unload();
  prefix_.keep_last();
  try {
    decoder_.give_back();
  } catch (const ModelError&) {  // the next answer will report it
  }
}

// Keys and values outside blocks must be computed again; blocks are found again.
void LocalChatModel::give_back() noexcept {
  prefix_.clear();
  relieve();
  model_->gguf.give_back();
  is_unloaded_ = true;
}

// Returns false if nobody waits any longer. If experts are read from disk as they are chosen, not
// the whole file is needed.
bool LocalChatModel::bring_back(const std::deque<Job>& jobs) noexcept {
  struct NobodyWaits {};
  const auto is_stopped = [](const Job& job) { return job.stop.stop_requested(); };
  if (jobs.empty() ? was_ended_ : std::ranges::all_of(jobs, is_stopped)) return false;
  if (std::exchange(is_unloaded_, false)) {
    if (plan_.disk_rate == 0) model_->gguf.read_soon();
    if (draft_ != nullptr) draft_file_.model->gguf.read_soon();
  }
  try {
    model_->gguf.guard();
    decoder_.bring_back([&](std::uint64_t n, std::uint64_t n_all) {
      if (!is_wanted(jobs, {n, n_all, true})) throw NobodyWaits();
    });
    was_ended_ = false;
  } catch (const NobodyWaits&) {
    was_ended_ =
        !jobs.empty() || inbox_.with([](const Inbox& inbox) { return !inbox.jobs.empty(); });
    return false;
  } catch (const std::exception&) {  // the answer will report it
  }
  return true;
}

void LocalChatModel::restrain(const Inbox& next) noexcept {
  spares_memory_ = next.spare_memory.value_or(spares_memory_);
  spares_power_ = next.spare_power.value_or(spares_power_);
  drafts_.paused = spares_memory_ || spares_power_;
  if (next.spare_power)
    pool_.set_active(spares_power_ ? (pool_.n_threads() + 1) / 2 : pool_.n_threads());
}

void LocalChatModel::run_jobs() {
  kernels::hurry();
  recall_weights();
  std::optional<std::promise<void>> unload;  // destroying it completes its future
  for (bool leaving = false; !leaving || is_busy();) {
    if (!is_busy() && !spares_memory_ && !is_unloaded_) read_weights();
    const auto take_all = [](Inbox& inbox) { return std::exchange(inbox, {}); };
    Inbox next = is_busy() ? inbox_.with(take_all)
                           : inbox_.wait([](const Inbox& i) { return !i.is_empty(); }, take_all);
    leaving = leaving || next.leave;
    if (next.unload || !next.jobs.empty()) unload = std::move(next.unload);
    restrain(next);
    if (!leaving) {
      const bool is_there = (next.jobs.empty() && !next.preparation) || bring_back(next.jobs);
      for (const Job& job : next.jobs) start(job);
      if (is_there && next.preparation && !is_busy()) run(*next.preparation);
    }
    const bool alone = !generator_.is_busy();
    if (!alone) generator_.step();
    if (generator_.is_busy() && !remark_.empty()) generator_.remark(std::exchange(remark_, {}));
    if (scorer_.is_busy()) scorer_.step(alone);
    if (is_busy()) continue;
    if (unload)
      give_back();
    else if (spares_memory_)
      relieve();
    unload.reset();
  }
}

void LocalChatModel::start(const Job& job) {
  if (const auto* wanted = std::get_if<ScoreRequest>(&job.request))
    return scorer_.start(*wanted, job.stop, {events_, job.answer});
  generator_.start(std::get<GenerateRequest>(job.request), job.requested, job.stop,
                   {events_, job.answer});
}

// The processor cannot use what the device stored, nor the other way round.
void LocalChatModel::device_failed(const std::string& why) {
  prefix_.set_fingerprint({});
  unread_.reset();
  remark_ = why;
}

void LocalChatModel::run(const Preparation& preparation) noexcept {
  try {
    generator_.prepare(preparation.request, preparation.stop);
  } catch (const std::exception&) {  // a real request will report the same error
  }
}

}  // namespace

std::shared_ptr<kernels::ThreadPool> make_team(int n_threads) {
  return std::make_shared<kernels::ThreadPool>(n_threads > 0 ? n_threads : kernels::usable_cores());
}

std::unique_ptr<ChatModel> load_chat_model(const LoadOptions& options) {
  DraftFile draft = begin_draft(options);
  const bool head = options.draft.heads && options.draft.path.empty() &&
                    options.device.kind != DeviceChoice::Kind::vulkan;
  auto model =
      Model::load(options.path, head ? NextnHead::kept : NextnHead::left_out, options.rope);
  return std::make_unique<LocalChatModel>(options, std::move(model), std::move(draft));
}

}  // namespace confab::engine
