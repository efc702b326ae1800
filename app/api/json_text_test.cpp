#include "app/api/json_text.h"

#include <doctest/doctest.h>

namespace ondol::api {

TEST_CASE("JSON: what is not JSON in UTF-8 is an error that quotes nothing") {
  const std::string bodies[] = {"",
                                "   ",
                                "{",
                                "{\"a\":NaN}",
                                "{\"a\":Infinity}",
                                "{\"a\":1e999}",
                                "\xED\x95",
                                "{\"a\":\"\xED\x95\"}",
                                "{\"a\":\"\\ud800\"}",
                                "{\"a\":\"\xBE\xC8\xB3\xE7\"}" /* CP949 */,
                                "{\"a\":\"\xED\xA0\x80\"}",
                                "{} x",
                                "{\"a\":\"\n\"}",
                                std::string("{\"a\":\0}", 7),
                                std::string("{}\0", 3),
                                std::string("{}\0{", 4),
                                "]:",
                                ":"};
  for (const auto& body : bodies) {
    CAPTURE(body);
    const auto parsed = parse_json(body);
    REQUIRE(!parsed);
    CHECK(parsed.error().code == Code::kInvalidArgument);
    for (const char c : parsed.error().message) CHECK(static_cast<unsigned char>(c) < 0x80);
  }
}

TEST_CASE("JSON: nesting is limited before anything is parsed") {
  CHECK(!parse_json(std::string(100'000, '[')));
  CHECK(!parse_json(std::string(65, '[') + std::string(65, ']')));
  CHECK(parse_json(std::string(64, '[') + std::string(64, ']')));
  CHECK(parse_json("\"" + std::string(1000, '[') + "\""));
  CHECK(parse_json("\"\\\"" + std::string(1000, '[') + "\""));
}

TEST_CASE("JSON: objects with too many keys are refused before anything is parsed") {
  const auto object = [](int keys) {
    std::string text = "{";
    for (int i = 0; i < keys; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\":\"::\"";
    return text + "}";
  };
  CHECK(parse_json(object(8191)));
  CHECK(!parse_json(object(8192)));
  CHECK(!parse_json(object(1'000'000)));
  CHECK(!parse_json("[" + object(7000) + "," + object(7000) + "]"));
  std::string many = "[{}";
  for (int i = 0; i < 100'000; ++i) many += ",{\"role\":\"user\",\"content\":\":\"}";
  CHECK(parse_json(many + "]"));
  int64_t left = kJsonKeyComparisonsMax;
  CHECK(parse_json(object(7000), left));
  CHECK(!parse_json(object(7000), left));
}

TEST_CASE("JSON: the last of repeated keys counts") { CHECK((*parse_json("{\"a\":1,\"a\":2}"))["a"] == 2); }

TEST_CASE("JSON: writing replaces what is not UTF-8") {
  CHECK(to_text(Json{{"a", "\xED\x95x"}}) == "{\"a\":\"\xEF\xBF\xBDx\"}");
}

}  // namespace ondol::api
