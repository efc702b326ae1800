#include "app/commands/model_argument.h"

#include <doctest/doctest.h>

#include <fstream>

#include "core/base/temporary_folder.h"

namespace ondol::commands {

TEST_CASE("model argument: a file gives its name, NAME=FILE another one") {
  CHECK(parse_model_argument("/models/smol.gguf")->name == "smol");
  const auto named = parse_model_argument("한국어 \"모델\"=/models/smol.gguf");
  REQUIRE(named);
  CHECK(named->name == "한국어 \"모델\"");
  CHECK(named->path == "/models/smol.gguf");
  CHECK(parse_model_argument("a=b=c.gguf")->path == "b=c.gguf");
  CHECK(parse_model_argument("/dir/a=b.gguf")->path == "/dir/a=b.gguf");
}

TEST_CASE("model argument: what is neither is refused") {
  for (const char* text : {"", "=", "name=", "=file"}) {
    CAPTURE(text);
    CHECK(!parse_model_argument(text));
  }
}

}  // namespace ondol::commands
