/* What the parts of the kernel share. */
#ifndef PALAZZO_KERNEL_H
#define PALAZZO_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define KERNEL_X86 1
#define VNNI "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni,avx2,fma"
#endif

/* ---- products.c ---- */
#define LANES 16 /* outputs of a panel */
#define GROUP 4  /* panels that are summed together */
#define TILE 6   /* rows of states that are summed together */

/* rows of int16 states (`stride` apart) against `panels` panels (`apart` bytes apart), `pairs` pairs of inputs */
void tile_anywhere(const int16_t *, int stride, int rows, const int8_t *, int apart, int panels, int pairs, int32_t *);
#ifdef KERNEL_X86
void tile_avx2(const int16_t *, int stride, int rows, const int8_t *, int apart, int panels, int pairs, int32_t *);
void tile_vnni(const int16_t *, int stride, int rows, const int8_t *, int apart, int panels, int pairs, int32_t *);
#endif

/* ---- reader.c ---- */
#define MOST_WIDTH 1024
#define HEAD 32 /* floats of a state that one head of attention looks at */

typedef struct {
    int outputs, inputs;
    int8_t *panels;     /* [outputs / 16][inputs / 2][16][2] */
    const int8_t *rows; /* [outputs][inputs], as they stand in the file */
    const float *steps, *offset;
} weights_t;

typedef struct {
    weights_t asked, mixed, wide, narrow;
    const float *mixed_norm, *mixed_base, *narrow_norm, *narrow_base;
} layer_t;

typedef struct {
    int width, wide, heads, layers, pieces, seats, marks;
    const int8_t *words;                                 /* [pieces][width] */
    const float *steps, *seated, *marked, *norm, *base;  /* of words; [seats][width]; [marks][width] */
    layer_t *layer;
} reader_t;

typedef struct {
    int texts, openings;    /* whether the last layer is asked of opening pieces alone */
    const int32_t *pieces;  /* of all texts, side by side */
    const uint64_t *masks;  /* which marks each has */
    const int32_t *spans;   /* begin, middle and end of each text */
    float *made;            /* [texts][3 * width], or [texts][2 * width] where all layers are read in full */
} reading_t;

int8_t *reader_panels(const int8_t *rows, int outputs, int inputs); /* NULL without memory */
int reader_read(const reader_t *, const reading_t *, int processor); /* -1 without memory */

/* ---- scan.c ---- */
typedef struct {
    size_t codes, words;
    const uint64_t *code, *sign, *mask; /* [words][codes]; [words]; [words] */
    uint8_t *narrow;                    /* [codes], where no sum is over 255 */
    uint16_t *wide;                     /* [codes], otherwise */
} scan_t;

int scan_versions(void); /* how many of the versions run here: for any processor, with popcnt, with AVX-512 VPOPCNTDQ */
void scan_codes(const scan_t *, int version);

/* ---- shortlist.c ---- */
#define MOST_WORDS 128 /* of a code */

typedef struct {
    size_t codes;
    const int64_t *revision; /* [codes] */
    const uint64_t *code;    /* [words][codes] */
} piece_t;

typedef struct {
    size_t pieces, words, room, count; /* how many there may be, and are */
    const piece_t *piece;
    const uint64_t *sign, *mask; /* [words] */
    const float *lookup;         /* [words * 8][256] */
    int64_t *found;              /* [room] */
    float *promised;             /* [room] */
} shortlist_t;

int shortlist_codes(shortlist_t *, int version); /* -1 without memory */

/* ---- postings.c ---- */
typedef struct {
    size_t slots, first;    /* how many documents, and the place of the first among those of all parts */
    const uint16_t *length; /* [slots]; nothing of a part that no list is of */
} part_t;

typedef struct {
    size_t part, count;
    const uint32_t *packed; /* [count], ascending: a slot, and how often it has the term in eight bits */
} list_t;

typedef struct {
    double weight, bound;
    size_t frequency, lists;
    const list_t *list; /* in order of their parts */
} term_t;

typedef struct {
    size_t docs, parts, terms, wanted, budget, few, rescore, count;
    const part_t *part;
    const term_t *term; /* the rarest first */
    double base, slope;
    float *sums;      /* [docs], all of them 0 before and after */
    uint32_t *places; /* [docs]: of those found, ascending */
    float *scores;    /* [docs] */
} postings_t;

int postings_best(postings_t *); /* -1 without memory, where it cannot be sure, or where a list names what is not there */
int postings_earned(const postings_t *, size_t count, float *made); /* [terms][count], for the places given */

#endif
