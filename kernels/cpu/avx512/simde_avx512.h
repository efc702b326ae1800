// For tests only: the AVX-512 intrinsics that this room uses, by SIMDe on top of AVX2, FMA and F16C, so that
// the AVX-512 source can be judged on a machine without AVX-512.
#pragma once

#include <immintrin.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#pragma GCC diagnostic pop

#define __m512 simde__m512
#define __m512i simde__m512i
#define __mmask16 simde__mmask16

// What SIMDe 0.7.4 lacks, from halves.
static inline __m512 emulated_floats(__m256 low, __m256 high) {
  simde__m512_private r;
  r.m256[0] = low;
  r.m256[1] = high;
  return simde__m512_from_private(r);
}
static inline __m512i emulated_ints(__m256i low, __m256i high) {
  simde__m512i_private r;
  r.m256i[0] = low;
  r.m256i[1] = high;
  return simde__m512i_from_private(r);
}
static inline __m512 emulated_cvtph_ps(__m256i x) {
  return emulated_floats(_mm256_cvtph_ps(_mm256_castsi256_si128(x)),
                         _mm256_cvtph_ps(_mm256_extracti128_si256(x, 1)));
}
static inline __m256i emulated_cvtps_ph(__m512 x) {
  const simde__m512_private r = simde__m512_to_private(x);
  return _mm256_set_m128i(_mm256_cvtps_ph(r.m256[1], _MM_FROUND_TO_NEAREST_INT),
                          _mm256_cvtps_ph(r.m256[0], _MM_FROUND_TO_NEAREST_INT));
}
static inline __m512 emulated_cvtepi32_ps(__m512i x) {
  const simde__m512i_private r = simde__m512i_to_private(x);
  return emulated_floats(_mm256_cvtepi32_ps(r.m256i[0]), _mm256_cvtepi32_ps(r.m256i[1]));
}
static inline __m512i emulated_cvtepi8_epi32(__m128i x) {
  return emulated_ints(_mm256_cvtepi8_epi32(x), _mm256_cvtepi8_epi32(_mm_srli_si128(x, 8)));
}
static inline __m512i emulated_cvtepu8_epi32(__m128i x) {
  return emulated_ints(_mm256_cvtepu8_epi32(x), _mm256_cvtepu8_epi32(_mm_srli_si128(x, 8)));
}
static inline __m512i emulated_cvtepu16_epi32(__m256i x) {
  return emulated_ints(_mm256_cvtepu16_epi32(_mm256_castsi256_si128(x)),
                       _mm256_cvtepu16_epi32(_mm256_extracti128_si256(x, 1)));
}
static inline __m256 emulated_half(__m512 x, int half) { return simde__m512_to_private(x).m256[half]; }

#define _mm512_cvtph_ps(x) emulated_cvtph_ps(x)
#undef _mm512_cvtps_ph
#define _mm512_cvtps_ph(x, rounding) emulated_cvtps_ph(x)
#define _mm512_cvtepi32_ps(x) emulated_cvtepi32_ps(x)
#define _mm512_cvtepi8_epi32(x) emulated_cvtepi8_epi32(x)
#define _mm512_cvtepu8_epi32(x) emulated_cvtepu8_epi32(x)
#define _mm512_cvtepu16_epi32(x) emulated_cvtepu16_epi32(x)
#undef _mm512_extractf32x8_ps
#define _mm512_extractf32x8_ps(x, half) emulated_half(x, half)
