/* SPDX-License-Identifier: MIT */
/*
 * Collections of the garbage collector: see gc.h. The collector calls what stands in a list of callbacks, which the program has as
 * gc.callbacks. The interpreter's state points to another list here, ours, with one function in it, which records and then calls the
 * program's. So gc.callbacks is and stays the program's own.
 */
#include "preload/gc/gc.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/base/symbols.h"
#include "preload/python/place.h"
#include "preload/python/python_api.h"
#include "preload/python/python_string.h"
#include "preload/record/event.h"
#include "preload/settings/settings.h"

#define STATE_BYTES (1u << 20) /* of an interpreter's state that are looked at: 3.12 has 300 KiB */
#define PIECE_WORDS 512u
#define LAST_GENERATION 2
#define FRAMES_MAX 64u   /* of a stack that are recorded, the innermost ones */
#define TRIES_MAX 65536u /* to stand in the list's place again: each is a turn of the interpreter */

/* The bytes of gc.py and a 0 behind them. */
__asm__(".pushsection .rodata\n"
	"gc_script:\n"
	".incbin \"preload/gc/gc.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char gc_script[] __attribute__((visibility("hidden")));

/* All of it with the GIL; `place` says that the rest is there. */
static struct {
	_Atomic(void *) *place; /* of the pointer, in the interpreter's state */
	void *programs, *ours;  /* lists */
	unsigned int tries;
	void *interpreter; /* that the state is of; NULL: the process', before 3.9 */
	void *(*interpreter_of_thread)(void);
	void *generation, *collected, *uncollectable; /* keys, as str */
	int (*add_pending)(int (*call)(void *), void *argument);
	void *(*new_list)(ssize_t length);
	int (*append)(void *list, void *item);
	ssize_t (*size)(void *list);
	void *(*item)(void *list, ssize_t index);
	void (*untrack)(void *object);
	void *(*look)(void *dict, void *key);
	void *(*code_of)(void *frame), *(*back_of)(void *frame); /* NULL before 3.9 */
	void (*write_unraisable)(void *object);
} hidden;

/* --- recording --- */

static uint64_t number_of(void *info, void *key)
{
	void *number = hidden.look(info, key);
	long value = number ? python_api.PyLong_AsLong(number) : 0;

	return value > 0 ? (uint64_t)value : 0;
}

static struct string file_text(void *file)
{
	struct string text = python_string(file);
	size_t length = text.length;
	const char *shown = length ? place_file(text.bytes, &length) : "";

	return string_of_bytes(shown, length);
}

static void record_frame(void *frame)
{
	void *code = hidden.code_of(frame), *file = python_attribute(code, "co_filename"),
	     *name = python_attribute(code, "co_name");
	struct string file_is = file_text(file), name_is = python_string(name);
	int line = python_api.PyFrame_GetLineNumber(frame);

	(void)recorder_record(
		EVT_FAMILY_gc, EVT_gc_frame,
		(struct recorder_field[]){ { .text = &file_is },
					   { .text = &name_is },
					   { .number = line > 0 ? (uint64_t)line : 0 } },
		3);
	if (file)
		python_api.Py_DecRef(file);
	if (name)
		python_api.Py_DecRef(name);
	if (code)
		python_api.Py_DecRef(code);
}

/* Before the collection begins, so that its time has nothing of this. */
static void record_stack(void *innermost)
{
	void *frame = innermost, *back;

	for (unsigned int depth = 0; frame && depth < FRAMES_MAX; depth++) {
		record_frame(frame);
		back = hidden.back_of(frame);
		if (depth)
			python_api.Py_DecRef(frame);
		frame = back;
	}
	if (frame && frame != innermost)
		python_api.Py_DecRef(frame);
}

static void record_begin(uint64_t generation)
{
	struct recorder_field field[3] = { { .number = generation } };
	struct string file = string_of("");
	void *frame = NULL, *code = NULL, *name = NULL;
	int line = 0;

	/* a full one is rare and long enough to ask where it comes from; before 3.9 asking would be an audit event */
	if (generation >= LAST_GENERATION && hidden.code_of && hidden.back_of)
		frame = python_api.PyEval_GetFrame();
	if (frame) {
		record_stack(frame);
		code = hidden.code_of(frame);
		name = python_attribute(code, "co_filename");
		file = file_text(name);
		line = python_api.PyFrame_GetLineNumber(frame);
	}
	field[1].text = &file;
	field[2].number = line > 0 ? (uint64_t)line : 0;
	(void)recorder_record(EVT_FAMILY_gc, EVT_gc_begin, field, 3);
	if (name)
		python_api.Py_DecRef(name);
	if (code)
		python_api.Py_DecRef(code);
}

static void record_end(void *info)
{
	(void)recorder_record(
		EVT_FAMILY_gc, EVT_gc_end,
		(struct recorder_field[]){ { .number = number_of(info, hidden.collected) },
					   { .number = number_of(info, hidden.uncollectable) } },
		2);
}

/* As the collector calls them, who may change the list meanwhile. */
static void call_the_programs(void *phase, void *info)
{
	for (ssize_t i = 0; i < hidden.size(hidden.programs); i++) {
		void *call = hidden.item(hidden.programs, i), *result;

		python_api.Py_IncRef(call);
		result = python_api.PyObject_CallFunctionObjArgs(call, phase, info, NULL);
		if (result)
			python_api.Py_DecRef(result);
		else
			hidden.write_unraisable(call);
		python_api.Py_DecRef(call);
	}
}

/* The callback: (phase, info). Returns one of them, since None would have to be looked for. */
static void *gc_collects(void *self, void *const *arguments, ssize_t count)
{
	void *phase = arguments[0], *info = arguments[1];
	ssize_t length = 0;
	const char *text = python_api.PyUnicode_AsUTF8AndSize(phase, &length);

	(void)self;
	(void)count;
	if (text && length == 5 && memcmp(text, "start", 5) == 0)
		record_begin(number_of(info, hidden.generation));
	else
		record_end(info);
	if (hidden.size(hidden.programs))
		call_the_programs(phase, info);
	python_api.Py_IncRef(phase);
	return phase;
}

/* --- the way in --- */

static bool read_words(const void *from, uint64_t *to, size_t words)
{
	const struct iovec mine = { to, words * sizeof(*to) };
	const struct iovec theirs = { (void *)(uintptr_t)from, words * sizeof(*to) };

	return process_vm_readv(getpid(), &mine, 1, &theirs, 1, 0) == (ssize_t)mine.iov_len;
}

/*
 * The state of the collector has `garbage` and behind it `callbacks` in each version: two pointers that are known stand nowhere else
 * side by side. Read by the kernel, since nobody says where the state ends.
 */
static void *find_pair(const char *state, uint64_t garbage, uint64_t callbacks)
{
	uint64_t word[PIECE_WORDS], last = 0;

	for (size_t at = 0; at < STATE_BYTES; at += sizeof(word)) {
		if (!read_words(state + at, word, PIECE_WORDS))
			return NULL;
		for (size_t i = 0; i < PIECE_WORDS; last = word[i++])
			if (word[i] == callbacks && last == garbage)
				return (void *)(uintptr_t)(state + at + i * sizeof(word[0]));
	}
	return NULL;
}

/* From 3.9 on it is the interpreter's, before that the process'. */
static void *find_place(void *garbage, void *callbacks)
{
	char *state;

	hidden.interpreter_of_thread = (void *(*)(void))symbols_find_loaded(
		"PyInterpreterState_Get");
	hidden.interpreter = hidden.interpreter_of_thread ? hidden.interpreter_of_thread() : NULL;
	state = hidden.interpreter ? hidden.interpreter : symbols_find_loaded("_PyRuntime");

	return state ? find_pair(state, (uintptr_t)garbage, (uintptr_t)callbacks) : NULL;
}

static bool look_up(void)
{
	hidden.add_pending = (int (*)(int (*)(void *), void *))symbols_find_loaded(
		"Py_AddPendingCall");
	hidden.new_list = (void *(*)(ssize_t))symbols_find_loaded("PyList_New");
	hidden.append = (int (*)(void *, void *))symbols_find_loaded("PyList_Append");
	hidden.size = (ssize_t(*)(void *))symbols_find_loaded("PyList_Size");
	hidden.item = (void *(*)(void *, ssize_t))symbols_find_loaded("PyList_GetItem");
	hidden.untrack = (void (*)(void *))symbols_find_loaded("PyObject_GC_UnTrack");
	hidden.look = (void *(*)(void *, void *))symbols_find_loaded("PyDict_GetItem");
	hidden.code_of = (void *(*)(void *))symbols_find_loaded("PyFrame_GetCode");
	hidden.back_of = (void *(*)(void *))symbols_find_loaded("PyFrame_GetBack");
	hidden.write_unraisable = (void (*)(void *))symbols_find_loaded("PyErr_WriteUnraisable");
	hidden.generation = python_api.PyUnicode_InternFromString("generation");
	hidden.collected = python_api.PyUnicode_InternFromString("collected");
	hidden.uncollectable = python_api.PyUnicode_InternFromString("uncollectable");
	return hidden.add_pending && hidden.new_list && hidden.append && hidden.size &&
	       hidden.item && hidden.untrack && hidden.look && hidden.write_unraisable &&
	       hidden.generation && hidden.collected && hidden.uncollectable;
}

/* A list that gc.get_objects() does not have, with the function that it does not have either. */
static bool make_list(void)
{
	static struct python_method method = {
		"callback", (void *(*)(void *, void *))(void (*)(void))gc_collects,
		PYTHON_METH_FASTCALL, NULL
	};
	void *function = python_api.PyCFunction_NewEx(&method, NULL, NULL);

	hidden.ours = function ? hidden.new_list(0) : NULL;
	if (!hidden.ours || hidden.append(hidden.ours, function))
		return false;
	hidden.untrack(function);
	hidden.untrack(hidden.ours);
	return true;
}

/* begin(garbage, callbacks, module) of gc.py. The module lives for ever, or python -v would tell of its end. */
static void *gc_found(void *self, void *arguments)
{
	void *garbage = python_api.PyTuple_GetItem(arguments, 0);
	void *callbacks = python_api.PyTuple_GetItem(arguments, 1);
	_Atomic(void *) *place = find_place(garbage, callbacks);

	(void)self;
	python_api.Py_IncRef(python_api.PyTuple_GetItem(arguments, 2));
	if (place && look_up() && make_list()) {
		hidden.programs = callbacks;
		hidden.place = place;
		python_api.Py_IncRef(hidden.ours); /* the state's reference, and one of our own */
		atomic_store(place, hidden.ours);
	}
	python_api.Py_IncRef(arguments);
	return arguments;
}

bool gc_begin(void *arguments)
{
	static struct python_method method = { "begin", gc_found, PYTHON_METH_VARARGS, NULL };
	void *globals;

	(void)arguments;
	if (!(settings.trace & 1u << SETTINGS_FAMILY_gc))
		return true;
	globals = python_globals();
	if (!globals)
		return true;
	python_put_methods(globals, &method, 1);
	(void)python_run(gc_script, globals);
	python_api.Py_DecRef(globals);
	return true;
}

/* --- the program's own import of gc takes the list from the state: it has to be the program's then --- */

/* Another interpreter of the process has a state and lists of its own. */
static bool is_of_thread(void)
{
	return !hidden.interpreter || hidden.interpreter_of_thread() == hidden.interpreter;
}

/* It stands in sys.modules before it has what it takes. */
static bool is_imported(void)
{
	void *module = python_api.PyDict_GetItemString(python_api.PyImport_GetModuleDict(), "gc");

	return module && python_api.PyObject_HasAttrString(module, "callbacks");
}

static int come_back(void *argument)
{
	(void)argument;
	if (!hidden.place)
		return 0; /* the end has come */
	if (is_imported() || ++hidden.tries > TRIES_MAX)
		atomic_store(hidden.place, hidden.ours);
	else
		(void)hidden.add_pending(come_back, NULL);
	return 0;
}

bool gc_see_import(void *arguments)
{
	void *name = hidden.place ? python_api.PyTuple_GetItem(arguments, 0) : NULL;
	struct string text;

	if (!name)
		return true;
	text = python_string(name);
	if (text.length != 2 || memcmp(text.bytes, "gc", 2) != 0 || !is_of_thread() ||
	    is_imported() || atomic_load(hidden.place) != hidden.ours)
		return true;
	hidden.tries = 0;
	if (!hidden.add_pending(come_back, NULL))
		atomic_store(hidden.place, hidden.programs);
	return true;
}

/* --- the end --- */

/* The interpreter drops the list that its state points to: the program's, whose objects then end as they would without us. */
bool gc_see_end(void *arguments)
{
	void *ours = hidden.ours;

	(void)arguments;
	if (!hidden.place || !is_of_thread())
		return true;
	(void)atomic_compare_exchange_strong(hidden.place, &ours, hidden.programs);
	hidden.place = NULL;
	return true;
}
