/* Sums of products of integers: TILE rows of states against some panels of weights, for each kind of processor.

   A panel has the weights of 16 outputs side by side, two by two along a row: [inputs / 2][16][2] bytes. What is made is
   sums[row][GROUP * LANES]; where fewer rows or panels are asked for, the last one is summed again in the place of those
   that are missing. All versions make the same integers. */

#include "kernel.h"

#include <string.h>

void tile_anywhere(
    const int16_t *states, int stride, int rows, const int8_t *panel, int apart, int panels, int pairs, int32_t *sums)
{
    for (int p = 0; p < panels; p++)
        for (int r = 0; r < rows; r++) {
            int32_t sum[LANES] = {0};
            const int16_t *state = states + (size_t)r * (size_t)stride;
            const int8_t *weight = panel + (size_t)p * (size_t)apart;
            for (int k = 0; k < pairs; k++, weight += 2 * LANES)
                for (int lane = 0; lane < LANES; lane++)
                    sum[lane] += state[2 * k] * weight[2 * lane] + state[2 * k + 1] * weight[2 * lane + 1];
            memcpy(sums + r * GROUP * LANES + p * LANES, sum, sizeof sum);
        }
}

#ifdef KERNEL_X86
#include <immintrin.h>

#define EVERY_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define STATE(r) const int16_t *row##r = states + (size_t)(r < rows ? r : rows - 1) * (size_t)stride;

static inline int32_t pair_at(const int16_t *state)
{
    int32_t both;
    memcpy(&both, state, sizeof both);
    return both;
}

__attribute__((target("avx2,fma"))) void tile_avx2(
    const int16_t *states, int stride, int rows, const int8_t *panel, int apart, int panels, int pairs, int32_t *sums)
{
    EVERY_ROW(STATE)
    for (int p = 0; p < panels; p++, panel += apart, sums += LANES) {
        const int8_t *weight = panel;
#define BEGIN(r) __m256i low##r = _mm256_setzero_si256(), high##r = low##r;
        EVERY_ROW(BEGIN)
        for (int k = 0; k < pairs; k++, weight += 2 * LANES) {
            __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)weight));
            __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(weight + LANES)));
            __m256i both;
#define STEP(r) \
            both = _mm256_set1_epi32(pair_at(row##r + 2 * k)); \
            low##r = _mm256_add_epi32(low##r, _mm256_madd_epi16(both, low)); \
            high##r = _mm256_add_epi32(high##r, _mm256_madd_epi16(both, high));
            EVERY_ROW(STEP)
        }
#define END(r) \
        _mm256_storeu_si256((__m256i *)(sums + r * GROUP * LANES), low##r); \
        _mm256_storeu_si256((__m256i *)(sums + r * GROUP * LANES + LANES / 2), high##r);
        EVERY_ROW(END)
#undef BEGIN
#undef STEP
#undef END
    }
}

__attribute__((target(VNNI))) void tile_vnni(
    const int16_t *states, int stride, int rows, const int8_t *panel, int apart, int panels, int pairs, int32_t *sums)
{
    EVERY_ROW(STATE)
#define PANEL(p) const int8_t *panel##p = panel + (size_t)(p < panels ? p : panels - 1) * (size_t)apart;
    PANEL(0) PANEL(1) PANEL(2) PANEL(3)
#define BEGIN(r) __m512i sum##r##0 = _mm512_setzero_si512(), sum##r##1 = sum##r##0, sum##r##2 = sum##r##0, sum##r##3 = sum##r##0;
    EVERY_ROW(BEGIN)
    for (int k = 0; k < pairs; k++) {
#define WEIGHT(p) __m512i weight##p = _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(panel##p + 2 * LANES * k)));
        WEIGHT(0) WEIGHT(1) WEIGHT(2) WEIGHT(3)
        __m512i both;
#define STEP(r) \
        both = _mm512_set1_epi32(pair_at(row##r + 2 * k)); \
        sum##r##0 = _mm512_dpwssd_epi32(sum##r##0, both, weight0); \
        sum##r##1 = _mm512_dpwssd_epi32(sum##r##1, both, weight1); \
        sum##r##2 = _mm512_dpwssd_epi32(sum##r##2, both, weight2); \
        sum##r##3 = _mm512_dpwssd_epi32(sum##r##3, both, weight3);
        EVERY_ROW(STEP)
    }
#define END(r) \
    _mm512_storeu_si512((void *)(sums + r * GROUP * LANES), sum##r##0); \
    _mm512_storeu_si512((void *)(sums + r * GROUP * LANES + LANES), sum##r##1); \
    _mm512_storeu_si512((void *)(sums + r * GROUP * LANES + 2 * LANES), sum##r##2); \
    _mm512_storeu_si512((void *)(sums + r * GROUP * LANES + 3 * LANES), sum##r##3);
    EVERY_ROW(END)
}
#endif
