/* SPDX-License-Identifier: MIT */
/* See python.h. */
#include "preload/python.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <string.h>

#include "preload/init.h"
#include "preload/settings.h"
#include "preload/symbols.h"
#include "preload/torch.h"

/* The bytes of bootstrap.py and a 0 behind them. */
__asm__(".pushsection .rodata\n"
	"python_bootstrap:\n"
	".incbin \"preload/bootstrap.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char python_bootstrap[] __attribute__((visibility("hidden")));

/* What we call of CPython, by address. All of it is in the limited API or has the same form in 3.8 to 3.14. */
struct python_api {
	int (*add_audit_hook)(int (*hook)(const char *, void *, void *), void *data);
	int (*is_initialized)(void);
	void *(*dict_new)(void);
	void *(*eval_get_builtins)(void);
	int (*dict_set_item_string)(void *dict, const char *key, void *value);
	void *(*compile)(const char *text, const char *file, int start);
	void *(*eval_code)(void *code, void *globals, void *locals);
	void (*err_fetch)(void **type, void **value, void **trace);
	void (*err_restore)(void *type, void *value, void *trace);
	void (*dec_ref)(void *object);
	void *(*tuple_get_item)(void *tuple, ssize_t index);
	ssize_t (*tuple_size)(void *tuple);
	long long (*long_as_long_long)(void *number);
};

#define PY_FILE_INPUT 257 /* Py_file_input */

static struct python_api api;
static _Atomic bool has_run;

static bool api_find(void)
{
	static const struct {
		const char *name;
		size_t offset;
	} functions[] = {
		{ "PySys_AddAuditHook", offsetof(struct python_api, add_audit_hook) },
		{ "Py_IsInitialized", offsetof(struct python_api, is_initialized) },
		{ "PyDict_New", offsetof(struct python_api, dict_new) },
		{ "PyEval_GetBuiltins", offsetof(struct python_api, eval_get_builtins) },
		{ "PyDict_SetItemString", offsetof(struct python_api, dict_set_item_string) },
		{ "Py_CompileString", offsetof(struct python_api, compile) },
		{ "PyEval_EvalCode", offsetof(struct python_api, eval_code) },
		{ "PyErr_Fetch", offsetof(struct python_api, err_fetch) },
		{ "PyErr_Restore", offsetof(struct python_api, err_restore) },
		{ "Py_DecRef", offsetof(struct python_api, dec_ref) },
		{ "PyTuple_GetItem", offsetof(struct python_api, tuple_get_item) },
		{ "PyTuple_Size", offsetof(struct python_api, tuple_size) },
		{ "PyLong_AsLongLong", offsetof(struct python_api, long_as_long_long) },
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = symbols_find_loaded(functions[i].name);

		if (!found)
			return false;
		memcpy((char *)&api + functions[i].offset, &found, sizeof(found));
	}
	return true;
}

static void run_in(void *globals)
{
	/* importlib takes frames of this file out of the tracebacks of failed imports: ours go with them */
	void *code = api.compile(python_bootstrap, "<frozen importlib._bootstrap>", PY_FILE_INPUT);
	void *result;

	if (!code)
		return;
	(void)api.dict_set_item_string(globals, "__builtins__", api.eval_get_builtins());
	result = api.eval_code(code, globals, globals);
	if (result)
		api.dec_ref(result);
	api.dec_ref(code);
}

/* Runs with the GIL, as audit hooks do. An exception of ours is nobody's. */
static void run_bootstrap(void)
{
	void *type, *value, *trace, *globals;

	api.err_fetch(&type, &value, &trace);
	globals = api.dict_new();
	if (globals) {
		run_in(globals);
		api.dec_ref(globals);
	}
	api.err_restore(type, value, trace);
}

/* The sequence numbers of the operators that were shown; none when showing failed. */
static void torch_shown(void *arguments)
{
	int64_t number[TORCH_SHOWN];

	if (api.tuple_size(arguments) != TORCH_SHOWN) {
		torch_calibrate(NULL);
		return;
	}
	for (unsigned int i = 0; i < TORCH_SHOWN; i++)
		number[i] = api.long_as_long_long(api.tuple_get_item(arguments, i));
	torch_calibrate(number);
}

static int audit(const char *event, void *arguments, void *data)
{
	(void)data;
	if (event[0] == 'c' && strncmp(event, "cpython.run_", 12) == 0) {
		if (!atomic_exchange(&has_run, true))
			run_bootstrap();
	} else if (event[0] == 'i' && strcmp(event, "intercept.torch") == 0) {
		torch_begin();
	} else if (event[0] == 'i' && strcmp(event, "intercept.torch.shown") == 0) {
		torch_shown(arguments);
	} else if (event[0] == 'i' && strcmp(event, "intercept.torch.inputs") == 0) {
		torch_calibrate_inputs();
	}
	return 0;
}

void python_begin(void)
{
	bool wanted = (settings.trace & 1u << SETTINGS_FAMILY_torch) ||
		      settings.capture == SETTINGS_CAPTURE_STEPS;

	if (!wanted || !api_find() || api.is_initialized())
		return;
	(void)api.add_audit_hook(audit, NULL);
}
