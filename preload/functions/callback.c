/* SPDX-License-Identifier: MIT */
/*
 * Structs and numbers are those of the stable ABI, docs.python.org/3/c-api/type.html and
 * structures.html.
 */
#include "preload/functions/callback.h"

#include "preload/base/symbols.h"
#include "preload/python/python_api.h"

#define TYPE_HAS_VECTORCALL (1u << 11) /* Py_TPFLAGS_HAVE_VECTORCALL */
/* Py_TPFLAGS_DISALLOW_INSTANTIATION: the program cannot create any */
#define TYPE_HAS_NO_INSTANCES (1u << 7)
#define SLOT_CALL 50         /* Py_tp_call */
#define SLOT_MEMBERS 72      /* Py_tp_members */
#define MEMBER_IS_SIZE 19    /* Py_T_PYSSIZET */
#define MEMBER_IS_READONLY 1 /* Py_READONLY */

/* PyMemberDef */
struct member {
	const char *name;
	int type;
	ssize_t offset;
	int flags;
	const char *doc;
};

/* PyType_Slot */
struct slot {
	int slot;
	void *value;
};

/* PyType_Spec */
struct spec {
	const char *name;
	int basic_bytes;
	int item_bytes;
	unsigned int flags;
	struct slot *slots;
};

static struct {
	void *(*type_new)(struct spec *spec);
	void *(*instance_new)(void *type, ssize_t items);
	void *vectorcall_call;
} api;

static void *type_make(unsigned int head_words)
{
	static struct member members[2]; /* CPython keeps its address */
	struct slot slots[] = { { SLOT_MEMBERS, members },
				{ SLOT_CALL, api.vectorcall_call },
				{ 0, NULL } };
	struct spec spec = { "intercept.callback", (int)((head_words + 1) * sizeof(void *)), 0,
			     TYPE_HAS_VECTORCALL | TYPE_HAS_NO_INSTANCES, slots };

	members[0] = (struct member){ "__vectorcalloffset__", MEMBER_IS_SIZE,
				      (ssize_t)(head_words * sizeof(void *)), MEMBER_IS_READONLY,
				      NULL };
	return api.type_new(&spec);
}

static bool callback_api_find(void)
{
	api.type_new = (void *(*)(struct spec *))symbols_find_loaded("PyType_FromSpec");
	api.instance_new = (void *(*)(void *, ssize_t))symbols_find_loaded("PyType_GenericAlloc");
	api.vectorcall_call = symbols_find_loaded("PyVectorcall_Call");
	return api.type_new && api.instance_new && api.vectorcall_call;
}

bool callbacks_put(void *dict, unsigned int head_words, const struct callback *callback,
		   size_t count)
{
	void *type = callback_api_find() ? type_make(head_words) : NULL, **object;
	int failed = !type;

	for (size_t i = 0; i < count && !failed; i++) {
		object = api.instance_new(type, 0);
		if (!object) {
			failed = 1;
			break;
		}
		object[head_words] = (void *)callback[i].call;
		failed = python_api.PyDict_SetItemString(dict, callback[i].name, object);
		python_api.Py_DecRef(object);
	}
	if (type)
		python_api.Py_DecRef(type); /* its instances keep it alive */
	if (failed)
		python_api.PyErr_Clear();
	return !failed;
}
