// Text of log lines: "key=value" pairs as logfmt readers take them. What clients send can neither end a line,
// nor look like another key, nor reach a terminal as a control sequence. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ondol::api {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarn, kError, kOff };

// "debug", "info", "warn", "error", "off".
std::string_view level_name(LogLevel level);
std::optional<LogLevel> parse_level(std::string_view name);

inline constexpr size_t kLogValueBytesMax = 200;
inline constexpr size_t kLogMessageBytesMax = 2000;

// A value: bare when it is plain ASCII, else in quotes. Controls, invisible characters and those that change
// the direction of text are escaped, invalid UTF-8 becomes U+FFFD. A longer one is cut and ends in "…".
std::string log_value(std::string_view text, size_t bytes_max = kLogValueBytesMax);

// Pairs, in the order they are added, with a space between.
class LogPairs {
 public:
  LogPairs& text(std::string_view key, std::string_view value, size_t bytes_max = kLogValueBytesMax);
  LogPairs& number(std::string_view key, int64_t value);
  LogPairs& tenths(std::string_view key, double value);  // with one decimal
  const std::string& line() const { return line_; }

 private:
  LogPairs& add(std::string_view key, std::string_view written);
  std::string line_;
};

}  // namespace ondol::api
