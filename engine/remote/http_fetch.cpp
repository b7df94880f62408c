// SPDX-License-Identifier: MIT
#include "engine/remote/http_fetch.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "engine/locked.h"

namespace confab::engine {
namespace {

class WholeAnswers;

class WholeReader final : public HttpReader {
 public:
  WholeReader(std::shared_ptr<WholeAnswers> all, std::size_t number)
      : all_(std::move(all)), number_(number) {}
  void head(const HttpHead& head) override { answer_.head = head; }
  bool body(std::string_view bytes) override {
    const std::size_t room = kMostAnswer - answer_.body.size();
    is_too_long_ = bytes.size() > room;
    answer_.body += bytes.substr(0, room);
    return true;
  }
  bool has_enough() override { return is_too_long_; }
  std::optional<HttpRequest> end(const std::string& fault) override;

 private:
  std::shared_ptr<WholeAnswers> all_;
  std::size_t number_;
  HttpAnswer answer_ = {};
  bool is_too_long_ = false;
};

class WholeAnswers {
 public:
  explicit WholeAnswers(std::size_t n) {
    all_.with([n](All& all) {
      all.answers.resize(n);
      return all.n_left = n;
    });
  }
  void put(std::size_t number, HttpAnswer answer) {
    all_.with([&](All& all) {
      all.answers[number] = std::move(answer);
      return --all.n_left;
    });
  }
  std::vector<HttpAnswer> wait() {
    return all_.wait([](const All& all) { return all.n_left == 0; },
                     [](All& all) { return std::move(all.answers); });
  }

 private:
  struct All {
    std::vector<HttpAnswer> answers = {};
    std::size_t n_left = 0;
  };
  Locked<All> all_;
};

std::optional<HttpRequest> WholeReader::end(const std::string& fault) {
  answer_.fault = fault;
  if (is_too_long_) answer_.fault = fmt::format("it sends more than {} MiB", kMostAnswer >> 20);
  all_->put(number_, std::move(answer_));
  return std::nullopt;
}

}  // namespace

std::vector<HttpAnswer> fetch_all(HttpClient& client, std::vector<HttpRequest> requests) {
  if (requests.empty()) return {};
  const auto all = std::make_shared<WholeAnswers>(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    client.start(std::move(requests[i]), std::make_shared<WholeReader>(all, i));
  return all->wait();
}

HttpAnswer fetch(HttpClient& client, HttpRequest request) {
  std::vector<HttpRequest> one;
  one.push_back(std::move(request));
  return std::move(fetch_all(client, std::move(one)).front());
}

}  // namespace confab::engine
