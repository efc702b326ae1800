#include "kernels/base/blocks.h"

#include <cstring>

#include "kernels/base/half.h"

namespace ondol::kernels {
namespace {

// Where group g's block begins, and the group's place in it: blocks hold 1 group or 8.
struct GroupPlace {
  const std::byte* block;
  int index;
};

constexpr auto kBlockBytes = [] {
  struct Table {
    int32_t bytes[32] = {};
  } table;
  const auto set = [&](DType type, int32_t bytes) { table.bytes[static_cast<uint32_t>(type)] = bytes; };
  set(DType::kQ4_0, 18), set(DType::kQ4_1, 20), set(DType::kQ5_0, 22), set(DType::kQ5_1, 24);
  set(DType::kQ8_0, 34), set(DType::kIQ4_NL, 18);
  set(DType::kQ2_K, 84), set(DType::kQ3_K, 110), set(DType::kQ4_K, 144), set(DType::kQ5_K, 176);
  set(DType::kQ6_K, 210), set(DType::kIQ4_XS, 136);
  return table;
}();

GroupPlace place_of(DType type, const std::byte* row, int64_t g) {
  const int64_t bytes = kBlockBytes.bytes[static_cast<uint32_t>(type) & 31u];
  if (bytes < 64) return {row + g * bytes, 0};
  return {row + (g >> 3) * bytes, static_cast<int>(g & 7)};
}

uint16_t read_u16(const std::byte* at) {
  uint16_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

uint32_t read_u32(const std::byte* at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

const uint8_t* bytes_of(const std::byte* at) { return reinterpret_cast<const uint8_t*>(at); }

// 32 quants of which byte j holds column j (low nibble) and column j + 16 (high nibble).
void split_halves(const uint8_t* packed, uint8_t q[32]) {
  for (int j = 0; j < 16; ++j) {
    q[j] = packed[j] & 15;
    q[j + 16] = packed[j] >> 4;
  }
}

void add_fifth_bits(uint32_t bits, uint8_t q[32]) {
  for (int j = 0; j < 32; ++j) q[j] |= static_cast<uint8_t>(((bits >> j) & 1u) << 4);
}

void split_codebook(const uint8_t* packed, uint8_t q[32]) {
  for (int j = 0; j < 16; ++j) {
    q[j] = static_cast<uint8_t>(kIq4Values[packed[j] & 15] + 128);
    q[j + 16] = static_cast<uint8_t>(kIq4Values[packed[j] >> 4] + 128);
  }
}

// The 6-bit scales and minimums of Q4_K and Q5_K: 12 bytes hold 8 of each.
void read_k_scale(const uint8_t* s, int i, int8_t& sc, uint8_t& mn) {
  if (i < 4) {
    sc = static_cast<int8_t>(s[i] & 63);
    mn = s[i + 4] & 63;
  } else {
    sc = static_cast<int8_t>((s[i + 4] & 15) | ((s[i - 4] >> 6) << 4));
    mn = static_cast<uint8_t>((s[i + 4] >> 4) | ((s[i] >> 6) << 4));
  }
}

// The 6-bit scales of Q3_K: low four bits in bytes 0..7, high two in bytes 8..11.
int8_t read_q3_scale(const uint8_t* s, int i) {
  const int low = i < 8 ? (s[i] & 15) : (s[i - 8] >> 4);
  const int high = (s[8 + i % 4] >> (2 * (i / 4))) & 3;
  return static_cast<int8_t>((low | (high << 4)) - 32);
}

}  // namespace

bool is_quantized(DType type) {
  const DTypeTraits* traits = dtype_traits(type);
  return traits && traits->is_weight && traits->block_elements > 1;
}

int32_t zero_point(DType type) {
  switch (type) {
    case DType::kQ4_0: return 8;
    case DType::kQ5_0: return 16;
    case DType::kQ8_0:
    case DType::kIQ4_NL:
    case DType::kIQ4_XS: return 128;
    case DType::kQ3_K: return 4;
    case DType::kQ6_K: return 32;
    default: return 0;
  }
}

void read_group_quants(DType type, const std::byte* row, int64_t g, uint8_t q[32]) {
  const auto [block, i] = place_of(type, row, g);
  const uint8_t* b = bytes_of(block);
  switch (type) {
    case DType::kQ4_0: split_halves(b + 2, q); break;
    case DType::kQ4_1: split_halves(b + 4, q); break;
    case DType::kQ5_0:
      split_halves(b + 6, q);
      add_fifth_bits(read_u32(block + 2), q);
      break;
    case DType::kQ5_1:
      split_halves(b + 8, q);
      add_fifth_bits(read_u32(block + 4), q);
      break;
    case DType::kQ8_0:
      for (int j = 0; j < 32; ++j) q[j] = b[2 + j] ^ 0x80;
      break;
    case DType::kQ2_K: {
      const uint8_t* qs = b + 16 + 32 * (i / 4);
      for (int j = 0; j < 32; ++j) q[j] = (qs[j] >> (2 * (i % 4))) & 3;
      break;
    }
    case DType::kQ3_K: {
      const uint8_t* qs = b + 32 + 32 * (i / 4);
      for (int j = 0; j < 32; ++j) {
        q[j] = static_cast<uint8_t>(((qs[j] >> (2 * (i % 4))) & 3) | (((b[j] >> i) & 1) << 2));
      }
      break;
    }
    case DType::kQ4_K:
    case DType::kQ5_K: {
      const uint8_t* qs = b + (type == DType::kQ4_K ? 16 : 48) + 32 * (i / 2);
      for (int j = 0; j < 32; ++j) q[j] = i % 2 ? qs[j] >> 4 : qs[j] & 15;
      if (type == DType::kQ5_K) {
        for (int j = 0; j < 32; ++j) q[j] |= static_cast<uint8_t>(((b[16 + j] >> i) & 1) << 4);
      }
      break;
    }
    case DType::kQ6_K: {
      const int half = i / 4, quarter = i % 4;
      const uint8_t* low = b + 64 * half + 32 * (quarter % 2);
      const uint8_t* high = b + 128 + 32 * half;
      for (int j = 0; j < 32; ++j) {
        const int nibble = quarter < 2 ? low[j] & 15 : low[j] >> 4;
        q[j] = static_cast<uint8_t>(nibble | (((high[j] >> (2 * quarter)) & 3) << 4));
      }
      break;
    }
    case DType::kIQ4_NL: split_codebook(b + 2, q); break;
    case DType::kIQ4_XS: split_codebook(b + 8 + 16 * i, q); break;
    default: std::memset(q, 0, 32); break;
  }
}

GroupScales read_group_scales(DType type, const std::byte* row, int64_t g) {
  const auto [block, i] = place_of(type, row, g);
  const uint8_t* b = bytes_of(block);
  GroupScales s;
  switch (type) {
    case DType::kQ4_0:
    case DType::kQ5_0:
    case DType::kQ8_0:
    case DType::kIQ4_NL: s.d = read_u16(block); break;
    case DType::kQ4_1:
    case DType::kQ5_1:
      s.d = read_u16(block);
      s.m = read_u16(block + 2);
      break;
    case DType::kQ2_K:
      s.d = read_u16(block + 80);
      s.m = read_u16(block + 82);
      for (int h = 0; h < 2; ++h) {
        s.sc[h] = static_cast<int8_t>(b[2 * i + h] & 15);
        s.mn[h] = b[2 * i + h] >> 4;
      }
      break;
    case DType::kQ3_K:
      s.d = read_u16(block + 108);
      for (int h = 0; h < 2; ++h) s.sc[h] = read_q3_scale(b + 96, 2 * i + h);
      break;
    case DType::kQ4_K:
    case DType::kQ5_K:
      s.d = read_u16(block);
      s.m = read_u16(block + 2);
      read_k_scale(b + 4, i, s.sc[0], s.mn[0]);
      s.sc[1] = s.sc[0];
      s.mn[1] = s.mn[0];
      break;
    case DType::kQ6_K:
      s.d = read_u16(block + 208);
      for (int h = 0; h < 2; ++h) s.sc[h] = static_cast<int8_t>(b[192 + 2 * i + h]);
      break;
    case DType::kIQ4_XS: {
      s.d = read_u16(block);
      const int low = (b[4 + i / 2] >> (4 * (i % 2))) & 15;
      const int high = (read_u16(block + 2) >> (2 * i)) & 3;
      s.sc[0] = s.sc[1] = static_cast<int8_t>((low | (high << 4)) - 32);
      break;
    }
    default: break;
  }
  return s;
}

GroupFactors group_factors(DType type, const GroupScales& s) {
  const float d = f16_to_f32(s.d);
  const float m = f16_to_f32(s.m);
  GroupFactors out;
  for (int h = 0; h < 2; ++h) {
    out.scale[h] = d * static_cast<float>(s.sc[h]);
    out.minimum[h] = -(m * static_cast<float>(s.mn[h]));
    if (type == DType::kQ4_1 || type == DType::kQ5_1) out.minimum[h] = m;
  }
  return out;
}

}  // namespace ondol::kernels
