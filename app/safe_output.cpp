// SPDX-License-Identifier: MIT
#include "app/safe_output.h"

#include <streambuf>
#include <string_view>

#include "ui/text.h"

namespace confab::app {

class SafeOutput::Buffer : public std::streambuf {
 public:
  explicit Buffer(std::streambuf* target) : target_(target) {}

  std::streambuf* target() const noexcept { return target_; }
  bool put(std::string_view text) {
    const auto n = static_cast<std::streamsize>(text.size());
    return target_->sputn(text.data(), n) == n;
  }
  bool finish() { return put(sanitizer_.flush()); }

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    return put(sanitizer_.feed({&byte, 1})) ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize n) override {
    return put(sanitizer_.feed({bytes, static_cast<std::size_t>(n)})) ? n : 0;
  }
  int sync() override { return target_->pubsync(); }

 private:
  std::streambuf* target_;
  ui::Sanitizer sanitizer_;
};

SafeOutput::SafeOutput(std::ostream& out, bool is_terminal) : out_(out) {
  if (!is_terminal) return;
  buffer_ = std::make_unique<Buffer>(out.rdbuf());
  out_.rdbuf(buffer_.get());
}

SafeOutput::~SafeOutput() {
  if (!buffer_) return;
  const auto state = out_.rdstate();
  const bool good = buffer_->finish();
  out_.rdbuf(buffer_->target());  // rdbuf() clears the state
  out_.clear(good ? state : state | std::ios::badbit);
}

}  // namespace confab::app
