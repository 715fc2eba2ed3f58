/* Exact products of a query with stored vectors of half precision, each a row of its own somewhere (the same as
   store/index/vector/codes.py in numpy, which puts them side by side and widens them first). Sums are made in the order
   numpy makes them, four lanes and four steps at once, so that both say the same. */

#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef KERNEL_X86
#include <immintrin.h>
#endif

#define WIDE 4  /* lanes that are summed side by side */
#define STEP 16 /* numbers of one step: the lanes four times, the last of them added first */

static float widened(uint16_t half)
{
    uint32_t bits = (uint32_t)(int32_t)(int16_t)half << 13 & 0x8FFFE000u;
    float found;
    memcpy(&found, &bits, sizeof found);
    return found * 0x1p112f;
}

static float summed(const float *lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

/* What is left of a row behind its whole steps. */
static float ended(float *lanes, const uint16_t *row, const float *query, size_t at, size_t size)
{
    for (; at < size; at += WIDE)
        for (size_t lane = 0; lane < WIDE && at + lane < size; lane++)
            lanes[lane] += widened(row[at + lane]) * query[at + lane];
    return summed(lanes);
}

static float dot_anywhere(const uint16_t *row, const float *query, size_t size)
{
    float lanes[WIDE] = {0};
    size_t at = 0;
    for (; at + STEP <= size; at += STEP)
        for (size_t part = STEP; part; part -= WIDE)
            for (size_t lane = 0; lane < WIDE; lane++) {
                size_t here = at + part - WIDE + lane;
                lanes[lane] += widened(row[here]) * query[here];
            }
    return ended(lanes, row, query, at, size);
}

#ifdef KERNEL_X86
#define ROWS 4 /* rows that are summed in turn: each sum waits for the one before it */

__attribute__((target("avx,f16c"))) static __m128 added(__m128 sum, const uint16_t *row, __m128 part)
{
    __m128 wide = _mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)row));
    return _mm_add_ps(_mm_mul_ps(wide, part), sum);
}

__attribute__((target("avx,f16c"))) static void dots_f16c(const uint16_t *const *rows, const float *query, size_t size,
                                                          float *made)
{
    __m128 sums[ROWS];
    float lanes[WIDE];
    size_t at = 0;
    for (size_t row = 0; row < ROWS; row++) sums[row] = _mm_setzero_ps();
    for (; at + STEP <= size; at += STEP)
        for (size_t part = STEP; part; part -= WIDE) {
            size_t here = at + part - WIDE;
            __m128 asked = _mm_loadu_ps(query + here);
            for (size_t row = 0; row < ROWS; row++) sums[row] = added(sums[row], rows[row] + here, asked);
        }
    for (size_t row = 0; row < ROWS; row++) {
        _mm_storeu_ps(lanes, sums[row]);
        made[row] = ended(lanes, rows[row], query, at, size);
    }
}
#endif

static int is_zero(const uint16_t *row, size_t size)
{
    for (size_t at = 0; at < size; at++)
        if (row[at] & 0x7FFF) return 0;
    return 1;
}

static void every_dot(const uint16_t *const *rows, size_t count, const float *query, size_t size, int bounded, float *made)
{
    size_t at = 0;
#ifdef KERNEL_X86
    if (__builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c"))
        for (; at + ROWS <= count; at += ROWS) {
            for (size_t ahead = at + ROWS; ahead < at + 2 * ROWS && ahead < count; ahead++)
                for (size_t line = 0; line < size; line += 32) __builtin_prefetch(rows[ahead] + line);
            dots_f16c(rows + at, query, size, made + at);
        }
#endif
    for (; at < count; at++) made[at] = dot_anywhere(rows[at], query, size);
    for (at = 0; at < count; at++) {
        if (made[at] == 0 && is_zero(rows[at], size)) made[at] = -INFINITY;
        else if (bounded) made[at] = made[at] > 1 ? 1 : made[at] < -1 ? -1 : made[at];
    }
}

/* Rows as bytes in a list, nothing where there is none; the query; what is made: a number for each, none where none. */
PyObject *dots(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *from, *query, *made, *answer = NULL;
    int bounded;
    if (!PyArg_ParseTuple(arguments, "O!OOp", &PyList_Type, &from, &query, &made, &bounded)) return NULL;
    size_t count = (size_t)PyList_Size(from), there = 0;
    Py_buffer asked = {0}, told = {0};
    if (PyObject_GetBuffer(query, &asked, PyBUF_C_CONTIGUOUS)) return NULL;
    size_t size = (size_t)asked.len / sizeof(float);
    const uint16_t **rows = malloc((count + 1) * sizeof *rows);
    size_t *places = malloc((count + 1) * sizeof *places);
    float *found = malloc((count + 1) * sizeof *found);
    if (!rows || !places || !found) PyErr_NoMemory();
    else if (!taken(made, &told, 1, count * sizeof(float), "what is made")) {
        for (size_t at = 0; at < count && !PyErr_Occurred(); at++) {
            PyObject *row = PyList_GetItem(from, (Py_ssize_t)at);
            char *data;
            Py_ssize_t bytes;
            ((float *)told.buf)[at] = NAN;
            if (row == Py_None || PyBytes_AsStringAndSize(row, &data, &bytes)) continue;
            if ((size_t)bytes != size * sizeof(uint16_t)) PyErr_SetString(PyExc_ValueError, "a row of another length");
            rows[there] = (const uint16_t *)(const void *)data;
            places[there++] = at;
        }
        if (!PyErr_Occurred()) {
            every_dot(rows, there, asked.buf, size, bounded, found);
            for (size_t at = 0; at < there; at++) ((float *)told.buf)[places[at]] = found[at];
            answer = Py_NewRef(Py_None);
        }
    }
    if (told.obj) PyBuffer_Release(&told);
    PyBuffer_Release(&asked);
    free(rows);
    free(places);
    free(found);
    return answer;
}
