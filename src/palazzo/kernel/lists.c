/* Lists of postings as Python hands them over: every buffer is looked at for its size, and every number that indexes
   another is checked, before postings.c reads any of it. */

#include "module.h"

#include <stdlib.h>

#define MOST_LISTS (1 << 16)

typedef struct {
    Py_ssize_t held;
    Py_buffer *views;
    part_t *parts;
    list_t *lists;
    term_t *terms;
} lists_t;

static void lists_gone(lists_t *of)
{
    for (Py_ssize_t view = 0; view < of->held; view++) PyBuffer_Release(of->views + view);
    free(of->views);
    free(of->parts);
    free(of->lists);
    free(of->terms);
}

static void *buffer_of(PyObject *from, Py_ssize_t at, lists_t *of, size_t item, size_t *count)
{
    PyObject *part = PySequence_GetItem(from, at);
    if (!part) return NULL;
    int failed = PyObject_GetBuffer(part, of->views + of->held, PyBUF_C_CONTIGUOUS);
    Py_DECREF(part);
    if (failed) return NULL;
    Py_buffer *view = of->views + of->held++;
    *count = (size_t)view->len / item;
    return view->buf;
}

/* How many documents each part has and their lengths, the lists, and of each list term and part; of each term its
   weight, bound and frequency. */
static int lists_of(PyObject *slots, PyObject *lengths, PyObject *packed, PyObject *homes, PyObject *figures,
                    Py_ssize_t terms, lists_t *made, postings_t *of)
{
    Py_ssize_t parts = PySequence_Size(lengths), lists = PySequence_Size(packed);
    if (parts < 0 || lists < 0) return -1;
    if (parts > MOST_LISTS || lists > MOST_LISTS || terms < 0 || terms > MOST_LISTS) {
        PyErr_SetString(PyExc_ValueError, "too many lists");
        return -1;
    }
    made->views = calloc((size_t)(parts + lists) + 3, sizeof *made->views);
    made->parts = calloc((size_t)parts + 1, sizeof *made->parts);
    made->lists = calloc((size_t)lists + 1, sizeof *made->lists);
    made->terms = calloc((size_t)terms + 1, sizeof *made->terms);
    if (!made->views || !made->parts || !made->lists || !made->terms) {
        PyErr_NoMemory();
        return -1;
    }
    if (taken(slots, made->views, 0, (size_t)parts * sizeof(int64_t), "how many documents there are")) return -1;
    const int64_t *many = made->views[made->held++].buf;
    for (Py_ssize_t at = 0; at < parts; at++) {
        part_t *part = made->parts + at;
        size_t known;
        if (!(part->length = buffer_of(lengths, at, made, sizeof(uint16_t), &known)) && PyErr_Occurred()) return -1;
        if (many[at] < 0 || many[at] > UINT32_MAX || (known && known != (size_t)many[at])) {
            PyErr_SetString(PyExc_ValueError, "documents without a length");
            return -1;
        }
        if (!known) part->length = NULL;
        part->slots = (size_t)many[at];
        part->first = of->docs;
        of->docs += part->slots;
    }
    if (taken(homes, made->views + made->held, 0, (size_t)lists * 2 * sizeof(int32_t), "whose each list is")) return -1;
    const int32_t *home = made->views[made->held++].buf;
    if (taken(figures, made->views + made->held, 0, (size_t)terms * 3 * sizeof(double), "the figures of the terms")) return -1;
    const double *figure = made->views[made->held++].buf;
    for (Py_ssize_t at = 0; at < terms; at++)
        made->terms[at] = (term_t){figure[3 * at], figure[3 * at + 1], (size_t)figure[3 * at + 2], 0, made->lists};
    for (Py_ssize_t at = 0; at < lists; at++, home += 2) {
        int begins = !at || home[0] != home[-2];
        if (home[0] < 0 || home[0] >= terms || home[1] < 0 || home[1] >= parts || (at && home[0] < home[-2]) ||
            (!begins && home[1] <= home[-1])) {
            PyErr_SetString(PyExc_ValueError, "lists in another order than that of terms and parts");
            return -1;
        }
        list_t *list = made->lists + at;
        list->part = (size_t)home[1];
        if (!made->parts[list->part].length) {
            PyErr_SetString(PyExc_ValueError, "documents without a length");
            return -1;
        }
        if (!(list->packed = buffer_of(packed, at, made, sizeof(uint32_t), &list->count)) && PyErr_Occurred()) return -1;
        if (begins) made->terms[home[0]].list = list;
        made->terms[home[0]].lists++;
    }
    of->parts = (size_t)parts;
    of->terms = (size_t)terms;
    of->part = made->parts;
    of->term = made->terms;
    if (of->docs > UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "too many documents");
        return -1;
    }
    return 0;
}

PyObject *best_postings(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *slots, *lengths, *packed, *homes, *figures, *sums, *places, *scores, *answer = NULL;
    postings_t of = {0};
    lists_t lists = {0};
    Py_ssize_t terms, wanted, budget, few, rescore;
    if (!PyArg_ParseTuple(arguments, "OOOOOnddnnnnOOO", &slots, &lengths, &packed, &homes, &figures, &terms, &of.base, &of.slope,
                          &wanted, &budget, &few, &rescore, &sums, &places, &scores))
        return NULL;
    if (wanted < 1 || wanted > 1 << 24 || budget < 0 || few < 0 || rescore < 0) {
        PyErr_SetString(PyExc_ValueError, "nothing wanted, or too much of it");
        return NULL;
    }
    Py_buffer views[3] = {{0}};
    if (!lists_of(slots, lengths, packed, homes, figures, terms, &lists, &of) &&
        !taken(sums, views, 1, of.docs * sizeof(float), "the sums") &&
        !taken(places, views + 1, 1, of.docs * sizeof(uint32_t), "the places") &&
        !taken(scores, views + 2, 1, of.docs * sizeof(float), "the scores")) {
        int failed;
        of.wanted = (size_t)wanted;
        of.budget = (size_t)budget;
        of.few = (size_t)few;
        of.rescore = (size_t)rescore;
        of.sums = views[0].buf;
        of.places = views[1].buf;
        of.scores = views[2].buf;
        Py_BEGIN_ALLOW_THREADS
        failed = postings_best(&of);
        Py_END_ALLOW_THREADS
        answer = PyLong_FromSsize_t(failed ? -1 : (Py_ssize_t)of.count);
    }
    for (int view = 0; view < 3; view++)
        if (views[view].obj) PyBuffer_Release(views + view);
    lists_gone(&lists);
    return answer;
}

PyObject *earned_postings(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *slots, *lengths, *packed, *homes, *figures, *places, *made, *answer = NULL;
    postings_t of = {0};
    lists_t lists = {0};
    Py_ssize_t terms, count;
    if (!PyArg_ParseTuple(arguments, "OOOOOnddOnO", &slots, &lengths, &packed, &homes, &figures, &terms, &of.base, &of.slope,
                          &places, &count, &made))
        return NULL;
    if (count < 0 || terms < 0 || terms > MOST_LISTS || count > PY_SSIZE_T_MAX / 8 / (terms + 1)) {
        PyErr_SetString(PyExc_ValueError, "too many places");
        return NULL;
    }
    Py_buffer views[2] = {{0}};
    if (!lists_of(slots, lengths, packed, homes, figures, terms, &lists, &of) &&
        !taken(places, views, 0, (size_t)count * sizeof(uint32_t), "the places") &&
        !taken(made, views + 1, 1, (size_t)(count * terms) * sizeof(float), "what is made")) {
        of.places = views[0].buf;
        int there = 1;
        for (Py_ssize_t at = 0; at < count; at++)
            there &= of.places[at] < of.docs && (!at || of.places[at - 1] < of.places[at]);
        if (!there) PyErr_SetString(PyExc_ValueError, "places in no order, or of other documents");
        else if (postings_earned(&of, (size_t)count, views[1].buf)) PyErr_NoMemory();
        else answer = Py_NewRef(Py_None);
    }
    for (int view = 0; view < 2; view++)
        if (views[view].obj) PyBuffer_Release(views + view);
    lists_gone(&lists);
    return answer;
}
