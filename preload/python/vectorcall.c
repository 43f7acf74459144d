/* SPDX-License-Identifier: MIT */
/* Before 3.12 there is no function to set the pointer: its place in the object is searched for. */
#include "preload/python/vectorcall.h"

#include "preload/base/symbols.h"
#include "preload/python/python_api.h"

#define FUNCTION_WORDS 17 /* maximum size of PyFunctionObject before 3.12, in words */
#define FREE_THREADED_TYPE_WORD 3

static struct {
	void *function_type;
	unsigned int type_word; /* the word of an object that holds its type */
	vectorcall *(*get)(void *callable);
	void (*set)(void *function, vectorcall *call);
	vectorcall *usual; /* the vectorcall that CPython gives its functions */
} calling;

void *vectorcall_type_of(void *object)
{
	return ((void **)object)[calling.type_word];
}

bool vectorcall_is_free_threaded(void)
{
	return calling.type_word == FREE_THREADED_TYPE_WORD;
}

static bool vectorcall_look_up(void)
{
	calling.type_word = python_type_word();
	calling.function_type = symbols_find_loaded("PyFunction_Type");
	calling.get = (vectorcall * (*)(void *)) symbols_find_loaded("PyVectorcall_Function");
	calling.set = (void (*)(void *, vectorcall *))symbols_find_loaded(
		"PyFunction_SetVectorcall");
	if (!calling.set)
		calling.usual = (vectorcall *)symbols_find_loaded("_PyFunction_Vectorcall");
	return calling.function_type && calling.type_word;
}

bool vectorcall_find(void)
{
	static _Atomic int found; /* 1: yes, -1: no */

	if (!atomic_load(&found))
		atomic_store(&found, vectorcall_look_up() ? 1 : -1);
	return atomic_load(&found) > 0;
}

/* Returns where the function object has the pointer `call`; NULL: nowhere. */
static void **find_word(void **function, vectorcall *call)
{
	for (unsigned int i = calling.type_word + 1; i < FUNCTION_WORDS; i++)
		if (function[i] == (void *)call)
			return &function[i];
	return NULL;
}

bool vectorcall_put(void *function, vectorcall *ours, _Atomic(vectorcall *) *original)
{
	vectorcall *known = atomic_load(original), *current = calling.usual;
	void **word = NULL;

	if (vectorcall_type_of(function) != calling.function_type)
		return false;
	if (calling.set)
		current = calling.get ? calling.get(function) : NULL;
	else if (find_word(function, ours))
		return true;
	else
		word = current ? find_word(function, current) : NULL;
	if (current == ours)
		return true;
	if (!current || (!calling.set && !word) || (known && known != current))
		return false;
	atomic_store_explicit(original, current, memory_order_relaxed);
	atomic_thread_fence(memory_order_release); /* of vectorcall_original() */
	if (calling.set)
		calling.set(function, ours);
	else
		*word = (void *)ours;
	return true;
}
