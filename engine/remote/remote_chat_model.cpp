// SPDX-License-Identifier: MIT
#include "engine/remote/remote_chat_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/thread.h"
#include "engine/error.h"
#include "engine/events/event_queue.h"
#include "engine/locked.h"
#include "engine/prompt/reasoning_format.h"
#include "engine/remote/remote_answer.h"
#include "engine/remote/remote_scoring.h"
#include "engine/remote/request_body.h"
#include "engine/remote/url.h"

namespace confab::engine {
namespace {

constexpr double kAroundTurn = 5;  // template tokens per turn

// Most vocabularies have one token for a letter of two bytes, and one for a letter of three.
std::size_t weight(std::string_view text) {
  const auto n_lead = static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0xC0; }));
  return text.size() + n_lead;
}

constexpr int kUsualContext = 8192;  // tokens
constexpr int kManyAnswers = 1024;   // at once, if the engine gives no number

// Ollama uses the size that it is asked for. 0 if the size is unknown.
int context_of(const RemoteOptions& options, const EngineFacts& facts, const ServedModel& model) {
  if (facts.kind != EngineKind::ollama && model.n_ctx > 0) return model.n_ctx;
  if (options.n_ctx > 0) return options.n_ctx;
  if (model.n_ctx > 0 || facts.kind != EngineKind::ollama) return model.n_ctx;
  return model.n_ctx_train > 0 ? std::min(model.n_ctx_train, kUsualContext) : kUsualContext;
}

std::string notice_of(const EngineAddress& address, int n_ctx) {
  return fmt::format("{} does not say how long its context is; taking {} tokens (-c N: another)",
                     address.name, n_ctx);
}

ModelInfo info_of(const RemoteOptions& options, const EngineFacts& facts,
                  const ServedModel& model) {
  const EngineAddress& address = options.address;
  ModelInfo info;
  const int n_ctx = context_of(options, facts, model);
  info.path = info.name = name_at(address.name, model.id);
  info.n_ctx = n_ctx > 0 ? n_ctx : kUsualContext;
  info.n_ctx_train = std::max(model.n_ctx_train, info.n_ctx);
  info.n_params = model.n_params;
  info.file_bytes = model.bytes;
  info.architecture = name_of(facts.kind);
  info.n_parallel = facts.n_slots > 0 ? facts.n_slots : kManyAnswers;
  info.chat_template = "the engine's own";
  info.template_source = facts.chat_template;
  info.place = host_of(address.url);
  info.is_on_this_machine = is_loopback(address.url);
  info.estimates_tokens = true;
  info.is_in_the_clear = is_in_the_clear(address.url);
  if (n_ctx <= 0) info.notice = notice_of(address, info.n_ctx);
  const bool by_template = find_reasoning_format(facts.chat_template) != nullptr;
  info.can_reason = model.can_reason.value_or(by_template || facts.chat_template.empty());
  info.can_switch_thinking =
      info.can_reason && facts.kind != EngineKind::lm_studio && facts.kind != EngineKind::other;
  info.tokenizer_hash = "elsewhere: " + info.name;  // no tokens are ever stored under it
  return info;
}

// Runs work that may take long, one piece after the other, on its own thread. The destructor drops
// pieces that have not begun.
class ShapeChecks {
 public:
  ShapeChecks() : thread_(base::stack::kLanguages, [this](const std::stop_token&) { run(); }) {}
  ~ShapeChecks() {
    queue_.with([](Queue& queue) { return queue.leave = true; });
    thread_.join();
  }
  ShapeChecks(const ShapeChecks&) = delete;
  ShapeChecks& operator=(const ShapeChecks&) = delete;

  void add(std::function<void()> work) {
    queue_.with([&work](Queue& queue) { return queue.works.push_back(std::move(work)), true; });
  }

 private:
  struct Queue {
    std::deque<std::function<void()>> works = {};
    bool leave = false;
  };
  void run() {
    for (;;) {
      const auto work =
          queue_.wait([](const Queue& queue) { return queue.leave || !queue.works.empty(); },
                      [](Queue& queue) {
                        if (queue.leave) return std::function<void()>();
                        std::function<void()> first = std::move(queue.works.front());
                        queue.works.pop_front();
                        return first;
                      });
      if (!work) return;
      work();
    }
  }

  Locked<Queue> queue_;
  base::Thread thread_;
};

class RemoteChatModel final : public ChatModel {
 public:
  RemoteChatModel(const RemoteOptions& options, std::shared_ptr<HttpClient> client,
                  const EngineFacts& facts, const ServedModel& model);
  ~RemoteChatModel() override;

  const ModelInfo& info() const noexcept override { return info_; }
  int count_tokens(const std::vector<Turn>& turns, const TemplateSettings&) const override {
    return estimate_.count(turns);
  }
  std::string prompt_text(const std::vector<Turn>& turns, const TemplateSettings&) const override;
  void count(CountRequest request) override {
    events_.push(AnswerId::none, Counted{request.number, estimate_.count(request.turns)});
  }
  AnswerId generate(GenerateRequest request) override;
  AnswerId score(ScoreRequest request) override;
  void cancel(AnswerId answer) noexcept override;
  void prepare(PrepareRequest) override {}  // caching is up to the engine
  std::future<void> unload() override { return {}; }
  void spare_memory(bool) override {}
  void spare_power(bool) override {}
  std::optional<AnswerEvent> next_event() override;
  int wake_fd() const noexcept override { return events_.wake_fd(); }

 private:
  struct Running {
    TransferId transfer = TransferId::none;
    std::shared_ptr<RemoteAnswer> answer = {};  // one of these two is set
    std::shared_ptr<RemoteScoring> scoring = {};
    std::size_t n_bytes = 0;  // of its turns, by TokenEstimate::n_bytes()
    std::size_t n_turns = 0;
  };
  HttpRequest http_request(const RequestBody& body) const;
  Addressee addressee() const;
  void begin(AnswerId id, GenerateRequest request);
  void tell_left_out(AnswerId id, const std::vector<std::string>& names);
  void end(AnswerId id, const Event& event);

  const EngineAddress address_;
  const EngineKind kind_;
  const std::string model_;
  const std::string api_;
  const int n_ctx_asked_;  // for Ollama
  ModelInfo info_;
  TokenEstimate estimate_ = {};
  std::string reasoning_key_ = {};
  std::set<std::string> told_ = {};  // unsupported parameters that were reported
  std::uint64_t n_answers_ = 0;
  EventQueue events_;
  std::map<AnswerId, Running> running_ = {};
  ShapeChecks checks_ = {};
  std::shared_ptr<HttpClient> client_;  // last: its thread uses the queue
};

RemoteChatModel::RemoteChatModel(const RemoteOptions& options, std::shared_ptr<HttpClient> client,
                                 const EngineFacts& facts, const ServedModel& model)
    : address_(options.address),
      kind_(facts.kind),
      model_(model.id),
      api_(facts.api),
      n_ctx_asked_(facts.kind == EngineKind::ollama ? context_of(options, facts, model) : 0),
      info_(info_of(options, facts, model)),
      client_(std::move(client)) {}

RemoteChatModel::~RemoteChatModel() = default;

// The template is not here, so this shows the messages that go into it.
std::string RemoteChatModel::prompt_text(const std::vector<Turn>& turns,
                                         const TemplateSettings&) const {
  std::string text;
  for (const Turn& turn : turns)
    text += fmt::format("[{}]\n{}\n\n", turn.message.role, turn.message.content);
  return text;
}

Addressee RemoteChatModel::addressee() const {
  return {.kind = kind_,
          .model = model_,
          .api = api_,
          .n_ctx = n_ctx_asked_,
          .reasoning_key = reasoning_key_};
}

HttpRequest RemoteChatModel::http_request(const RequestBody& body) const {
  return {.url = address_.url + body.path,
          .body = body.text,
          .key = address_.key,
          .connect = address_.connect,
          .silence = address_.silence};
}

AnswerId RemoteChatModel::generate(GenerateRequest request) {
  const auto id = static_cast<AnswerId>(++n_answers_);
  try {
    begin(id, std::move(request));
  } catch (const ModelError& refused) {
    events_.push(id, Failed{refused.what()});
  }
  return id;
}

void RemoteChatModel::begin(AnswerId id, GenerateRequest request) {
  const RequestBody body = request_body(addressee(), request);
  tell_left_out(id, body.left_out);
  Running running{.n_bytes = TokenEstimate::n_bytes(request.turns),
                  .n_turns = request.turns.size()};
  AnswerOrder order{.engine = address_.name,
                    .kind = kind_,
                    .n_ctx = info_.n_ctx,
                    .n_prompt = estimate_.count(request.turns),
                    .request = std::move(request),
                    .http = http_request(body)};
  HttpRequest http = order.http;
  running.answer = std::make_shared<RemoteAnswer>(
      std::move(order), AnswerEvents(events_, id), events_,
      [this](std::function<void()> check) { checks_.add(std::move(check)); });
  running.transfer = client_->start(std::move(http), running.answer);
  running_.emplace(id, std::move(running));
}

// Reports each parameter once.
void RemoteChatModel::tell_left_out(AnswerId id, const std::vector<std::string>& names) {
  std::string news;
  for (const std::string& name : names)
    if (told_.insert(name).second) news += (news.empty() ? "" : ", ") + name;
  if (!news.empty())
    events_.push(id, Remark{fmt::format("{} ({}) does not take {}: left out", address_.name,
                                        name_of(kind_), news)});
}

AnswerId RemoteChatModel::score(ScoreRequest request) {
  const auto id = static_cast<AnswerId>(++n_answers_);
  Running running;
  const HttpRequest first = http_request(score_body(addressee(), request));
  AskBehind ask_behind;
  if (goes_on_exactly(kind_))
    ask_behind = [again = first, to = addressee(), request](const std::string& beginning) mutable {
      again.body = score_body(to, request, beginning).text;
      return again;
    };
  running.scoring = std::make_shared<RemoteScoring>(
      address_.name, request.options, estimate_.count(request.turns), std::move(ask_behind),
      AnswerEvents(events_, id));
  running.transfer = client_->start(first, running.scoring);
  running_.emplace(id, std::move(running));
  return id;
}

void RemoteChatModel::cancel(AnswerId answer) noexcept {
  const auto found = running_.find(answer);
  if (found == running_.end()) return;
  if (found->second.answer != nullptr) found->second.answer->stop();
  if (found->second.scoring != nullptr) found->second.scoring->stop();
  client_->cancel(found->second.transfer);
}

std::optional<AnswerEvent> RemoteChatModel::next_event() {
  std::optional<AnswerEvent> event = events_.pop();
  if (!event) return event;
  for (const auto& [id, running] : running_)
    if (running.answer != nullptr && running.answer->is_full()) client_->resume(running.transfer);
  if (is_end(event->event)) end(event->answer, event->event);
  return event;
}

void RemoteChatModel::end(AnswerId id, const Event& event) {
  const auto found = running_.find(id);
  if (found == running_.end()) return;
  const Running ended = std::move(found->second);
  running_.erase(found);
  client_->cancel(ended.transfer);  // even if the engine keeps the connection open
  if (ended.answer == nullptr) return;
  if (std::string key = ended.answer->reasoning_key(); !key.empty())
    reasoning_key_ = std::move(key);
  if (const auto* finished = std::get_if<Finished>(&event))
    if (finished->reason != FinishReason::cancelled)
      estimate_.learn(ended.n_bytes, ended.n_turns, finished->stats.n_prompt);
}

}  // namespace

std::unique_ptr<ChatModel> load_remote_model(const RemoteOptions& options,
                                             std::shared_ptr<HttpClient> client) {
  const EngineFacts facts = probe_engine(*client, options.address, options.wait);
  ServedModel model = find_served(facts, options.address, options.model);
  learn_model(*client, options.address, facts.kind, model);
  return std::make_unique<RemoteChatModel>(options, std::move(client), facts, model);
}

std::size_t TokenEstimate::n_bytes(const std::vector<Turn>& turns) {
  std::size_t n = 0;
  for (const Turn& turn : turns) n += weight(turn.message.content) + weight(turn.message.reasoning);
  return n;
}

int TokenEstimate::count(std::size_t n_bytes, std::size_t n_turns) const {
  const double n = std::ceil(static_cast<double>(n_bytes) / bytes_per_token_) +
                   kAroundTurn * static_cast<double>(n_turns);
  return static_cast<int>(std::min(n, static_cast<double>(INT_MAX)));
}

int TokenEstimate::count(const std::vector<Turn>& turns) const {
  return count(n_bytes(turns), turns.size());
}

// A short prompt is mostly template, so it teaches nothing.
void TokenEstimate::learn(std::size_t n_bytes, std::size_t n_turns, int n_tokens) {
  constexpr std::size_t kLeast = 256;
  constexpr double kDensest = 1, kSparsest = 8, kShare = 0.5;
  const double of_text = n_tokens - kAroundTurn * static_cast<double>(n_turns);
  if (n_bytes < kLeast || of_text < 1) return;
  const double seen = std::clamp(static_cast<double>(n_bytes) / of_text, kDensest, kSparsest);
  bytes_per_token_ += kShare * (seen - bytes_per_token_);
}

}  // namespace confab::engine
