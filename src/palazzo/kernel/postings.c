/* BM25 over lists of postings: which documents are best, and what each term adds to some of them (the same as
   store/index/text/scoring.py in numpy, which passes over all documents for each of a dozen questions; here only what a
   list names is touched). Every figure is rounded where numpy rounds it, so that both give the very same scores. Knows
   nothing of Python; module.c checks what comes in. */

#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

static const float SLACK = (float)(1 - 1e-5);

/* The number-th highest of some values, which are put into another order; there are at least so many. */
static float nth_highest(float *values, size_t count, size_t number)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, wanted = (ptrdiff_t)number - 1;
    while (low < high) {
        ptrdiff_t left = low, right = high;
        float middle = values[wanted];
        do {
            while (values[left] > middle) left++;
            while (values[right] < middle) right--;
            if (left <= right) {
                float kept = values[left];
                values[left++] = values[right];
                values[right--] = kept;
            }
        } while (left <= right);
        if (right < wanted) low = left;
        if (wanted < left) high = right;
    }
    return values[wanted];
}

static size_t fold_width(size_t number) { return 8 * number > 1024 ? 8 * number : 1024; }

/* At most the number-th highest of all sums, of which those at `touched` are not 0; `fold` is as wide as a fold. */
static float highest_sum(const postings_t *of, const uint32_t *touched, size_t count, float *fold)
{
    size_t width = fold_width(of->wanted), folded = 0;
    if (of->docs >= 2 * width) {
        size_t end = of->docs / width * width;
        memset(fold, 0, width * sizeof *fold);
        for (size_t at = 0; at < count; at++) {
            float *best = fold + touched[at] % width, sum = of->sums[touched[at]];
            if (touched[at] < end && sum > *best) *best = sum;
        }
        for (size_t at = 0; at < width; at++)
            if (fold[at] > 0) fold[folded++] = fold[at];
    } else {
        for (size_t at = 0; at < count; at++) fold[folded++] = of->sums[touched[at]];
    }
    return folded < of->wanted ? 0 : nth_highest(fold, folded, of->wanted);
}

/* The same of the scores found. */
static float highest_score(const postings_t *of, float *fold)
{
    size_t width = fold_width(of->wanted), count = of->count;
    if (count >= 2 * width) {
        size_t end = count / width * width;
        memcpy(fold, of->scores, width * sizeof *fold);
        for (size_t at = width; at < end; at++)
            if (of->scores[at] > fold[at % width]) fold[at % width] = of->scores[at];
        count = width;
    } else {
        memcpy(fold, of->scores, count * sizeof *fold);
    }
    return count < of->wanted ? 0 : nth_highest(fold, count, of->wanted);
}

/* Adds up a term; how many documents have a sum now, or -1 where a posting names one that is not there. */
static ptrdiff_t added(const postings_t *of, const term_t *term, ptrdiff_t touched)
{
    float base = (float)of->base, slope = (float)of->slope, weight = (float)term->weight;
    for (size_t number = 0; number < term->lists; number++) {
        const list_t *list = term->list + number;
        const part_t *part = of->part + list->part;
        for (size_t at = 0; at < list->count; at++) {
            size_t slot = list->packed[at] >> 8;
            if (slot >= part->slots) return -1;
            float count = (float)(list->packed[at] & 255), divisor = (float)part->length[slot] * slope;
            divisor += base;
            divisor += count;
            float *sum = of->sums + part->first + slot;
            if (*sum == 0) {
                if ((size_t)touched == of->docs) return -1;
                of->places[touched++] = (uint32_t)(part->first + slot);
            }
            *sum += count / divisor * weight;
        }
    }
    return touched;
}

/* Puts places into ascending order, by eight bits at a time. */
static int in_order(uint32_t *places, size_t count, size_t docs)
{
    uint32_t *other = malloc((count ? count : 1) * sizeof *other), *from = places, *into = other;
    if (!other) return -1;
    for (int shift = 0; shift < 32 && docs >> shift; shift += 8) {
        size_t starts[257] = {0};
        for (size_t at = 0; at < count; at++) starts[(from[at] >> shift & 255) + 1]++;
        for (size_t key = 1; key < 257; key++) starts[key] += starts[key - 1];
        for (size_t at = 0; at < count; at++) into[starts[from[at] >> shift & 255]++] = from[at];
        uint32_t *kept = from;
        from = into;
        into = kept;
    }
    if (from != places) memcpy(places, from, count * sizeof *places);
    free(other);
    return 0;
}

/* What a term adds to each of these places, which are in ascending order. */
static void earned(const postings_t *of, const term_t *term, const uint32_t *places, size_t count, double *made)
{
    size_t at = 0, number = 0;
    for (size_t part = 0; part < of->parts; part++) {
        const part_t *from = of->part + part;
        while (number < term->lists && term->list[number].part < part) number++;
        const list_t *list = number < term->lists && term->list[number].part == part ? term->list + number : NULL;
        size_t passed = 0;
        for (; at < count && places[at] - from->first < from->slots; at++) {
            uint32_t slot = places[at] - (uint32_t)from->first;
            made[at] = 0;
            if (!list) continue;
            size_t low = passed, high = list->count;
            while (low < high) {
                size_t middle = low + (high - low) / 2;
                if (list->packed[middle] >> 8 < slot) low = middle + 1;
                else high = middle;
            }
            passed = low;
            if (low == list->count || list->packed[low] >> 8 != slot) continue;
            double found = list->packed[low] & 255, divisor = of->slope * from->length[slot];
            divisor = found + (of->base + divisor);
            made[at] = term->weight * (found / (divisor == 0 && of->base <= 0 ? 1 : divisor));
        }
    }
}

/* The places that may be among the best and what the first terms add to each; how many terms those are, or -1. */
static ptrdiff_t summed(postings_t *of, float *fold, ptrdiff_t *touched, double *least)
{
    double bound = 0, reach = 0;
    size_t ahead = 0, spent = 0;
    for (size_t number = 0; number < of->terms; number++) {
        ahead += of->term[number].frequency;
        bound += of->term[number].bound;
    }
    for (size_t number = 0; number < of->terms; number++) {
        const term_t *term = of->term + number;
        int dear = spent + term->frequency > of->budget;
        if (spent && (dear || (reach > bound && ahead > of->few && ahead * 8 > of->docs))) {
            double threshold = (double)(highest_sum(of, of->places, (size_t)*touched, fold) * SLACK);
            if (threshold > bound) {
                size_t candidates = 0;
                float enough = (float)(threshold - bound);
                for (ptrdiff_t at = 0; at < *touched; at++) candidates += of->sums[of->places[at]] >= enough;
                if (candidates * (of->terms - number) * of->rescore < ahead) {
                    *least = threshold;
                    return (ptrdiff_t)number;
                }
            }
            if (threshold > 0 && dear) return -1;
        }
        if ((*touched = added(of, term, *touched)) < 0) return -1;
        spent += term->frequency;
        ahead -= term->frequency;
        bound -= term->bound;
        reach += term->bound;
    }
    *least = spent > of->few ? (double)(highest_sum(of, of->places, (size_t)*touched, fold) * SLACK) : 0;
    return (ptrdiff_t)of->terms;
}

static double bounds_from(const postings_t *of, size_t number)
{
    double bound = 0;
    for (; number < of->terms; number++) bound += of->term[number].bound;
    return bound;
}

int postings_best(postings_t *of)
{
    size_t width = 2 * fold_width(of->wanted);
    float *fold = malloc(width * sizeof *fold);
    double *more = NULL, least = 0;
    ptrdiff_t touched = 0, some, failed = -1;
    if (!fold) return -1;
    if ((some = summed(of, fold, &touched, &least)) >= 0) {
        double threshold = least - bounds_from(of, (size_t)some);
        float enough = (float)threshold;
        of->count = 0;
        for (ptrdiff_t at = 0; at < touched; at++) {
            uint32_t place = of->places[at];
            if (threshold > 0 ? of->sums[place] >= enough : of->sums[place] > 0) of->places[of->count++] = place;
            else of->sums[place] = 0;
        }
        failed = in_order(of->places, of->count, of->docs) || !(more = malloc((of->count ? of->count : 1) * sizeof *more));
        size_t chosen = of->count;
        of->count = 0;
        for (size_t at = 0; at < chosen; at++) { /* what was nothing at first came twice */
            uint32_t place = of->places[at];
            if (of->sums[place] == 0) continue;
            of->places[of->count] = place;
            of->scores[of->count++] = of->sums[place];
            of->sums[place] = 0;
        }
        for (size_t number = (size_t)some; !failed && number < of->terms; number++) {
            earned(of, of->term + number, of->places, of->count, more);
            for (size_t at = 0; at < of->count; at++) of->scores[at] += (float)more[at];
            if (of->count <= 4 * of->wanted) continue;
            float last = highest_score(of, fold) * SLACK - (float)bounds_from(of, number + 1);
            size_t kept = 0;
            for (size_t at = 0; at < of->count; at++)
                if (of->scores[at] >= last) {
                    of->places[kept] = of->places[at];
                    of->scores[kept++] = of->scores[at];
                }
            of->count = kept;
        }
    } else { /* left to whoever asks; the sums are for the next one */
        memset(of->sums, 0, of->docs * sizeof *of->sums);
    }
    free(more);
    free(fold);
    return failed ? -1 : 0;
}

int postings_earned(const postings_t *of, size_t count, float *made)
{
    double *more = malloc((count ? count : 1) * sizeof *more);
    if (!more) return -1;
    memset(more, 0, count * sizeof *more);
    for (size_t number = 0; number < of->terms; number++) {
        earned(of, of->term + number, of->places, count, more);
        for (size_t at = 0; at < count; at++) made[number * count + at] = (float)more[at];
    }
    free(more);
    return 0;
}
