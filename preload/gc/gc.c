/* SPDX-License-Identifier: MIT */
/*
 * Collections of the garbage collector: see gc.h. The collector calls the functions in a list,
 * which the program sees as gc.callbacks. We make the interpreter's state point to a list of our
 * own. Its only function records the collection and then calls the program's functions. So
 * gc.callbacks remains the program's own list.
 */
/* cases: gc */
#include "preload/gc/gc.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/base/own_memory.h"
#include "preload/base/symbols.h"
#include "preload/python/place.h"
#include "preload/python/python_api.h"
#include "preload/python/python_string.h"
#include "preload/record/event.h"
#include "preload/settings/settings.h"

/* bytes of an interpreter's state that are searched: in 3.12 it has 300 KiB */
#define STATE_BYTES (1u << 20)
#define PIECE_WORDS 512u
#define LAST_GENERATION 2
#define FRAMES_MAX 64u   /* frames of a stack that are recorded, innermost ones */
#define MODULE_EXECUTE 2 /* Py_mod_exec */

/* The bytes of gc.py, followed by a 0. */
__asm__(".pushsection .rodata\n"
	"gc_script:\n"
	".incbin \"preload/gc/gc.py\"\n"
	".byte 0\n"
	".popsection\n");
extern const char gc_script[] __attribute__((visibility("hidden")));

/* PyModuleDef_Slot */
struct module_slot {
	int id;
	void *value;
};

/* Used with the GIL only. `place` is set last, when all others are set. */
static struct {
	/* where the interpreter's state has the pointer to the list */
	_Atomic(void *) *place;
	void *programs, *ours;        /* the two lists */
	int (*execute)(void *module); /* fills the module gc; NULL before 3.10 */
	/*
	 * the interpreter that the state belongs to; NULL: the state is the process's, before 3.9
	 */
	void *interpreter;
	void *(*interpreter_of_thread)(void);
	void *generation, *collected, *uncollectable; /* keys, as str objects */
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

static uint64_t gc_number_of(void *info, void *key)
{
	void *number = hidden.look(info, key);
	long value = number ? python_api.PyLong_AsLong(number) : 0;

	return value > 0 ? (uint64_t)value : 0;
}

static struct string gc_file_text(void *file)
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
	struct string file_is = gc_file_text(file), name_is = python_string(name);
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

/* Recorded before the collection begins, so that its time does not include this. */
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

static void gc_record_begin(uint64_t generation)
{
	struct recorder_field field[3] = { { .number = generation } };
	struct string file = string_of("");
	void *frame = NULL, *code = NULL, *name = NULL;
	int line = 0;

	/*
	 * a full collection is rare, and long enough to record where it comes from; before 3.9,
	 * asking would be an audit event
	 */
	if (generation >= LAST_GENERATION && hidden.code_of && hidden.back_of)
		frame = python_api.PyEval_GetFrame();
	if (frame) {
		record_stack(frame);
		code = hidden.code_of(frame);
		name = python_attribute(code, "co_filename");
		file = gc_file_text(name);
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

static void gc_record_end(void *info)
{
	(void)recorder_record(
		EVT_FAMILY_gc, EVT_gc_end,
		(struct recorder_field[]){ { .number = gc_number_of(info, hidden.collected) },
					   { .number = gc_number_of(info, hidden.uncollectable) } },
		2);
}

/* Calls the program's functions as the collector does; they may change the list meanwhile. */
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

/* The callback: (phase, info). Returns one of them, because None would have to be looked up. */
static void *gc_collects(void *self, void *const *arguments, ssize_t count)
{
	void *phase = count == 2 ? arguments[0] : NULL, *info = phase ? arguments[1] : NULL;
	ssize_t length = 0;
	const char *text = phase ? python_api.PyUnicode_AsUTF8AndSize(phase, &length) : NULL;

	(void)self;
	if (!text) { /* the program has found the function and calls it */
		python_api.PyErr_Clear();
		python_api.Py_IncRef(hidden.generation);
		return hidden.generation;
	}
	if (length == 5 && memcmp(text, "start", 5) == 0)
		gc_record_begin(gc_number_of(info, hidden.generation));
	else
		gc_record_end(info);
	if (hidden.size(hidden.programs))
		call_the_programs(phase, info);
	python_api.Py_IncRef(phase);
	return phase;
}

/* --- the way in --- */

/*
 * In each version the collector's state has `garbage` followed by `callbacks`. Both pointers are
 * known, and they are side by side nowhere else. The memory is read by the kernel, because nothing
 * says where the state ends.
 */
static void *find_pair(const char *state, uint64_t garbage, uint64_t callbacks)
{
	uint64_t word[PIECE_WORDS], last = 0;

	for (size_t at = 0; at < STATE_BYTES; at += sizeof(word)) {
		if (!own_memory_read((uint64_t)(uintptr_t)(state + at), word, sizeof(word)))
			return NULL;
		for (size_t i = 0; i < PIECE_WORDS; last = word[i++])
			if (word[i] == callbacks && last == garbage)
				return (void *)(uintptr_t)(state + at + i * sizeof(word[0]));
	}
	return NULL;
}

/* Since 3.9 the state belongs to the interpreter, before that to the process. */
static void *find_place(void *garbage, void *callbacks)
{
	char *state;

	hidden.interpreter_of_thread = (void *(*)(void))symbols_find_loaded(
		"PyInterpreterState_Get");
	hidden.interpreter = hidden.interpreter_of_thread ? hidden.interpreter_of_thread() : NULL;
	state = hidden.interpreter ? hidden.interpreter : symbols_find_loaded("_PyRuntime");

	return state && own_memory_is_readable()
		       ? find_pair(state, (uintptr_t)garbage, (uintptr_t)callbacks)
		       : NULL;
}

static bool look_up(void)
{
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
	return hidden.new_list && hidden.append && hidden.size && hidden.item && hidden.untrack &&
	       hidden.look && hidden.write_unraisable && hidden.generation && hidden.collected &&
	       hidden.uncollectable;
}

/*
 * Makes a list that gc.get_objects() does not contain, holding the function, which it does not
 * contain either.
 */
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

/*
 * --- when the program imports gc, the module takes the list from the state: it must get the
 * program's list ---
 */

/* Another interpreter of the process has its own state and lists. */
static bool is_of_thread(void)
{
	return !hidden.interpreter || hidden.interpreter_of_thread() == hidden.interpreter;
}

/*
 * Covers every import of gc, also by importlib, for which there is no audit event. Runs with the
 * GIL from begin to end.
 */
static int gc_executes(void *module)
{
	bool stands = hidden.place && is_of_thread() && atomic_load(hidden.place) == hidden.ours;
	int failed;

	if (stands)
		atomic_store(hidden.place, hidden.programs);
	failed = hidden.execute(module);
	if (stands && hidden.place)
		atomic_store(hidden.place, hidden.ours);
	return failed;
}

/*
 * Finds the slots of a module's definition: five words of its base (seven without the GIL, where
 * objects are longer), then name, text, size and functions. NULL: its layout is another.
 */
static struct module_slot *slots_of(const char *definition, bool *ret_is_known)
{
	static const unsigned int before_name[] = { 5, 7 };

	for (size_t i = 0; i < sizeof(before_name) / sizeof(before_name[0]); i++) {
		uint64_t word[5];
		char name[3];

		if (own_memory_read((uint64_t)(uintptr_t)definition +
					    before_name[i] * sizeof(word[0]),
				    word, sizeof(word)) &&
		    own_memory_read(word[0], name, sizeof(name)) && !memcmp(name, "gc", 3)) {
			*ret_is_known = true;
			return (struct module_slot *)(uintptr_t)word[4];
		}
	}
	*ret_is_known = false;
	return NULL;
}

/*
 * Since 3.10 the module is filled by a function in its definition. Before that it is filled once,
 * and a second import copies the first module, so nothing is taken from the state. The list of
 * slots ends with a 0.
 */
static bool gc_see_executes(void *module)
{
	void *(*definition_of)(void *) = (void *(*)(void *))symbols_find_loaded("PyModule_GetDef");
	const char *definition = definition_of ? definition_of(module) : NULL;
	struct module_slot *slot;
	bool is_known = false;
	void *ours = (void *)gc_executes;

	slot = definition ? slots_of(definition, &is_known) : NULL;
	if (!is_known)
		return false;
	while (slot && slot->id && slot->id != MODULE_EXECUTE)
		slot++;
	if (!slot)
		return true;
	if (!slot->id ||
	    slot->value == ours) /* the second time: an interpreter that was started again */
		return slot->id != 0;
	hidden.execute = (int (*)(void *))slot->value;
	return own_memory_write((uintptr_t)&slot->value, &ours, sizeof(ours));
}

/*
 * begin(garbage, callbacks, module) of gc.py. The module lives for ever, because python -v would
 * otherwise report its end.
 */
static void *gc_found(void *self, void *arguments)
{
	void *garbage = python_api.PyTuple_GetItem(arguments, 0);
	void *callbacks = python_api.PyTuple_GetItem(arguments, 1);
	_Atomic(void *) *place = find_place(garbage, callbacks);

	(void)self;
	python_api.Py_IncRef(python_api.PyTuple_GetItem(arguments, 2));
	if (place && look_up() && make_list() &&
	    gc_see_executes(python_api.PyTuple_GetItem(arguments, 2))) {
		hidden.programs = callbacks;
		hidden.place = place;
		/* one reference for the state, and one of our own */
		python_api.Py_IncRef(hidden.ours);
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

/* --- the end --- */

/*
 * The interpreter will release the list that its state points to. That becomes the program's list
 * again, whose objects then end as they would without us.
 */
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
