/* The codes nearest to a query in many pieces of them, and what each promises (the same as store/index/vector/probe.py in
   numpy, which passes over them again and again): the distance over strong bits for all; for as many as there is room,
   of equally near ones the newest, the query's components against the signs. Knows nothing of Python; module.c checks
   what comes in. */

#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#ifdef KERNEL_X86
#include <emmintrin.h>
#endif

typedef struct {
    int64_t revision;
    size_t piece, at;
} near_t;

static int newer_first(const void *left, const void *right)
{
    int64_t a = ((const near_t *)left)->revision, b = ((const near_t *)right)->revision;
    return a > b ? -1 : a < b;
}

/* Sums as numpy does, in eights and by halves, so that both promise the same. */
static float summed(const float *values, size_t count)
{
    if (count > 128) {
        size_t half = count / 2 - count / 2 % 8;
        return summed(values, half) + summed(values + half, count - half);
    }
    float sums[8];
    memcpy(sums, values, sizeof sums);
    for (size_t at = 8; at < count; at += 8)
        for (size_t lane = 0; lane < 8; lane++) sums[lane] += values[at + lane];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static void note(shortlist_t *of, size_t piece, size_t at)
{
    float values[MOST_WORDS * 8];
    const piece_t *from = of->piece + piece;
    for (size_t word = 0; word < of->words; word++) {
        uint64_t code = from->code[word * from->codes + at];
        const float *lookup = of->lookup + word * 8 * 256;
        for (size_t byte = 0; byte < 8; byte++, code >>= 8) values[word * 8 + byte] = lookup[byte * 256 + (code & 255)];
    }
    of->found[of->count] = from->revision[at];
    of->promised[of->count++] = summed(values, of->words * 8);
}

#define AHEAD 12 /* codes that are asked for before they are needed: they lie far apart */

static void note_all(shortlist_t *of, const near_t *near, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        if (at + AHEAD < count) {
            const near_t *next = near + at + AHEAD;
            const piece_t *from = of->piece + next->piece;
            for (size_t word = 0; word < of->words; word++) __builtin_prefetch(from->code + word * from->codes + next->at);
        }
        note(of, near[at].piece, near[at].at);
    }
}

#define SIDES 4  /* counts that are kept side by side: equal distances in a row would wait for one another */
#define BLOCK 16 /* codes that are looked at together: few of them have one that is near */

/* How far the shortlist reaches: the least distance within which there are as many codes as there is room for; how many
   are nearer, and how many just so near. */
static size_t reach_of(const shortlist_t *of, const uint16_t *far, size_t total, size_t *within, size_t *ties)
{
    uint32_t counts[SIDES][MOST_WORDS * 64 + 1];
    size_t last = of->words * 64, reach = 0, at = 0;
    for (size_t side = 0; side < SIDES; side++) memset(counts[side], 0, (last + 1) * sizeof **counts);
    for (; at + SIDES <= total; at += SIDES)
        for (size_t side = 0; side < SIDES; side++) counts[side][far[at + side]]++;
    for (; at < total; at++) counts[0][far[at]]++;
    for (*within = 0;; reach++) {
        *ties = 0;
        for (size_t side = 0; side < SIDES; side++) *ties += counts[side][reach];
        if (*within + *ties >= of->room || reach == last) return reach;
        *within += *ties;
    }
}

/* Which of a block of codes are within reach, a bit each. */
static uint32_t near_in(const uint16_t *row, size_t reach)
{
#ifdef KERNEL_X86
    const __m128i most = _mm_set1_epi16((short)reach), none = _mm_setzero_si128();
    __m128i low = _mm_subs_epu16(_mm_loadu_si128((const __m128i *)row), most);
    __m128i high = _mm_subs_epu16(_mm_loadu_si128((const __m128i *)(row + 8)), most);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(_mm_cmpeq_epi16(low, none), _mm_cmpeq_epi16(high, none)));
#else
    uint32_t found = 0;
    for (size_t at = 0; at < BLOCK; at++) found |= (uint32_t)(row[at] <= reach) << at;
    return found;
#endif
}

int shortlist_codes(shortlist_t *of, int version)
{
    size_t total = 0, sure, reach;
    for (size_t piece = 0; piece < of->pieces; piece++) total += of->piece[piece].codes;
    uint16_t *far = malloc((total ? total : 1) * sizeof *far), *row = far;
    if (!far) return -1;
    for (size_t piece = 0; piece < of->pieces; row += of->piece[piece++].codes) {
        scan_t scan = {of->piece[piece].codes, of->words, of->piece[piece].code, of->sign, of->mask, NULL, row};
        scan_codes(&scan, version);
    }
    size_t ties, left;
    reach = reach_of(of, far, total, &sure, &ties);
    left = of->room - sure;
    near_t *surely = malloc((sure + ties + 1) * sizeof *surely), *tied = surely + sure, *next = tied;
    if (!surely) {
        free(far);
        return -1;
    }
    size_t noted = 0;
    row = far;
    for (size_t piece = 0; piece < of->pieces; row += of->piece[piece++].codes)
        for (size_t begin = 0, codes = of->piece[piece].codes; begin < codes; begin += BLOCK) {
            uint32_t found = 0;
            if (begin + BLOCK <= codes) found = near_in(row + begin, reach);
            else
                for (size_t at = begin; at < codes; at++) found |= (uint32_t)(row[at] <= reach) << (at - begin);
            for (; found; found &= found - 1) {
                size_t at = begin + (size_t)__builtin_ctz(found);
                *(row[at] < reach ? surely + noted++ : next++) = (near_t){of->piece[piece].revision[at], piece, at};
            }
        }
    if (ties > left) qsort(tied, ties, sizeof *tied, newer_first);
    note_all(of, surely, sure + (ties < left ? ties : left));
    free(surely);
    free(far);
    return 0;
}
