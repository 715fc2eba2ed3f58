/* The learned reader's arithmetic: from pieces to what a head looks at (the same as text/reader/encoder.py in numpy).

   Weights are bytes with one step a row, as in their file; states are rounded to sixteen bits a row before a product, so
   that every sum is one of integers and the same on every processor. Sums of at most 512 products of 15 and 7 bits fit in
   32 bits: longer rows are summed in parts. Knows nothing of Python; module.c checks what comes in. */

#include "kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PART 512        /* products of one sum of integers */
#define BLOCK_ROWS 256  /* rows that are read together: what is made of them stays near the processor */

typedef void (*tile_t)(const int16_t *, int, int, const int8_t *, int, int, int, int32_t *);

/* ---- plain C; every version of the whole is compiled for its own processor below ---- */

#define PASS static inline __attribute__((always_inline))

PASS float power_of_e(float x)
{
    x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
    float whole = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
    float rest = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
    float sum = 1.9875691500e-4f;
    sum = sum * rest + 1.3981999507e-3f;
    sum = sum * rest + 8.3334519073e-3f;
    sum = sum * rest + 4.1665795894e-2f;
    sum = sum * rest + 1.6666665459e-1f;
    sum = sum * rest + 5.0000001201e-1f;
    sum = sum * rest * rest + rest + 1.0f;
    union { int32_t bits; float value; } scale = {((int32_t)whole + 127) << 23};
    return sum * scale.value;
}

#ifdef KERNEL_X86
#define FLOATS 8
#else
#define FLOATS 4
#endif
typedef float floats_t __attribute__((vector_size(4 * FLOATS), aligned(4), may_alias)); /* wherever they stand */

typedef float row_t __attribute__((vector_size(4 * LANES), aligned(4), may_alias)); /* for processors with room for so many */

PASS floats_t floats_at(const float *values) { return *(const floats_t *)values; }

/* a float as a number that is greater where the float is: the greatest of many is found side by side */
PASS int32_t placed(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (int32_t)((uint32_t)(bits >> 31) >> 1);
}

PASS float placed_at(int32_t bits)
{
    float value;
    bits ^= (int32_t)((uint32_t)(bits >> 31) >> 1);
    memcpy(&value, &bits, sizeof value);
    return value;
}

PASS float together(floats_t sum)
{
    float each[FLOATS];
    memcpy(each, &sum, sizeof each);
    for (int half = FLOATS / 2; half; half /= 2)
        for (int at = 0; at < half; at++) each[at] += each[at + half];
    return each[0];
}

PASS float total(const float *values, int count) /* count is a multiple of 16 here and below */
{
    floats_t sum = {0}, other = {0};
    for (int at = 0; at < count; at += 2 * FLOATS) {
        sum += floats_at(values + at);
        other += floats_at(values + at + FLOATS);
    }
    return together(sum + other);
}

PASS float product(const float *one, const float *other, int count)
{
    floats_t sum = {0}, sums = {0};
    for (int at = 0; at < count; at += 2 * FLOATS) {
        sum += floats_at(one + at) * floats_at(other + at);
        sums += floats_at(one + at + FLOATS) * floats_at(other + at + FLOATS);
    }
    return together(sum + sums);
}

PASS float byte_product(const int8_t *restrict bytes, const float *values, int count, float *restrict opened)
{
    for (int at = 0; at < count; at++) opened[at] = (float)bytes[at];
    return product(opened, values, count);
}

PASS void normed(float *states, int rows, int width, const float *norm, const float *base)
{
    for (int r = 0; r < rows; r++, states += width) {
        float mean = total(states, width) / (float)width;
        for (int at = 0; at < width; at++) states[at] -= mean;
        float by = 1.0f / sqrtf(product(states, states, width) / (float)width + 1e-12f);
        for (int at = 0; at < width; at++) states[at] = states[at] * by * norm[at] + base[at];
    }
}

PASS void rounded(const float *states, int rows, int width, int16_t *made, float *steps)
{
    for (int r = 0; r < rows; r++, states += width, made += width) {
        int32_t largest = placed(1e-20f);
        for (int at = 0; at < width; at++) {
            int32_t size = placed(fabsf(states[at]));
            largest = size > largest ? size : largest;
        }
        float most = placed_at(largest), by = 32767.0f / most;
        for (int at = 0; at < width; at++) {
            int32_t whole = (int32_t)((states[at] * by + 12582912.0f) - 12582912.0f);
            made[at] = (int16_t)(whole > 32767 ? 32767 : whole < -32767 ? -32767 : whole);
        }
        steps[r] = most / 32767.0f;
    }
}

/* made = states @ weights + offset, and beside where that is given (which may be what is made) */
PASS void summed(
    const int16_t *states, const float *steps, int rows, const weights_t *by, const float *beside, float *made, tile_t tile)
{
    int32_t sums[TILE * GROUP * LANES];
    int apart = by->inputs * LANES, all = by->outputs / LANES;
    for (int first = 0; first < all; first += GROUP) {
        int panels = all - first < GROUP ? all - first : GROUP, outputs = panels * LANES, from = first * LANES;
        for (int part = 0; part < by->inputs; part += PART) {
            int inputs = by->inputs - part < PART ? by->inputs - part : PART;
            const int8_t *panel = by->panels + (size_t)first * apart + (size_t)part * LANES;
            for (int row = 0; row < rows; row += TILE) {
                int some = rows - row < TILE ? rows - row : TILE;
                tile(states + (size_t)row * by->inputs + part, by->inputs, some, panel, apart, panels, inputs / 2, sums);
                for (int r = 0; r < some; r++) {
                    float *out = made + (size_t)(row + r) * by->outputs + from;
                    const float *before = beside ? beside + (size_t)(row + r) * by->outputs + from : NULL;
                    const float *step = by->steps + from, *offset = by->offset + from;
                    const int32_t *sum = sums + r * GROUP * LANES;
                    float scale = steps[row + r];
                    if (part)
                        for (int at = 0; at < outputs; at++) out[at] += (float)sum[at] * (scale * step[at]);
                    else if (before)
                        for (int at = 0; at < outputs; at++)
                            out[at] = (float)sum[at] * (scale * step[at]) + offset[at] + before[at];
                    else
                        for (int at = 0; at < outputs; at++) out[at] = (float)sum[at] * (scale * step[at]) + offset[at];
                }
            }
        }
    }
}

/* scores as shares of one; behind `count`, up to a multiple of 16, stands nothing that counts */
PASS void shared_out(float *scores, int count)
{
    int room = (count + LANES - 1) / LANES * LANES;
    for (int at = count; at < room; at++) scores[at] = -1e30f;
    int32_t largest = INT32_MIN;
    for (int at = 0; at < room; at++) {
        int32_t score = placed(scores[at]);
        largest = score > largest ? score : largest;
    }
    float most = placed_at(largest);
    for (int at = 0; at < room; at++) scores[at] = power_of_e(scores[at] - most);
    for (int at = count; at < room; at++) scores[at] = 0;
    float by = 1.0f / total(scores, room);
    for (int at = 0; at < room; at++) scores[at] *= by;
}

#define EVERY_QUERY(DO) DO(0) DO(1) DO(2) DO(3)
#define QUERIES 4

#define ATTENDED attended
#define ROW floats_t
#include "attended.h"
#define ATTENDED attended_widely
#define ROW row_t
#include "attended.h"

typedef struct {
    float *states, *asked, *mixed, *wide, *keys, *scores, *steps;
    int16_t *rounded;
} room_t;

PASS void finished(const layer_t *layer, int rows, int width, float *states, room_t *room, tile_t tile)
{
    int wide = layer->wide.outputs;
    rounded(room->mixed, rows, width, room->rounded, room->steps);
    summed(room->rounded, room->steps, rows, &layer->mixed, states, states, tile);
    normed(states, rows, width, layer->mixed_norm, layer->mixed_base);
    rounded(states, rows, width, room->rounded, room->steps);
    summed(room->rounded, room->steps, rows, &layer->wide, NULL, room->wide, tile);
    float *restrict inner = room->wide;
    for (int at = 0; at < rows * wide; at++) inner[at] = inner[at] / (1.0f + power_of_e(-1.702f * inner[at]));
    rounded(room->wide, rows, wide, room->rounded, room->steps);
    summed(room->rounded, room->steps, rows, &layer->narrow, states, states, tile);
    normed(states, rows, width, layer->narrow_norm, layer->narrow_base);
}

/* The opening piece of one pair in the last layer, which is asked of nothing else: the question goes through the weights
   of the keys, the states are mixed as they are, and the mixture goes through the weights of the values. */
PASS void opening(const layer_t *layer, int heads, int width, const float *states, int rows, float *mixed, room_t *room)
{
    const weights_t *asked = &layer->asked;
    int size = width / heads;
    float wanted[MOST_WIDTH], looked[MOST_WIDTH], bytes[MOST_WIDTH];
    for (int head = 0; head < heads; head++) {
        memset(wanted, 0, sizeof(float) * (size_t)width);
        for (int s = 0; s < size; s++) {
            int query = head * size + s, key = width + query;
            const int8_t *row = asked->rows + (size_t)query * width, *other = asked->rows + (size_t)key * width;
            float one = byte_product(row, states, width, bytes) * asked->steps[query] + asked->offset[query];
            one *= asked->steps[key] / sqrtf((float)size);
            for (int at = 0; at < width; at++) wanted[at] += one * (float)other[at];
        }
        for (int r = 0; r < rows; r++) room->scores[r] = product(wanted, states + (size_t)r * width, width);
        shared_out(room->scores, rows);
        memset(looked, 0, sizeof(float) * (size_t)width);
        for (int r = 0; r < rows; r++) {
            const float *state = states + (size_t)r * width;
            float share = room->scores[r];
            for (int at = 0; at < width; at++) looked[at] += share * state[at];
        }
        for (int s = 0; s < size; s++) {
            int value = 2 * width + head * size + s;
            float sum = byte_product(asked->rows + (size_t)value * width, looked, width, bytes);
            mixed[head * size + s] = sum * asked->steps[value] + asked->offset[value];
        }
    }
}

PASS void averaged(const float *states, int rows, int width, float *made)
{
    memset(made, 0, sizeof(float) * (size_t)width);
    for (int r = 0; r < rows; r++)
        for (int at = 0; at < width; at++) made[at] += states[(size_t)r * width + at];
    for (int at = 0; at < width && rows; at++) made[at] /= (float)rows;
}

PASS void entered(const reader_t *of, const reading_t *read, int from, int until, float *states)
{
    int width = of->width;
    for (int t = 0; t < read->texts; t++) {
        int begin = read->spans[3 * t], end = read->spans[3 * t + 2];
        if (begin < from || end > until) continue;
        for (int at = begin; at < end; at++) {
            int piece = read->pieces[at];
            const int8_t *word = of->words + (size_t)piece * width;
            const float *seat = of->seated + (size_t)(at - begin) * width;
            float step = of->steps[piece], *state = states + (size_t)(at - from) * width;
            float marks[MOST_WIDTH];
            memset(marks, 0, sizeof(float) * (size_t)width);
            for (uint64_t mask = read->masks[at]; mask; mask &= mask - 1) {
                const float *mark = of->marked + (size_t)__builtin_ctzll(mask) * width;
                for (int s = 0; s < width; s++) marks[s] += mark[s];
            }
            for (int s = 0; s < width; s++) state[s] = (float)word[s] * step + seat[s] + marks[s];
        }
    }
    normed(states, until - from, width, of->norm, of->base);
}

/* the texts from `first` to before `last`, whose pieces stand side by side */
PASS void pass(const reader_t *of, const reading_t *read, int first, int last, room_t *room, tile_t tile, int widely)
{
    int width = of->width, from = read->spans[3 * first], until = read->spans[3 * last - 1], rows = until - from;
    const layer_t *closing = read->openings ? of->layer + of->layers - 1 : NULL;
    entered(of, read, from, until, room->states);
    for (int number = 0; number < of->layers - !!closing; number++) {
        const layer_t *layer = of->layer + number;
        rounded(room->states, rows, width, room->rounded, room->steps);
        summed(room->rounded, room->steps, rows, &layer->asked, NULL, room->asked, tile);
        for (int t = first; t < last; t++) {
            int begin = read->spans[3 * t] - from, end = read->spans[3 * t + 2] - from;
            const float *asked = room->asked + (size_t)begin * 3 * width;
            float *mixed = room->mixed + (size_t)begin * width;
            if (widely)
                attended_widely(asked, end - begin, width, of->heads, mixed, room->keys, room->scores);
            else
                attended(asked, end - begin, width, of->heads, mixed, room->keys, room->scores);
        }
        finished(layer, rows, width, room->states, room, tile);
    }
    for (int t = first; t < last; t++) {
        int begin = read->spans[3 * t] - from, middle = read->spans[3 * t + 1] - from, end = read->spans[3 * t + 2] - from;
        const float *states = room->states + (size_t)begin * width;
        if (!closing) {
            float *made = read->made + (size_t)t * 2 * width;
            memcpy(made, states, sizeof(float) * (size_t)width);
            averaged(states, end - begin, width, made + width);
            continue;
        }
        float *made = read->made + (size_t)t * 3 * width, second[MOST_WIDTH];
        averaged(states + width, middle - begin > 2 ? middle - begin - 2 : 0, width, made + width);
        memset(made + 2 * width, 0, sizeof(float) * (size_t)width);
        if (end - middle > 1) {
            averaged(room->states + (size_t)middle * width, end - middle - 1, width, second);
            for (int at = 0; at < width; at++) {
                made[2 * width + at] = made[width + at] * second[at];
                made[width + at] -= second[at];
            }
        }
        memcpy(room->asked + (size_t)(t - first) * width, states, sizeof(float) * (size_t)width);
        opening(closing, of->heads, width, states, end - begin, room->mixed + (size_t)(t - first) * width, room);
    }
    if (closing) {
        finished(closing, last - first, width, room->asked, room, tile);
        for (int t = first; t < last; t++)
            memcpy(read->made + (size_t)t * 3 * width, room->asked + (size_t)(t - first) * width, sizeof(float) * (size_t)width);
    }
}

typedef void (*pass_t)(const reader_t *, const reading_t *, int, int, room_t *);

static void pass_anywhere(const reader_t *of, const reading_t *read, int first, int last, room_t *room)
{
    pass(of, read, first, last, room, tile_anywhere, 0);
}

#ifdef KERNEL_X86
__attribute__((target("avx2,fma"))) static void pass_avx2(
    const reader_t *of, const reading_t *read, int first, int last, room_t *room)
{
    pass(of, read, first, last, room, tile_avx2, 0);
}

__attribute__((target(VNNI))) static void pass_vnni(
    const reader_t *of, const reading_t *read, int first, int last, room_t *room)
{
    pass(of, read, first, last, room, tile_vnni, 1);
}
#endif

static const pass_t PASSES[] = {
    pass_anywhere,
#ifdef KERNEL_X86
    pass_avx2, pass_vnni,
#endif
};

int8_t *reader_panels(const int8_t *rows, int outputs, int inputs)
{
    int8_t *made = malloc((size_t)outputs * (size_t)inputs), *at = made;
    if (!made) return NULL;
    for (int panel = 0; panel < outputs; panel += LANES)
        for (int pair = 0; pair < inputs; pair += 2)
            for (int lane = 0; lane < LANES; lane++)
                for (int one = 0; one < 2; one++) *at++ = rows[(size_t)(panel + lane) * (size_t)inputs + (size_t)(pair + one)];
    return made;
}

int reader_read(const reader_t *of, const reading_t *read, int processor)
{
    int most = 1, width = of->width, wide = of->wide > 3 * width ? of->wide : 3 * width;
    for (int t = 0; t < read->texts; t++) {
        int rows = read->spans[3 * t + 2] - read->spans[3 * t];
        most = rows > most ? rows : most;
    }
    size_t rows = (size_t)(most > BLOCK_ROWS ? most : BLOCK_ROWS), long_rows = (size_t)(most + LANES);
    size_t floats = rows * (size_t)(2 * width + 3 * width + of->wide + 1) + long_rows * (HEAD + QUERIES);
    float *block = malloc(sizeof(float) * floats + sizeof(int16_t) * rows * (size_t)wide);
    if (!block) return -1;
    room_t room;
    room.states = block;
    room.mixed = room.states + rows * (size_t)width;
    room.asked = room.mixed + rows * (size_t)width;
    room.wide = room.asked + rows * (size_t)(3 * width);
    room.steps = room.wide + rows * (size_t)of->wide;
    room.keys = room.steps + rows;
    room.scores = room.keys + long_rows * HEAD;
    room.rounded = (int16_t *)(room.scores + QUERIES * long_rows);
    for (int first = 0, last; first < read->texts; first = last) {
        for (last = first + 1; last < read->texts; last++)
            if (read->spans[3 * last + 2] - read->spans[3 * first] > (int)rows) break;
        PASSES[processor](of, read, first, last, &room);
    }
    free(block);
    return 0;
}
