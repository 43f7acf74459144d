/* SPDX-License-Identifier: MIT */
/*
 * Makes two passes over the list. The first finds the default: out, if any name stands without !.
 * In the second, the last name that fits decides.
 */
#include "preload/settings/module_list.h"

#include <stddef.h>
#include <string.h>

static bool fits(const char *name, size_t length, const char *module)
{
	if (length && name[length - 1] == '*') {
		length--;
		if (length && name[length - 1] == '.') /* NAME.* also matches the package itself */
			return strncmp(module, name, length - 1) == 0 &&
			       (!module[length - 1] || module[length - 1] == '.');
		return strncmp(module, name, length) == 0;
	}
	return strlen(module) == length && memcmp(module, name, length) == 0;
}

static bool is_name(const char *name, size_t length)
{
	size_t first = length && *name == '!';

	length -= length > first && name[length - 1] == '*';
	for (size_t i = first; i < length; i++)
		if (strchr("*! \t\n", name[i]))
			return false;
	return length > first || name[first] == '*';
}

bool module_list_is_one(const char *list)
{
	bool has_any = false;
	size_t length;

	for (const char *name = list; *name; name += length, name += *name == ',') {
		length = strcspn(name, ",");
		if (length && !is_name(name, length))
			return false;
		has_any |= length > 0;
	}
	return has_any;
}

bool module_list_has(const char *list, const char *module)
{
	bool is_in = true;
	size_t length;

	for (const char *name = list; *name; name += length, name += *name == ',') {
		length = strcspn(name, ",");
		if (length && *name != '!')
			is_in = false;
	}
	for (const char *name = list; *name; name += length, name += *name == ',') {
		bool is_out = *name == '!';

		length = strcspn(name, ",");
		if (fits(name + is_out, length - is_out, module))
			is_in = !is_out;
	}
	return is_in;
}
