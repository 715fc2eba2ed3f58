/* Words of texts in plain letters, in one pass where a pattern tries each of its forms at each letter; and the lists of
   terms as the text index keeps them. */

#include "module.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TERMS 256 /* of a longer text it is counted elsewhere */

static int is_small(char sign) { return sign >= 'a' && sign <= 'z'; }
static int is_figure(char sign) { return sign >= '0' && sign <= '9'; }

static uint32_t checksum(const char *text, size_t size)
{
    static uint32_t steps[256];
    static int known = 0;
    if (!known) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t step = byte;
            for (int bit = 0; bit < 8; bit++) step = step >> 1 ^ (step & 1 ? 0xEDB88320u : 0);
            steps[byte] = step;
        }
        known = 1;
    }
    uint32_t sum = ~0u;
    for (size_t at = 0; at < size; at++) sum = sum >> 8 ^ steps[(sum ^ (unsigned char)text[at]) & 255];
    return ~sum;
}

/* Behind letters and figures: letters joined to them by an apostrophe. */
static size_t joined_end(const char *text, size_t size, size_t end)
{
    while (end + 1 < size && text[end] == '\'' && is_small(text[end + 1]))
        for (end++; end < size && is_small(text[end]);) end++;
    return end;
}

/* Where the term ends that begins here; where none does, the same place. */
static size_t term_end(const char *text, size_t size, size_t at)
{
    size_t end = at;
    if (is_small(text[at])) {
        while (end < size && is_small(text[end])) end++;
        if (end == size || !(text[end] == '\'' || text[end] == '+' || text[end] == '#' || is_figure(text[end]))) return end;
        if (text[at] == 'c' && at + 2 < size && text[at + 1] == '+' && text[at + 2] == '+') return at + 3;
        if ((text[at] == 'c' || text[at] == 'f') && text[at + 1] == '#') return at + 2;
    } else if (is_figure(text[at])) {
        while (end < size && is_figure(text[end])) end++;
        if (end + 1 < size && (text[end] == '.' || text[end] == ',') && is_figure(text[end + 1])) {
            while (end + 1 < size && (text[end] == '.' || text[end] == ',') && is_figure(text[end + 1]))
                for (end++; end < size && is_figure(text[end]);) end++;
            return end;
        }
    } else {
        return at;
    }
    while (end < size && (is_small(text[end]) || is_figure(text[end]))) end++;
    return joined_end(text, size, end);
}

/* What a mapping has for a word; one that makes what it lacks is asked to. A new reference. */
static PyObject *looked_up(PyObject *known, PyObject *word)
{
    PyObject *found = PyDict_Check(known) ? PyDict_GetItemWithError(known, word) : NULL;
    if (found != NULL) return Py_NewRef(found);
    return PyErr_Occurred() ? NULL : PyObject_GetItem(known, word);
}

PyObject *terms_in(PyObject *self, PyObject *arguments)
{
    PyObject *known, *told;
    Py_ssize_t length;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OU", &known, &told)) return NULL;
    const char *text = PyUnicode_AsUTF8AndSize(told, &length);
    PyObject *made = text == NULL ? NULL : PyList_New(0);
    const size_t size = (size_t)length;
    for (size_t at = 0; made != NULL && at < size;) {
        const size_t end = term_end(text, size, at);
        if (end == at) {
            at++;
            continue;
        }
        PyObject *word = PyUnicode_FromStringAndSize(text + at, (Py_ssize_t)(end - at));
        PyObject *terms = word == NULL ? NULL : looked_up(known, word);
        Py_XDECREF(word);
        int failed = terms == NULL || !PyTuple_Check(terms);
        if (terms != NULL && failed) PyErr_SetString(PyExc_TypeError, "the terms of a word are a tuple");
        for (Py_ssize_t one = 0; !failed && one < PyTuple_Size(terms); one++)
            failed = PyList_Append(made, PyTuple_GetItem(terms, one));
        Py_XDECREF(terms);
        if (failed) Py_CLEAR(made);
        at = end;
    }
    return made;
}

PyObject *plain_words(PyObject *self, PyObject *told)
{
    Py_ssize_t length;
    (void)self;
    const char *text = PyUnicode_AsUTF8AndSize(told, &length);
    if (text == NULL) PyErr_Clear(); /* half a character */
    const size_t size = (size_t)length;
    char *low = text == NULL || PyUnicode_GetLength(told) != length ? NULL : malloc(size + 1);
    for (size_t at = 0; low != NULL && at < size; at++) {
        if (is_figure(text[at]) || text[at] == '_' || text[at] == '|') {
            free(low);
            low = NULL;
        } else {
            low[at] = text[at] >= 'A' && text[at] <= 'Z' ? (char)(text[at] + 32) : text[at];
        }
    }
    if (low == NULL) Py_RETURN_NONE;
    PyObject *made = PyList_New(0);
    for (size_t at = 0; made != NULL && at < size;) {
        size_t end = at;
        while (end < size && is_small(low[end])) end++;
        if (end == at) {
            at++;
            continue;
        }
        end = joined_end(low, size, end);
        PyObject *word = PyUnicode_FromStringAndSize(low + at, (Py_ssize_t)(end - at));
        if (word == NULL || PyList_Append(made, word)) Py_CLEAR(made);
        Py_XDECREF(word);
        at = end;
    }
    free(low);
    PyObject *words = made == NULL ? NULL : PyList_AsTuple(made);
    Py_XDECREF(made);
    return words;
}

PyObject *runs_in(PyObject *self, PyObject *arguments)
{
    PyObject *told;
    int joint;
    Py_ssize_t length;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Up", &told, &joint)) return NULL;
    const char *text = PyUnicode_AsUTF8AndSize(told, &length);
    if (text == NULL) PyErr_Clear(); /* half a character */
    if (text == NULL || PyUnicode_GetLength(told) != length) Py_RETURN_NONE;
    PyObject *made = PyList_New(0);
    for (Py_ssize_t at = 0, end; made != NULL && at < length; at = end > at ? end : at + 1) {
        for (end = at; end < length && (is_small((char)(text[end] | 32)) || is_figure(text[end]) || (joint && text[end] == '_'));) end++;
        PyObject *run = end == at ? NULL : PyUnicode_FromStringAndSize(text + at, end - at);
        if (end > at && (run == NULL || PyList_Append(made, run))) Py_CLEAR(made);
        Py_XDECREF(run);
    }
    return made;
}

static char *put32(char *to, uint32_t value)
{
    for (int byte = 0; byte < 4; byte++) *to++ = (char)(value >> 8 * byte);
    return to;
}

PyObject *packed_terms(PyObject *self, PyObject *terms)
{
    uint32_t seen[MOST_TERMS], counts[MOST_TERMS];
    char blob[MOST_TERMS * 5 + 2], *to = blob;
    size_t distinct = 0;
    uint32_t repeated = 0;
    (void)self;
    const Py_ssize_t count = PyList_Check(terms) ? PyList_Size(terms) : -1;
    if (count < 0 || count > MOST_TERMS) Py_RETURN_NONE;
    for (Py_ssize_t at = 0; at < count; at++) {
        Py_ssize_t size;
        const char *term = PyUnicode_AsUTF8AndSize(PyList_GetItem(terms, at), &size);
        if (term == NULL) { /* half a character */
            PyErr_Clear();
            Py_RETURN_NONE;
        }
        const uint32_t hash = checksum(term, (size_t)size);
        size_t place = 0;
        while (place < distinct && seen[place] != hash) place++;
        if (place == distinct) {
            seen[distinct] = hash;
            counts[distinct++] = 1;
        } else if (++counts[place] == 2) {
            repeated++;
        }
    }
    for (int often = 1; often >= 0; often--)
        for (size_t place = 0; place < distinct; place++)
            if ((counts[place] > 1) == often) to = put32(to, seen[place]);
    for (size_t place = 0; place < distinct; place++)
        if (counts[place] > 1) *to++ = (char)(counts[place] > 255 ? 255 : counts[place]);
    *to++ = (char)repeated;
    *to++ = (char)(repeated >> 8);
    return PyBytes_FromStringAndSize(blob, to - blob);
}
