#include "app/api/token_routes.h"

#include "app/api/api_error.h"
#include "app/api/completion_request.h"
#include "app/api/field_reader.h"
#include "core/tokenizer/tokenizer.h"

namespace ondol::api {
namespace {

HttpReply json_reply(const Json& json) {
  HttpReply reply;
  reply.body = to_text(json);
  return reply;
}

// Text where the piece is text, else its bytes as numbers, as llama-server does.
Json piece_json(const std::string& bytes) {
  if (is_valid_utf8(bytes)) return bytes;
  Json out = Json::array();
  for (const char c : bytes) out.push_back(static_cast<int>(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

HttpReply tokenize_reply(const Engine& engine, const Json& body) {
  FieldReader fields(body);
  auto text = fields.string("content");
  const bool prompt_form = !text && fields.has("prompt");
  if (prompt_form) text = fields.string("prompt");
  const bool add_special =
      fields.boolean("add_special").value_or(fields.boolean("add_special_tokens").value_or(prompt_form));
  const bool parse_special = fields.boolean("parse_special").value_or(true);
  const bool with_pieces = fields.boolean("with_pieces").value_or(false);
  if (!text) fields.fail("content", "is missing", "missing_field");
  if (fields.error()) return error_reply(*fields.error());

  const auto ids = engine.tokenize(*text, add_special, parse_special);
  if (!ids) return error_reply(to_api_error(ids.error()));
  Json tokens = Json::array();
  for (const TokenId id : *ids) {
    if (!with_pieces) {
      tokens.push_back(id);
      continue;
    }
    const auto piece = engine.token_bytes(id);
    if (!piece) return error_reply(to_api_error(piece.error()));
    tokens.push_back({{"id", id}, {"piece", piece_json(*piece)}});
  }
  Json out = {{"tokens", std::move(tokens)}};
  if (prompt_form) {
    out["count"] = ids->size();
    out["max_model_len"] = engine.info().runner.context;
  }
  return json_reply(out);
}

HttpReply detokenize_reply(const Engine& engine, const Json& body) {
  FieldReader fields(body);
  const Json* tokens = fields.array("tokens");
  if (!tokens) fields.fail("tokens", "is missing", "missing_field");
  const auto ids = tokens ? token_ids(*tokens) : std::nullopt;
  if (tokens && !ids) fields.fail("tokens", "must be an array of token ids");
  if (fields.error()) return error_reply(*fields.error());
  const auto text = engine.detokenize(*ids);
  if (!text) return error_reply(to_api_error(text.error()));
  return json_reply({{"content", *text}});
}

}  // namespace ondol::api
