/* Which groups of words stand in a text, letter by letter: one pass for all of them together (Aho and Corasick). */

#include "module.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MARKS "palazzo.marks"
#define MOST_STATES 65535
#define MOST_GROUPS 64

typedef struct {
    unsigned char classes[256]; /* 0: a byte that is in no word */
    size_t width, states;
    uint16_t *steps; /* where each state goes by the class of the next byte */
    uint64_t *found; /* the groups of the words that end in it */
    uint64_t all;
} Marks;

static void marks_free(Marks *of)
{
    if (of == NULL) return;
    free(of->steps);
    free(of->found);
    free(of);
}

static void marks_gone(PyObject *held) { marks_free(PyCapsule_GetPointer(held, MARKS)); }

/* The words as a tree; every word of a group is a str. -1 with an error where something is none. */
static int planted(Marks *of, PyObject *groups, int only_classes)
{
    const Py_ssize_t count = PyTuple_Size(groups);
    for (Py_ssize_t group = 0; group < count; group++) {
        PyObject *words = PyTuple_GetItem(groups, group);
        const Py_ssize_t size = PyTuple_Check(words) ? PyTuple_Size(words) : -1;
        if (size < 0) {
            PyErr_SetString(PyExc_TypeError, "a group of words is a tuple");
            return -1;
        }
        for (Py_ssize_t at = 0; at < size; at++) {
            Py_ssize_t length;
            const char *word = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(words, at), &length);
            if (word == NULL) return -1;
            if (only_classes) {
                for (Py_ssize_t byte = 0; byte < length; byte++) {
                    unsigned char *class = of->classes + (unsigned char)word[byte];
                    if (!*class) *class = (unsigned char)of->width++;
                }
                of->states += (size_t)length;
                continue;
            }
            size_t state = 0;
            for (Py_ssize_t byte = 0; byte < length; byte++) {
                uint16_t *step = of->steps + state * of->width + of->classes[(unsigned char)word[byte]];
                if (!*step) *step = (uint16_t)of->states++;
                state = *step;
            }
            of->found[state] |= (uint64_t)1 << group;
        }
        of->all |= (uint64_t)1 << group;
    }
    return 0;
}

/* What a state goes to where its own words end: where the longest ending of it that begins a word would go. */
static int joined(Marks *of)
{
    uint16_t *queue = malloc(of->states * sizeof *queue), *back = calloc(of->states, sizeof *back);
    size_t first = 0, last = 0;
    if (queue != NULL && back != NULL) {
        for (size_t class = 0; class < of->width; class++)
            if (of->steps[class]) queue[last++] = of->steps[class];
        while (first < last) {
            const size_t state = queue[first++];
            uint16_t *own = of->steps + state * of->width, *other = of->steps + (size_t)back[state] * of->width;
            of->found[state] |= of->found[back[state]];
            for (size_t class = 0; class < of->width; class++)
                if (own[class]) {
                    back[own[class]] = other[class];
                    queue[last++] = own[class];
                } else {
                    own[class] = other[class];
                }
        }
    }
    const int failed = queue == NULL || back == NULL;
    free(queue);
    free(back);
    return failed;
}

PyObject *open_marks(PyObject *self, PyObject *groups)
{
    (void)self;
    if (!PyTuple_Check(groups) || PyTuple_Size(groups) > MOST_GROUPS) {
        PyErr_SetString(PyExc_ValueError, "a tuple of at most 64 groups of words");
        return NULL;
    }
    Marks *of = calloc(1, sizeof *of);
    if (of == NULL) return PyErr_NoMemory();
    of->width = of->states = 1;
    if (planted(of, groups, 1) == 0) {
        if (of->states > MOST_STATES) {
            PyErr_SetString(PyExc_ValueError, "too many words");
        } else {
            of->steps = calloc(of->states * of->width, sizeof *of->steps);
            of->found = calloc(of->states, sizeof *of->found);
            of->states = 1;
            if (of->steps == NULL || of->found == NULL) PyErr_NoMemory();
            else if (planted(of, groups, 0) == 0 && joined(of)) PyErr_NoMemory();
        }
    }
    PyObject *held = PyErr_Occurred() ? NULL : PyCapsule_New(of, MARKS, marks_gone);
    if (held == NULL) marks_free(of);
    return held;
}

PyObject *marks_in(PyObject *self, PyObject *arguments)
{
    PyObject *held, *text;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OU", &held, &text)) return NULL;
    const Marks *of = PyCapsule_GetPointer(held, MARKS);
    Py_ssize_t size;
    const char *plain = of == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, &size);
    if (of == NULL) return NULL;
    if (plain == NULL) { /* half a character */
        PyErr_Clear();
        Py_RETURN_NONE;
    }
    size_t state = 0;
    uint64_t found = of->found[0];
    for (Py_ssize_t at = 0; at < size && found != of->all; at++) {
        state = of->steps[state * of->width + of->classes[(unsigned char)plain[at]]];
        found |= of->found[state];
    }
    return PyLong_FromUnsignedLongLong(found);
}
