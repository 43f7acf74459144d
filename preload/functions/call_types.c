/* SPDX-License-Identifier: MIT */
/*
 * The types are looked up by symbol. Which word of an object holds its type differs between builds:
 * it is the word in which PyCFunction_Type points to PyType_Type.
 */
#include "preload/functions/call_types.h"

#include "preload/base/symbols.h"

struct call_types call_types;

bool call_types_find(void)
{
	void *type_type = symbols_find_loaded("PyType_Type");

	call_types.function = symbols_find_loaded("PyCFunction_Type");
	call_types.descriptor = symbols_find_loaded("PyMethodDescr_Type");
	call_types.method = symbols_find_loaded("PyCMethod_Type");
	call_types.code = symbols_find_loaded("PyCode_Type");
	if (!call_types.function || !call_types.descriptor || !call_types.code || !type_type)
		return false;
	for (call_types.type_word = 1; call_types.type_word <= 3; call_types.type_word += 2)
		if (((void **)call_types.function)[call_types.type_word] == type_type)
			return true;
	return false;
}

/* PyFrameObject: head, size, f_back, f_code */
void *call_code_in(void *frame)
{
	void **code = ((void **)frame)[call_types.type_word + 3];

	return code && code[call_types.type_word] == call_types.code ? code : NULL;
}
