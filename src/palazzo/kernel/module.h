/* What the parts of the Python module share. */
#ifndef PALAZZO_MODULE_H
#define PALAZZO_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include "kernel.h"

int taken(PyObject *from, Py_buffer *view, int writable, size_t size, const char *name); /* -1 where it is of another size */

PyObject *best_postings(PyObject *self, PyObject *arguments);
PyObject *earned_postings(PyObject *self, PyObject *arguments);
PyObject *count_units(PyObject *self, PyObject *text);
PyObject *dots(PyObject *self, PyObject *arguments);
PyObject *open_marks(PyObject *self, PyObject *groups);
PyObject *marks_in(PyObject *self, PyObject *arguments);
PyObject *terms_in(PyObject *self, PyObject *arguments);
PyObject *plain_words(PyObject *self, PyObject *text);
PyObject *runs_in(PyObject *self, PyObject *arguments);
PyObject *packed_terms(PyObject *self, PyObject *terms);

#endif
