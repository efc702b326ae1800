#include "app/api/model_name.h"

#include <doctest/doctest.h>

namespace ondol::api {

TEST_CASE("model name: decomposed Hangul equals the composed form") {
  CHECK(composed_name("\u1112\u1161\u11AB\u1100\u1173\u11AF 모델") == "한글 모델");
  CHECK(composed_name("가\u11A8") == "각");
  CHECK(composed_name("\u1100\u1161\u1102\u1161") == "가나");
  CHECK(composed_name("각\u11A8") == "각\u11A8");  // a syllable with a tail takes no second one
  CHECK(composed_name("\u1100x") == "\u1100x");
  CHECK(composed_name("\u1161") == "\u1161");
  CHECK(composed_name("smol-é😀") == "smol-é😀");
}

TEST_CASE("model name: bytes that are no text are shown as U+FFFD") {
  CHECK(composed_name("a\xFF") == "a\uFFFD");
}

TEST_CASE("model name: a file gives its name without folder and ending") {
  CHECK(name_of_file("/모델 폴더/smol lm's 100%.gguf") == "smol lm's 100%");
  CHECK(name_of_file("x.bin") == "x.bin");
  CHECK(name_of_file(".gguf") == ".gguf");
}

}  // namespace ondol::api
