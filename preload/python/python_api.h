/* SPDX-License-Identifier: MIT */
/*
 * The functions of CPython that we call, by address: nothing is linked. All of them are in the
 * limited API or have the same form in 3.8 to 3.14. Objects are `void *`. The caller holds the GIL.
 */
#ifndef PRELOAD_PYTHON_PYTHON_API_H
#define PRELOAD_PYTHON_PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "preload/base/hidden.h"

#define PYTHON_API(FUNCTION)                                                            \
	FUNCTION(int, PySys_AddAuditHook,                                               \
		 (int (*hook)(const char *event, void *arguments, void *data), void *)) \
	FUNCTION(int, Py_IsInitialized, (void))                                         \
	FUNCTION(void, PyMem_GetAllocator, (int domain, struct python_allocator *))     \
	FUNCTION(void, PyMem_SetAllocator, (int domain, struct python_allocator *))     \
	FUNCTION(void *, PyDict_New, (void))                                            \
	FUNCTION(void *, PyDict_GetItemString, (void *dict, const char *key))           \
	FUNCTION(int, PyDict_SetItemString, (void *dict, const char *key, void *value)) \
	FUNCTION(void *, PyEval_GetBuiltins, (void))                                    \
	FUNCTION(void *, Py_CompileString, (const char *text, const char *file, int))   \
	FUNCTION(void *, PyEval_EvalCode, (void *code, void *globals, void *locals))    \
	FUNCTION(void, PyErr_Fetch, (void **type, void **value, void **trace))          \
	FUNCTION(void, PyErr_Restore, (void *type, void *value, void *trace))           \
	FUNCTION(void, PyErr_Clear, (void))                                             \
	FUNCTION(void, Py_IncRef, (void *object))                                       \
	FUNCTION(void, Py_DecRef, (void *object))                                       \
	FUNCTION(void *, PyTuple_GetItem, (void *tuple, ssize_t index))                 \
	FUNCTION(ssize_t, PyTuple_Size, (void *tuple))                                  \
	FUNCTION(void *, PyLong_FromVoidPtr, (void *number))                            \
	FUNCTION(const char *, PyUnicode_AsUTF8AndSize, (void *text, ssize_t *length))  \
	FUNCTION(void *, PyImport_GetModuleDict, (void))                                \
	FUNCTION(int, PyObject_HasAttrString, (void *object, const char *name))         \
	FUNCTION(void *, PyObject_GetAttrString, (void *object, const char *name))      \
	FUNCTION(void *, PyEval_GetFrame, (void))                                       \
	FUNCTION(void *, PyObject_CallFunctionObjArgs, (void *callable, ...))           \
	FUNCTION(long, PyLong_AsLong, (void *number))                                   \
	FUNCTION(void *, PyDict_Copy, (void *dict))                                     \
	FUNCTION(ssize_t, PyDict_Size, (void *dict))                                    \
	FUNCTION(int, PyDict_Next, (void *dict, ssize_t *at, void **key, void **value)) \
	FUNCTION(void *, PyObject_GenericGetAttr, (void *object, void *name))           \
	FUNCTION(void *, PyUnicode_InternFromString, (const char *text))                \
	FUNCTION(const char *, PyBytes_AsString, (void *bytes))                         \
	FUNCTION(void *, PySequence_GetItem, (void *sequence, ssize_t index))           \
	FUNCTION(int, PyFrame_GetLineNumber, (void *frame))                             \
	FUNCTION(void *, PyCFunction_NewEx, (struct python_method *, void *, void *))

/* PyMethodDef */
struct python_method {
	const char *name;
	void *(*call)(void *self, void *argument);
	int flags; /* PYTHON_METH_... */
	const char *doc;
};

#define PYTHON_METH_VARARGS 1     /* the argument is a tuple */
#define PYTHON_METH_O 8           /* one positional argument */
#define PYTHON_METH_FASTCALL 0x80 /* an array of arguments and their number */

#define PYTHON_ARGUMENTS_OFFSET ((size_t)1 << 63) /* PY_VECTORCALL_ARGUMENTS_OFFSET */

/* PyMemAllocatorEx */
struct python_allocator {
	void *context;
	void *(*malloc)(void *context, size_t bytes);
	void *(*calloc)(void *context, size_t count, size_t bytes);
	void *(*realloc)(void *context, void *block, size_t bytes);
	void (*free)(void *context, void *block);
};

#define PYTHON_MEMORY_RAW 0   /* PYMEM_DOMAIN_RAW; _MEM is 1, _OBJ is 2 */
#define PYTHON_MEMORY_LIMIT 3 /* number of domains */

struct python_api {
#define FIELD(returns, name, parameters) returns(*name) parameters;
	PYTHON_API(FIELD)
#undef FIELD
};

PRELOAD_HIDDEN extern struct python_api python_api;

/*
 * Returns the UTF-8 text of a str, valid as long as the str. Returns NULL and length 0 if `text` is
 * NULL or no str. Leaves no exception.
 */
static inline const char *python_utf8(void *text, size_t *ret_length)
{
	ssize_t length = 0;
	const char *bytes = text ? python_api.PyUnicode_AsUTF8AndSize(text, &length) : NULL;

	if (!bytes)
		python_api.PyErr_Clear();
	*ret_length = bytes ? (size_t)length : 0;
	return bytes;
}

/*
 * Returns a new reference. NULL if `object` is NULL or has no such attribute. Runs the type's
 * __getattribute__. Leaves no exception.
 */
static inline void *python_attribute(void *object, const char *name)
{
	void *value = object ? python_api.PyObject_GetAttrString(object, name) : NULL;

	if (!value)
		python_api.PyErr_Clear();
	return value;
}

/* Returns false if the process has no CPython, or one that lacks a function. */
bool python_api_find(void);

/*
 * Returns which word of an object holds its type: 1, in free-threaded builds 3. 0 if it is
 * neither.
 */
unsigned int python_type_word(void);

/* Runs the text with these globals. Returns false if it raised an exception, which is cleared. */
bool python_run(const char *text, void *globals);

/* Returns globals for python_run(), with the builtins; NULL if there is no memory. */
void *python_globals(void);

/*
 * Makes functions of the methods and puts them into the globals. The methods must stay where they
 * are.
 */
void python_put_methods(void *globals, struct python_method *methods, size_t count);

#endif
