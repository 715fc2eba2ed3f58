/* How many of a query's strong bits differ in each of many one-bit codes (the same as store/index/vector/probe.py in
   numpy, which passes over the codes three times a word). Codes are column-major: all first words, then all second ones.
   Knows nothing of Python; module.c checks what comes in. */

#include "kernel.h"

#include <string.h>

#define CODES 512 /* codes whose sums stay near the processor */

static inline __attribute__((always_inline)) void scanned(const scan_t *of)
{
    uint16_t sums[CODES];
    for (size_t start = 0; start < of->codes; start += CODES) {
        size_t some = of->codes - start < CODES ? of->codes - start : CODES;
        memset(sums, 0, sizeof sums);
        for (size_t word = 0; word < of->words; word++) {
            const uint64_t *row = of->code + word * of->codes + start, sign = of->sign[word], mask = of->mask[word];
            for (size_t at = 0; at < some; at++) sums[at] += (uint16_t)__builtin_popcountll((row[at] ^ sign) & mask);
        }
        if (of->narrow)
            for (size_t at = 0; at < some; at++) of->narrow[start + at] = (uint8_t)sums[at];
        else
            memcpy(of->wide + start, sums, some * sizeof(uint16_t));
    }
}

static void scan_anywhere(const scan_t *of) { scanned(of); }

#ifdef KERNEL_X86
__attribute__((target("popcnt"))) static void scan_popcnt(const scan_t *of) { scanned(of); }

__attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt"))) static void scan_wide(const scan_t *of)
{
    scanned(of);
}
#endif

int scan_versions(void)
{
#ifdef KERNEL_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return 3;
    if (__builtin_cpu_supports("popcnt")) return 2;
#endif
    return 1;
}

void scan_codes(const scan_t *of, int version)
{
#ifdef KERNEL_X86
    if (version == 2) scan_wide(of);
    else if (version == 1) scan_popcnt(of);
    else scan_anywhere(of);
#else
    (void)version;
    scan_anywhere(of);
#endif
}
