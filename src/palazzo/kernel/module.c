/* The kernel as a Python module: checks what comes in, lets other threads run meanwhile. One build serves every Python
   from 3.11 on (the stable ABI). Every buffer is looked at for its size and nothing is written past it; numbers that
   index a table are checked before anything is read. */

#include "module.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int processor_here = 0;
static const char *const PROCESSORS[] = {"any", "avx2", "avx512-vnni"};

static int best_processor(void)
{
#ifdef KERNEL_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
        return 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
#endif
    return 0;
}

/* ---- buffers ---- */

int taken(PyObject *from, Py_buffer *view, int writable, size_t size, const char *name)
{
    if (PyObject_GetBuffer(from, view, writable ? PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS : PyBUF_C_CONTIGUOUS)) {
        view->obj = NULL;
        return -1;
    }
    if ((size_t)view->len != size) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes, not %zd", name, view->len, (Py_ssize_t)size);
        PyBuffer_Release(view);
        view->obj = NULL;
        return -1;
    }
    return 0;
}

/* ---- the reader ---- */

#define OF_READER 6 /* words, steps, seats, marks, norm, base */
#define OF_LAYER 16 /* four times table, steps, offset; then norm and base after mixing, norm and base at the end */

typedef struct {
    reader_t reader;
    int held;
    Py_buffer *views;
} handle_t;

static const char HANDLE[] = "palazzo.kernel.reader";

static void let_go(handle_t *handle)
{
    for (int number = 0; handle->reader.layer && number < handle->reader.layers; number++) {
        layer_t *layer = handle->reader.layer + number;
        free(layer->asked.panels);
        free(layer->mixed.panels);
        free(layer->wide.panels);
        free(layer->narrow.panels);
    }
    for (int view = 0; view < handle->held; view++) PyBuffer_Release(handle->views + view);
    free(handle->reader.layer);
    free(handle->views);
    free(handle);
}

static void reader_closed(PyObject *capsule)
{
    handle_t *handle = PyCapsule_GetPointer(capsule, HANDLE);
    if (handle) let_go(handle);
}

static const void *next_of(PyObject *parts, handle_t *handle, size_t size, const char *name)
{
    PyObject *part = PySequence_GetItem(parts, handle->held);
    if (!part) return NULL;
    int failed = taken(part, handle->views + handle->held, 0, size, name);
    Py_DECREF(part);
    return failed ? NULL : handle->views[handle->held++].buf;
}

static int weights_of(PyObject *parts, handle_t *handle, weights_t *weights, int outputs, int inputs)
{
    size_t count = (size_t)outputs;
    weights->outputs = outputs;
    weights->inputs = inputs;
    if (!(weights->rows = next_of(parts, handle, count * (size_t)inputs, "a table")) ||
        !(weights->steps = next_of(parts, handle, count * sizeof(float), "the steps of a table")) ||
        !(weights->offset = next_of(parts, handle, count * sizeof(float), "an offset")))
        return -1;
    if (!(weights->panels = reader_panels(weights->rows, outputs, inputs))) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

static int layer_of(PyObject *parts, handle_t *handle, layer_t *layer, int width, int wide)
{
    size_t row = (size_t)width * sizeof(float);
    return weights_of(parts, handle, &layer->asked, 3 * width, width) ||
           weights_of(parts, handle, &layer->mixed, width, width) ||
           weights_of(parts, handle, &layer->wide, wide, width) ||
           weights_of(parts, handle, &layer->narrow, width, wide) ||
           !(layer->mixed_norm = next_of(parts, handle, row, "a norm")) ||
           !(layer->mixed_base = next_of(parts, handle, row, "a norm")) ||
           !(layer->narrow_norm = next_of(parts, handle, row, "a norm")) ||
           !(layer->narrow_base = next_of(parts, handle, row, "a norm"));
}

static int reader_filled(PyObject *parts, handle_t *handle)
{
    reader_t *of = &handle->reader;
    size_t width = (size_t)of->width;
    if (!(of->words = next_of(parts, handle, (size_t)of->pieces * width, "the words")) ||
        !(of->steps = next_of(parts, handle, (size_t)of->pieces * sizeof(float), "the steps of the words")) ||
        !(of->seated = next_of(parts, handle, (size_t)of->seats * width * sizeof(float), "the places")) ||
        !(of->marked = next_of(parts, handle, (size_t)of->marks * width * sizeof(float), "the marks")) ||
        !(of->norm = next_of(parts, handle, width * sizeof(float), "a norm")) ||
        !(of->base = next_of(parts, handle, width * sizeof(float), "a norm")))
        return -1;
    for (int number = 0; number < of->layers; number++)
        if (layer_of(parts, handle, of->layer + number, of->width, of->wide)) return -1;
    return 0;
}

static PyObject *open_reader(PyObject *self, PyObject *arguments)
{
    (void)self;
    reader_t of = {0};
    PyObject *parts;
    if (!PyArg_ParseTuple(arguments, "(iiiiiii)O", &of.width, &of.wide, &of.heads, &of.layers, &of.pieces, &of.seats,
                          &of.marks, &parts))
        return NULL;
    if (of.width < LANES || of.width > MOST_WIDTH || of.width % LANES || of.wide < LANES || of.wide > 65536 ||
        of.wide % LANES || of.heads < 1 || of.width % of.heads || of.width / of.heads != HEAD || of.layers < 1 ||
        of.layers > 64 || of.pieces < 1 || of.pieces > 1 << 22 || of.seats < 1 || of.seats > 65536 || of.marks < 1 ||
        of.marks > 64 || PySequence_Size(parts) != OF_READER + OF_LAYER * of.layers) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "the kernel does not read an encoder of this shape");
        return NULL;
    }
    handle_t *handle = calloc(1, sizeof *handle);
    if (!handle) return PyErr_NoMemory();
    handle->reader = of;
    handle->reader.layer = calloc((size_t)of.layers, sizeof(layer_t));
    handle->views = calloc((size_t)(OF_READER + OF_LAYER * of.layers), sizeof(Py_buffer));
    if (!handle->reader.layer || !handle->views) {
        let_go(handle);
        return PyErr_NoMemory();
    }
    PyObject *capsule = reader_filled(parts, handle) ? NULL : PyCapsule_New(handle, HANDLE, reader_closed);
    if (!capsule) let_go(handle);
    return capsule;
}

static int fits(const reader_t *of, const reading_t *read, int count)
{
    for (int at = 0, begin = 0; at < read->texts; at++) {
        const int32_t *span = read->spans + 3 * at;
        if (span[0] != begin || span[1] < span[0] || span[1] > span[2] || span[2] <= span[0] || span[2] > count ||
            span[2] - span[0] > of->seats)
            return 0;
        begin = span[2];
        if (at == read->texts - 1 && begin != count) return 0;
    }
    for (int at = 0; at < count; at++)
        if (read->pieces[at] < 0 || read->pieces[at] >= of->pieces || (of->marks < 64 && read->masks[at] >> of->marks))
            return 0;
    return 1;
}

static PyObject *read_texts(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *capsule, *pieces, *masks, *spans, *made, *answer = NULL;
    reading_t read = {0};
    int count, processor;
    if (!PyArg_ParseTuple(arguments, "OOOOOiipi", &capsule, &pieces, &masks, &spans, &made, &count, &read.texts,
                          &read.openings, &processor))
        return NULL;
    handle_t *handle = PyCapsule_GetPointer(capsule, HANDLE);
    if (!handle) return NULL;
    const reader_t *of = &handle->reader;
    if (count < 1 || count > 1 << 24 || read.texts < 1 || read.texts > count || processor > processor_here) {
        PyErr_SetString(PyExc_ValueError, "nothing to read, too much of it, or for another processor");
        return NULL;
    }
    size_t wide = (size_t)(read.openings ? 3 : 2) * (size_t)of->width * sizeof(float), texts = (size_t)read.texts;
    Py_buffer views[4] = {{0}};
    if (!taken(pieces, views, 0, (size_t)count * sizeof(int32_t), "the pieces") &&
        !taken(masks, views + 1, 0, (size_t)count * sizeof(uint64_t), "the marks of the pieces") &&
        !taken(spans, views + 2, 0, texts * 3 * sizeof(int32_t), "the spans") &&
        !taken(made, views + 3, 1, texts * wide, "what is made")) {
        read.pieces = views[0].buf;
        read.masks = views[1].buf;
        read.spans = views[2].buf;
        read.made = views[3].buf;
        if (!fits(of, &read, count)) {
            PyErr_SetString(PyExc_ValueError, "spans, pieces or layers that this encoder does not have");
        } else {
            int failed;
            Py_BEGIN_ALLOW_THREADS
            failed = reader_read(of, &read, processor < 0 ? processor_here : processor);
            Py_END_ALLOW_THREADS
            if (failed) PyErr_NoMemory();
            else answer = Py_NewRef(Py_None);
        }
    }
    for (int view = 0; view < 4; view++)
        if (views[view].obj) PyBuffer_Release(views + view);
    return answer;
}

/* ---- one-bit codes ---- */

static int scans_here = 1;

static PyObject *scan(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *code, *sign, *mask, *made, *answer = NULL;
    Py_ssize_t words, codes;
    int narrow, version;
    if (!PyArg_ParseTuple(arguments, "OOOOnnpi", &code, &sign, &mask, &made, &words, &codes, &narrow, &version)) return NULL;
    if (words < 1 || words > 1024 || codes < 0 || codes > PY_SSIZE_T_MAX / 8 / words || version >= scans_here) {
        PyErr_SetString(PyExc_ValueError, "codes of another shape, or for another processor");
        return NULL;
    }
    size_t width = (size_t)words * sizeof(uint64_t);
    Py_buffer views[4] = {{0}};
    if (!taken(code, views, 0, width * (size_t)codes, "the codes") && !taken(sign, views + 1, 0, width, "the signs") &&
        !taken(mask, views + 2, 0, width, "the mask") &&
        !taken(made, views + 3, 1, (size_t)codes * (narrow ? 1 : 2), "what is made")) {
        scan_t of = {(size_t)codes, (size_t)words, views[0].buf, views[1].buf, views[2].buf, NULL, NULL};
        if (narrow) of.narrow = views[3].buf;
        else of.wide = views[3].buf;
        if (codes < 4096) { /* shorter than handing the lock over */
            scan_codes(&of, version < 0 ? scans_here - 1 : version);
        } else {
            Py_BEGIN_ALLOW_THREADS
            scan_codes(&of, version < 0 ? scans_here - 1 : version);
            Py_END_ALLOW_THREADS
        }
        answer = Py_NewRef(Py_None);
    }
    for (int view = 0; view < 4; view++)
        if (views[view].obj) PyBuffer_Release(views + view);
    return answer;
}

typedef struct {
    Py_ssize_t held;
    Py_buffer *views;
    piece_t *pieces;
} pieces_t;

static void pieces_gone(pieces_t *of)
{
    for (Py_ssize_t view = 0; view < of->held; view++) PyBuffer_Release(of->views + view);
    free(of->views);
    free(of->pieces);
}

/* Revisions and codes in turn; how many codes there are in all, or -1. */
static Py_ssize_t pieces_of(PyObject *from, pieces_t *of, Py_ssize_t count, size_t width)
{
    Py_ssize_t total = 0;
    of->views = calloc((size_t)(count ? count : 1), sizeof *of->views);
    of->pieces = calloc((size_t)(count ? count : 1), sizeof *of->pieces);
    if (!of->views || !of->pieces) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t at = 0; at < count; at++) {
        piece_t *piece = of->pieces + at / 2;
        PyObject *part = PySequence_GetItem(from, at);
        if (!part) return -1;
        int failed = at % 2 ? taken(part, of->views + at, 0, width * piece->codes, "the codes of a piece")
                            : PyObject_GetBuffer(part, of->views + at, PyBUF_C_CONTIGUOUS);
        Py_DECREF(part);
        if (failed) return -1;
        of->held++;
        if (at % 2) {
            piece->code = of->views[at].buf;
            total += (Py_ssize_t)piece->codes;
        } else {
            piece->revision = of->views[at].buf;
            piece->codes = (size_t)of->views[at].len / sizeof(int64_t);
        }
    }
    return total;
}

static PyObject *shortlist(PyObject *self, PyObject *arguments)
{
    (void)self;
    PyObject *from, *sign, *mask, *lookup, *found, *promised, *answer = NULL;
    Py_ssize_t words, room;
    int version;
    if (!PyArg_ParseTuple(arguments, "OOOOOOnni", &from, &sign, &mask, &lookup, &found, &promised, &words, &room, &version))
        return NULL;
    Py_ssize_t count = PySequence_Size(from);
    if (count < 0) return NULL;
    if (words < 1 || words > MOST_WORDS || room < 1 || room > 1 << 24 || count % 2 || version >= scans_here) {
        PyErr_SetString(PyExc_ValueError, "codes of another shape, or for another processor");
        return NULL;
    }
    size_t width = (size_t)words * sizeof(uint64_t);
    pieces_t pieces = {0};
    Py_buffer views[5] = {{0}};
    Py_ssize_t total = pieces_of(from, &pieces, count, width);
    if (total >= 0 && !taken(sign, views, 0, width, "the signs") && !taken(mask, views + 1, 0, width, "the mask") &&
        !taken(lookup, views + 2, 0, width * 256 * sizeof(float), "the lookup") &&
        !taken(found, views + 3, 1, (size_t)room * sizeof(int64_t), "what is found") &&
        !taken(promised, views + 4, 1, (size_t)room * sizeof(float), "what is promised")) {
        shortlist_t of = {(size_t)count / 2, (size_t)words, (size_t)room, 0, pieces.pieces, views[0].buf,
                          views[1].buf, views[2].buf, views[3].buf, views[4].buf};
        int failed, chosen = version < 0 ? scans_here - 1 : version;
        if (total < 4096) { /* shorter than handing the lock over */
            failed = shortlist_codes(&of, chosen);
        } else {
            Py_BEGIN_ALLOW_THREADS
            failed = shortlist_codes(&of, chosen);
            Py_END_ALLOW_THREADS
        }
        if (failed) PyErr_NoMemory();
        else answer = PyLong_FromSize_t(of.count);
    }
    for (int view = 0; view < 5; view++)
        if (views[view].obj) PyBuffer_Release(views + view);
    pieces_gone(&pieces);
    return answer;
}

/* ---- the module ---- */

static PyMethodDef METHODS[] = {
    {"open_reader", open_reader, METH_VARARGS, "A handle to the weights of an encoder; they stay where they are."},
    {"read_texts", read_texts, METH_VARARGS, "Reads texts and writes what a head looks at, a row each."},
    {"scan", scan, METH_VARARGS, "Writes how many strong bits of a query differ in each code."},
    {"shortlist", shortlist, METH_VARARGS, "Writes the revisions of the codes nearest to a query and what they promise."},
    {"dots", dots, METH_VARARGS, "Writes the products of a query with stored vectors, a number for each."},
    {"best_postings", best_postings, METH_VARARGS, "Writes the documents with the highest sums, and these."},
    {"earned_postings", earned_postings, METH_VARARGS, "Writes what each term adds to some documents."},
    {"count_units", count_units, METH_O, "How many likely tokens, long words and very long ones a plain text has."},
    {"open_marks", open_marks, METH_O, "Groups of words to be looked for together."},
    {"marks_in", marks_in, METH_VARARGS, "Which groups of words stand in a text, a bit for each."},
    {"terms_in", terms_in, METH_VARARGS, "The terms of a text in small plain letters, by a mapping of its words."},
    {"plain_words", plain_words, METH_O, "The words of a text in plain letters, made small; None of any other."},
    {"runs_in", runs_in, METH_VARARGS, "The runs of letters and figures of a text in plain letters; None of any other."},
    {"packed_terms", packed_terms, METH_O, "The terms of a text as the index keeps them; None where there are too many."},
    {NULL, NULL, 0, NULL},
};

static int filled(PyObject *module)
{
    processor_here = best_processor();
    scans_here = scan_versions();
    return PyModule_AddStringConstant(module, "processor", PROCESSORS[processor_here]) ||
           PyModule_AddIntConstant(module, "processors", processor_here + 1) ||
           PyModule_AddIntConstant(module, "scans", scans_here);
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, (void *)filled}, {0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "native", "What numpy does in too many passes, compiled.", 0, METHODS, SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_native(void) { return PyModuleDef_Init(&MODULE); }
