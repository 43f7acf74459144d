/* SPDX-License-Identifier: MIT */
/* Attributes are new references, what a dict has is not: the request holds the dict. */
#include "preload/routes/found.h"

void *found_attribute(struct found *found, void *object, const char *name)
{
	void *value = found->count < FOUND_KEPT ? python_attribute(object, name) : NULL;

	if (value)
		found->kept[found->count++] = value;
	return value;
}

void *found_item(void *dict, const char *key)
{
	void *value = dict ? python_api.PyDict_GetItemString(dict, key) : NULL;

	if (!value)
		python_api.PyErr_Clear();
	return value;
}

struct string_view found_text(void *text)
{
	struct string_view view;

	view.bytes = python_utf8(text, &view.length);
	return view;
}

void found_release(struct found *found)
{
	while (found->count)
		python_api.Py_DecRef(found->kept[--found->count]);
}

bool found_append(char room[ROUTE_BYTES], size_t *at, struct string_view text)
{
	if (text.length > ROUTE_BYTES - *at)
		return false;
	if (text.length)
		memcpy(room + *at, text.bytes, text.length);
	*at += text.length;
	return true;
}
