// SPDX-License-Identifier: MIT
#include "engine/remote/curl.h"

#include <gtest/gtest.h>

namespace confab::engine {
namespace {

TEST(CurlTest, IsOpenedOnceAndWorks) {
  EXPECT_EQ(&curl(), &curl());
  CURL* handle = curl().easy_init();
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ(curl().easy_setopt(handle, CURLOPT_URL, "http://127.0.0.1/"), CURLE_OK);
  curl().easy_cleanup(handle);
}

}  // namespace
}  // namespace confab::engine
