/* How many tokens a text will count, by the likely ones in it: what the pattern of text/words/tokens.py finds in a text
   in plain letters, in one pass. */

#include "module.h"

#include <string.h>

enum { OTHER, LOWER, UPPER, DIGIT, LINE, BLANK, JOINT, SPACE };

static unsigned char kind_of(unsigned char sign)
{
    if (sign >= 'a' && sign <= 'z') return LOWER;
    if (sign >= 'A' && sign <= 'Z') return UPPER;
    if (sign >= '0' && sign <= '9') return DIGIT;
    if (sign == '\n') return LINE;
    if (sign == ' ' || sign == '\t') return BLANK;
    if (sign == '_') return JOINT;
    if ((sign >= 0x0b && sign <= 0x0d) || (sign >= 0x1c && sign <= 0x1f)) return SPACE;
    return OTHER;
}

/* Humps of words, capitals by four, figures by two, signs by three, lines, joints, and runs of blanks. */
static void count(const char *text, size_t size, const unsigned char *kinds, long *units, long *lengthy, long *longest)
{
    size_t at = 0;
    while (at < size) {
        const unsigned char kind = kinds[(unsigned char)text[at]];
        size_t end = at + 1;
        switch (kind) {
        case UPPER:
            if (end < size && kinds[(unsigned char)text[end]] == LOWER) break; /* a hump, as below */
            while (end < size && end - at < 4 && kinds[(unsigned char)text[end]] == UPPER) end++;
            ++*units;
            at = end;
            continue;
        case LOWER:
            break;
        case DIGIT:
        case OTHER:
            while (end < size && end - at < (kind == DIGIT ? 2u : 3u) && kinds[(unsigned char)text[end]] == kind) end++;
            ++*units;
            at = end;
            continue;
        default:
            while (end < size && kinds[(unsigned char)text[end]] == kind) end++;
            if (kind == LINE || kind == JOINT || (kind == BLANK && end - at > 1)) ++*units;
            at = end;
            continue;
        }
        while (end < size && kinds[(unsigned char)text[end]] == LOWER) end++;
        ++*units;
        at = end;
    }
    for (at = 0; at < size;) { /* words of a letter and six small ones or more */
        size_t end = at + 1;
        const unsigned char kind = kinds[(unsigned char)text[at]];
        if (kind != LOWER && kind != UPPER) {
            at = end;
            continue;
        }
        while (end < size && kinds[(unsigned char)text[end]] == LOWER) end++;
        if (end - at > 6) {
            ++*lengthy;
            if (end - at > 10) ++*longest;
        }
        at = end;
    }
}

PyObject *count_units(PyObject *self, PyObject *text)
{
    static unsigned char kinds[256];
    static int known = 0;
    (void)self;
    if (!known) {
        for (int sign = 0; sign < 256; sign++) kinds[sign] = kind_of((unsigned char)sign);
        known = 1;
    }
    Py_ssize_t size;
    const char *plain = PyUnicode_AsUTF8AndSize(text, &size);
    if (plain == NULL) return NULL;
    long units = 0, lengthy = 0, longest = 0;
    count(plain, (size_t)size, kinds, &units, &lengthy, &longest);
    return Py_BuildValue("(lll)", units, lengthy, longest);
}
