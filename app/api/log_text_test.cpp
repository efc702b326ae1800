#include "app/api/log_text.h"

#include <doctest/doctest.h>

#include "core/tokenizer/tokenizer.h"

namespace ondol::api {

TEST_CASE("log text: plain values are bare, all others are in quotes") {
  CHECK(log_value("smollm2-135m") == "smollm2-135m");
  CHECK(log_value("/v1/models/{id}") == "/v1/models/{id}");
  CHECK(log_value("") == "\"\"");
  CHECK(log_value("a b") == "\"a b\"");
  CHECK(log_value("a=b") == "\"a=b\"");
  CHECK(log_value("온돌 모델") == "\"온돌 모델\"");
}

TEST_CASE("log text: a value cannot end its quotes, its line, or reach the terminal") {
  CHECK(log_value("x\" level=error") == R"("x\" level=error")");
  CHECK(log_value("x\\") == R"("x\\")");
  CHECK(log_value("a\nb\r\tc") == R"("a\nb\r\tc")");
  CHECK(log_value(std::string_view("\0\x1b[31m\x7f", 7)) == R"("\u0000\u001b[31m\u007f")");
  CHECK(log_value("\xc2\x9b") == R"("\u009b")");            // as ESC [
  CHECK(log_value("\u202e\u2028") == R"("\u202e\u2028")");  // turns text round; ends a line for some readers
  CHECK(log_value("\U000e0041") == R"("\U000e0041")");
  CHECK(log_value("a\xff\xc3") == "\"a\ufffd\ufffd\"");
}

TEST_CASE("log text: a long value is cut between characters and says so") {
  CHECK(log_value(std::string(10, 'a'), 10) == "aaaaaaaaaa");
  CHECK(log_value(std::string(11, 'a'), 10) == "\"aaaaaaaaa…\"");
  CHECK(log_value("가나다라", 10) == "\"가나다…\"");
  for (size_t bytes_max = 0; bytes_max < 40; ++bytes_max) {
    for (const char* text :
         {"가나다라마바사", "\x1b\x1b\x1b\x1b\x1b\x1b\x1b", "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\""}) {
      const std::string value = log_value(text, bytes_max);
      CHECK(value.size() <= bytes_max + std::string_view("\"…\"").size());
      CHECK(is_valid_utf8(value));
    }
  }
}

TEST_CASE("log text: every pair of bytes gives one line without controls") {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second)};
      const std::string value = log_value({bytes, 2});
      REQUIRE(is_valid_utf8(value));
      for (const char c : value) REQUIRE((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
    }
  }
}

TEST_CASE("log text: pairs stand in order") {
  LogPairs pairs;
  pairs.text("msg", "two words").number("n", -3).tenths("ms", 1.26);
  CHECK(pairs.line() == "msg=\"two words\" n=-3 ms=1.3");
}

TEST_CASE("log text: levels have names") {
  for (const char* name : {"debug", "info", "warn", "error", "off"})
    CHECK(level_name(*parse_level(name)) == name);
  CHECK_FALSE(parse_level("loud"));
}

}  // namespace ondol::api
