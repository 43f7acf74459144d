/* SPDX-License-Identifier: MIT */
/*
 * Watches imports of modules named *.base. When PassThroughProfiler exists, lightning.py, which is
 * embedded as bytes, replaces its two methods by functions that record action_begin and action_end.
 */
/* cases: lightning_entry */
#include "preload/lightning/lightning.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "preload/python/listeners.h"
#include "preload/python/python_api.h"
#include "preload/record/event.h"
#include "preload/record/limitation.h"
#include "preload/settings/settings.h"
#include "preload/record/strings.h"
#include "preload/steps/capture_range.h"

/* The bytes of lightning.py, followed by a 0. */
__asm__(".pushsection .rodata\n"
	"lightning_replace:\n"
	".incbin \"preload/lightning/lightning.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char lightning_replace[] __attribute__((visibility("hidden")));

/* Modules that define PassThroughProfiler. Names that end in SUFFIX are examined. */
#define SUFFIX ".base"
static const char *const homes[] = {
	"lightning.pytorch.profilers.base", "pytorch_lightning.profilers.base",
	"pytorch_lightning.profiler.base", /* up to 1.6 */
};

#define HOMES (sizeof(homes) / sizeof(homes[0]))

/*
 * Modules whose import has begun, one bit each. They are examined whenever another import begins.
 */
static _Atomic unsigned int awaited;

/* --- recording --- */

static _Atomic int captures_open; /* actions that are capture ranges */

/* An end without a known begin closes nothing. */
static bool capture_leave(void)
{
	int open = atomic_load(&captures_open);

	while (open > 0 && !atomic_compare_exchange_weak(&captures_open, &open, open - 1))
		;
	return open > 0;
}

/*
 * A capture range opens recording before its begin is recorded, and shuts it after its end is
 * recorded.
 */
static void record_captured(uint32_t event, const struct recorder_field *field)
{
	bool captures = capture_range_labels && capture_range_matches(field->text->hash, 0);

	if (captures && event == EVT_action_begin) {
		atomic_fetch_add(&captures_open, 1);
		capture_range_open();
	}
	(void)recorder_record(EVT_FAMILY_torch, event, field, 1);
	if (captures && event == EVT_action_end && capture_leave())
		capture_range_close();
}

static void record_action(uint32_t event, void *text)
{
	size_t length;
	const char *bytes = python_utf8(text, &length);
	struct string name;

	if (!bytes) /* no str, or one without a form in UTF-8 */
		return;
	name = string_of_bytes(bytes, length);
	record_captured(event, &(struct recorder_field){ .text = &name });
}

/*
 * These functions return their argument, because None would have to be looked up. Nobody uses the
 * result.
 */
static void *action_begin(void *self, void *name)
{
	(void)self;
	record_action(EVT_action_begin, name);
	python_api.Py_IncRef(name);
	return name;
}

static void *action_end(void *self, void *name)
{
	(void)self;
	record_action(EVT_action_end, name);
	python_api.Py_IncRef(name);
	return name;
}

/* --- replacing --- */

static struct python_method methods[] = {
	{ "action_begin", action_begin, PYTHON_METH_O, NULL },
	{ "action_end", action_end, PYTHON_METH_O, NULL },
};

static void replace_in(void *module)
{
	void *globals = python_globals();

	if (!globals)
		return;
	(void)python_api.PyDict_SetItemString(globals, "module", module);
	python_put_methods(globals, methods, sizeof(methods) / sizeof(methods[0]));
	if (!python_run(lightning_replace, globals))
		limitation_say(LIMITATION_lightning_unknown, NULL);
	python_api.Py_DecRef(globals);
}

/* The class is defined in its module only when all its methods exist. */
static void look_at(unsigned int home)
{
	void *module = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(),
						       homes[home]);

	if (!module || !python_api.PyObject_HasAttrString(module, "PassThroughProfiler"))
		return;
	if (atomic_fetch_and(&awaited, ~(1u << home)) & 1u << home)
		replace_in(module);
}

static void see_name(const char *name, size_t length)
{
	const size_t suffix = sizeof(SUFFIX) - 1;

	if (length < suffix || memcmp(name + length - suffix, SUFFIX, suffix) != 0)
		return;
	for (unsigned int i = 0; i < HOMES; i++)
		if (strcmp(name, homes[i]) == 0)
			(void)atomic_fetch_or(&awaited, 1u << i);
}

/* True if actions are recorded, or decide when to record. */
static bool lightning_is_wanted(void)
{
	return (settings.trace & 1u << SETTINGS_FAMILY_torch) ||
	       (settings.capture == SETTINGS_CAPTURE_RANGE && settings.capture_labels);
}

bool lightning_see_import(void *arguments)
{
	const char *name = NULL;
	ssize_t length = 0;

	if (!lightning_is_wanted())
		return true;
	for (unsigned int i = 0; i < HOMES; i++)
		if (atomic_load_explicit(&awaited, memory_order_relaxed) & 1u << i)
			look_at(i);
	if (python_api.PyTuple_Size(arguments) > 0)
		name = python_api.PyUnicode_AsUTF8AndSize(python_api.PyTuple_GetItem(arguments, 0),
							  &length);
	if (name)
		see_name(name, (size_t)length);
	else
		python_api.PyErr_Clear();
	return true;
}
