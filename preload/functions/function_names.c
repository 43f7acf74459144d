/* SPDX-License-Identifier: MIT */
/*
 * Functions of C are cached in a direct-mapped table by the address of their PyMethodDef; a mark
 * made of address and name detects a stale slot. The place where a code object keeps co_extra is
 * found by setting it and comparing all words.
 */
#include "preload/functions/function_names.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/base/symbols.h"
#include "preload/functions/call_requests.h"
#include "preload/settings/module_list.h"
#include "preload/python/place.h"
#include "preload/python/python_api.h"
#include "preload/record/event.h"
#include "preload/requests/marks.h"
#include "preload/settings/settings.h"

#define NAME_BYTES 512u /* limit for a function's name; longer ones are cut */
#define FILE_BYTES 1536u
#define TEXT_BYTES (NAME_BYTES + FILE_BYTES + 32u)
#define METHODS 4096u
#define PLACES 40u /* words of a code object that are examined; it has 22 to 26 */

struct function_api function_api;

static int (*set_extra)(void *code, ssize_t index, void *extra);
static void *(*get_globals)(void);
static void *label;

/*
 * Functions of C by the address of their PyMethodDef. Another function may use the address later,
 * so the mark includes the name. A mark and a hash of different functions never match.
 */
static struct method {
	uint64_t mark; /* method_mark() ^ hash */
	uint64_t hash;
} * methods;

/* --- texts --- */

/* Copies the text of an object's attribute, cut to the room; "" if it is no text. */
static void copy_attribute(char *to, size_t room, void *object, const char *name)
{
	void *value = python_api.PyObject_GetAttrString(object, name);
	ssize_t length = 0;
	const char *bytes = value ? python_api.PyUnicode_AsUTF8AndSize(value, &length) : NULL;
	size_t copied = bytes ? (size_t)length : 0;

	if (copied >= room) {
		copied = room - 1;
		while (copied && ((unsigned char)bytes[copied] & 0xc0) == 0x80)
			copied--;
	}
	if (copied)
		memcpy(to, bytes, copied);
	to[copied] = 0;
	for (char *tab = strchr(to, '\t'); tab; tab = strchr(tab, '\t'))
		*tab = ' ';
	if (!bytes)
		python_api.PyErr_Clear();
	if (value)
		python_api.Py_DecRef(value);
}

static long line_of(void *code)
{
	void *value = python_api.PyObject_GetAttrString(code, "co_firstlineno");
	long line = value ? python_api.PyLong_AsLong(value) : 0;

	if (!value || line < 0)
		python_api.PyErr_Clear();
	if (value)
		python_api.Py_DecRef(value);
	return line < 0 ? 0 : line;
}

/* Writes the number and a tab, and returns their length. */
static size_t put_line(char *to, long line)
{
	char digits[24];
	size_t count = 0, used = 0;

	do {
		digits[count++] = (char)('0' + line % 10);
		line /= 10;
	} while (line);
	while (count)
		to[used++] = digits[--count];
	to[used++] = '\t';
	return used;
}

static struct string text_of_code(void *code, char text[TEXT_BYTES])
{
	size_t used = put_line(text, line_of(code)), length;
	const char *file;

	copy_attribute(text + used, NAME_BYTES, code, "co_name");
	used += strlen(text + used);
	text[used++] = '\t';
	copy_attribute(text + used, FILE_BYTES, code, "co_filename");
	length = strlen(text + used);
	file = place_file(text + used, &length);
	memmove(text + used, file, length + 1);
	return string_of(text);
}

/* "0\tLABEL\t~" */
static struct string text_of_label(const char *name, char text[TEXT_BYTES])
{
	size_t used = put_line(text, 0), length = strlen(name);

	if (length > NAME_BYTES)
		length = NAME_BYTES;
	memcpy(text + used, name, length);
	memcpy(text + used + length, "\t~", sizeof("\t~"));
	return string_of(text);
}

/* --- code --- */

/* The module that the innermost frame's function is defined in. */
static const char *function_names_module(void)
{
	void *globals = get_globals(), *name;
	ssize_t length;
	const char *module;

	name = globals ? python_api.PyDict_GetItemString(globals, "__name__") : NULL;
	module = name ? python_api.PyUnicode_AsUTF8AndSize(name, &length) : NULL;
	if (!module)
		python_api.PyErr_Clear();
	return module ? module : "";
}

static bool function_names_is_wanted(void)
{
	if (!(settings.trace & 1u << SETTINGS_FAMILY_functions))
		return false;
	return !settings.functions[0] ||
	       module_list_has(settings.functions, function_names_module());
}

static uint64_t function_names_record(uint32_t event, const struct string *text)
{
	(void)recorder_record(EVT_FAMILY_functions, event, &(struct recorder_field){ .text = text },
			      1);
	return text->hash;
}

uint64_t function_record_code(uint32_t event, void *code)
{
	void *type, *value, *trace;
	uint64_t id = function_of_code(code);
	char text[TEXT_BYTES];
	struct string string;
	int saved = errno;

	python_api.PyErr_Fetch(&type, &value, &trace);
	if (!id && marks_of_functions)
		call_request_look(code, function_names_module());
	if (!id && !function_names_is_wanted())
		id = FUNCTION_LEFT_OUT;
	if (id != FUNCTION_LEFT_OUT) {
		string = text_of_code(code, text);
		id = function_names_record(event, &string);
	}
	if (set_extra(code, function_api.index, (void *)(uintptr_t)id) != 0)
		python_api.PyErr_Clear();
	python_api.PyErr_Restore(type, value, trace);
	errno = saved;
	return id;
}

/* --- functions of C --- */

static struct method *function_names_slot_of(const void *method)
{
	uintptr_t at = (uintptr_t)method;

	return &methods[(at >> 4 ^ at >> 15) % METHODS];
}

/*
 * PyMethodDef begins with its name, which may be NULL in a careless extension: CPython itself
 * crashes when asked for it.
 */
static const char *method_name(const void *method)
{
	const char *name = *(const char *const *)method;

	return name ? name : "";
}

static uint64_t method_mark(const void *method)
{
	const char *name = method_name(method);
	uint64_t mark = (uintptr_t)method * 0x9e3779b97f4a7c15u + (uintptr_t)name;

	for (unsigned int i = 0; i < 8 && name[i]; i++)
		mark = mark * 31 + (unsigned char)name[i];
	return mark;
}

uint64_t function_of_method(void *method)
{
	struct method *known = function_names_slot_of(method);
	uint64_t hash = __atomic_load_n(&known->hash, __ATOMIC_RELAXED);

	return (__atomic_load_n(&known->mark, __ATOMIC_RELAXED) ^ hash) == method_mark(method)
		       ? hash
		       : 0;
}

void function_record_method(uint32_t event, void *method, void *callable)
{
	struct method *known = function_names_slot_of(method);
	void *type, *value, *trace, *text_object = NULL;
	const char *bytes = NULL;
	char text[TEXT_BYTES];
	struct string string;
	ssize_t length;
	int saved = errno;

	python_api.PyErr_Fetch(&type, &value, &trace);
	if (*(const char *const *)method)
		text_object = python_api.PyObject_CallFunctionObjArgs(label, callable, NULL);
	if (text_object)
		bytes = python_api.PyUnicode_AsUTF8AndSize(text_object, &length);
	if (!bytes)
		python_api.PyErr_Clear();
	string = text_of_label(bytes ? bytes : "<built-in function>", text);
	__atomic_store_n(&known->hash, string.hash, __ATOMIC_RELAXED);
	__atomic_store_n(&known->mark, method_mark(method) ^ string.hash, __ATOMIC_RELAXED);
	(void)function_names_record(event, &string);
	if (text_object)
		python_api.Py_DecRef(text_object);
	python_api.PyErr_Restore(type, value, trace);
	errno = saved;
}

/* --- the way in --- */

static void *function_names_find(const char *newer, const char *older)
{
	void *found = symbols_find_loaded(newer);

	return found ? found : symbols_find_loaded(older);
}

/*
 * Finds where code objects have their extra words: the word that changes when a code that has none
 * gets some. Not in builds with another object head, whose threads may run at the same time.
 */
static size_t place_find(void *code, size_t places)
{
	const struct function_extra *extra;
	uint64_t before[PLACES];
	uint64_t *words = code;
	size_t found = 0, changes = 0;

	if (call_types.type_word != 1 || places > PLACES)
		return 0;
	memcpy(before, code, places * sizeof(*words));
	if (set_extra(code, function_api.index, &function_api) != 0)
		return 0;
	for (size_t i = 0; i < places; i++) {
		if (before[i] == words[i])
			continue;
		found = before[i] ? 0 : i;
		changes++;
	}
	extra = changes == 1 && found ? (const struct function_extra *)words[found] : NULL;
	if (!extra || extra->count <= function_api.index ||
	    extra->word[function_api.index] != &function_api)
		found = 0;
	(void)set_extra(code, function_api.index, NULL);
	return found;
}

/* `given` is a Python function. */
static void place_learn(void *given)
{
	void *code = python_api.PyObject_GetAttrString(given, "__code__");
	void *size = python_api.PyObject_GetAttrString(call_types.code, "__basicsize__");
	long bytes = size ? python_api.PyLong_AsLong(size) : 0;

	if (code && bytes > 0 && ((void **)code)[call_types.type_word] == call_types.code)
		function_api.place = place_find(code, (size_t)bytes / sizeof(uint64_t));
	python_api.PyErr_Clear();
	if (size)
		python_api.Py_DecRef(size);
	if (code)
		python_api.Py_DecRef(code);
}

bool function_names_begin(void *given_label)
{
	ssize_t (*request)(void (*release)(void *extra)) = (ssize_t(*)(
		void (*)(void *)))function_names_find("PyUnstable_Eval_RequestCodeExtraIndex",
						      "_PyEval_RequestCodeExtraIndex");
	void *memory;

	function_api.get_extra = (int (*)(void *, ssize_t, void **))function_names_find(
		"PyUnstable_Code_GetExtra", "_PyCode_GetExtra");
	set_extra = (int (*)(void *, ssize_t, void *))function_names_find(
		"PyUnstable_Code_SetExtra", "_PyCode_SetExtra");
	get_globals = (void *(*)(void))symbols_find_loaded("PyEval_GetGlobals");
	if (!request || !function_api.get_extra || !set_extra || !get_globals)
		return false;
	memory = mmap(NULL, METHODS * sizeof(*methods), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	methods = memory;
	function_api.index = request(NULL);
	if (function_api.index < 0)
		return false;
	python_api.Py_IncRef(given_label);
	label = given_label;
	place_learn(given_label);
	return true;
}
