/* SPDX-License-Identifier: MIT */
/* See modules.h. */
#include "preload/modules.h"

#include <stdbool.h>
#include <stddef.h>

#include "preload/log.h"
#include "preload/python_api.h"
#include "preload/recorder.h"
#include "preload/settings.h"
#include "preload/strings.h"

#define HOME "torch.nn.modules.module"

/* The bytes of modules.py and a 0 behind them. */
__asm__(".pushsection .rodata\n"
	"modules_register:\n"
	".incbin \"preload/modules.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char modules_register[] __attribute__((visibility("hidden")));

/* --- what the hooks call: each returns something that nobody looks at, but module_depth() --- */

static void *module_begin(void *self, void *text)
{
	ssize_t length;
	const char *bytes = python_api.PyUnicode_AsUTF8AndSize(text, &length);
	struct recorder_lane *lane;

	(void)self;
	if (!bytes) { /* no form in UTF-8 */
		python_api.PyErr_Clear();
		bytes = "";
		length = 0;
	}
	lane = recorder_enter(RECORDER_TORCH, RECORDER_IN_RECORD);
	if (lane) {
		uint64_t ticks = recorder_now();
		struct string name = string_of_bytes(bytes, (size_t)length);
		uint64_t field = string_id(&name, lane);

		(void)recorder_put(lane, EVT_torch_module_begin, ticks, &field, 1);
		recorder_leave(lane);
	}
	python_api.Py_IncRef(text);
	return text;
}

static void *module_end(void *self, void *nothing)
{
	struct recorder_lane *lane;

	(void)self;
	lane = recorder_enter(RECORDER_TORCH, RECORDER_IN_RECORD);
	if (lane) {
		(void)recorder_put(lane, EVT_torch_module_end, recorder_now(), NULL, 0);
		recorder_leave(lane);
	}
	python_api.Py_IncRef(nothing);
	return nothing;
}

/* Where on the C stack the hook runs: smaller is deeper. */
static void *module_depth(void *self, void *nothing)
{
	(void)self;
	(void)nothing;
	return python_api.PyLong_FromVoidPtr(__builtin_frame_address(0));
}

/* --- registering --- */

static struct python_method methods[] = {
	{ "module_begin", module_begin, PYTHON_METH_O, NULL },
	{ "module_end", module_end, PYTHON_METH_O, NULL },
	{ "module_depth", module_depth, PYTHON_METH_O, NULL },
};

void modules_begin(void)
{
	void *home, *globals;

	if (!(settings.trace & 1u << SETTINGS_FAMILY_modules))
		return;
	home = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(), HOME);
	globals = python_globals();
	if (!globals)
		return;
	if (home)
		(void)python_api.PyDict_SetItemString(globals, "home", home);
	python_put_methods(globals, methods, sizeof(methods) / sizeof(methods[0]));
	if (!python_run(modules_register, globals))
		log_line("this torch is not known (no global module hooks): no modules are "
			 "recorded");
	python_api.Py_DecRef(globals);
}
