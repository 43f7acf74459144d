/* SPDX-License-Identifier: MIT */
/* Each question goes through the text once. */
#include "preload/settings/request_list.h"

#include <string.h>

static bool request_item_is_label(const char *item)
{
	return strncmp(item, REQUEST_LABEL, REQUEST_LABEL_LENGTH) == 0;
}

static const char *request_item_next(const char *item, size_t length)
{
	return item + length + (item[length] == ',');
}

static bool request_item_is_one(const char *item, size_t length)
{
	const char *colon = memchr(item, ':', length);

	if (!colon || colon == item || colon + 1 == item + length)
		return false;
	if (request_item_is_label(item))
		return true;
	for (size_t i = 0; i < length; i++)
		if (strchr(" \t\n", item[i]) || (item[i] == ':' && item + i != colon))
			return false;
	return true;
}

bool request_list_is_one(const char *list)
{
	size_t length;

	for (const char *item = list; *item; item = request_item_next(item, length)) {
		length = strcspn(item, ",");
		if (!request_item_is_one(item, length))
			return false;
	}
	return *list;
}

bool request_list_has_any(const char *list, bool label)
{
	for (const char *item = list; *item; item = request_item_next(item, strcspn(item, ",")))
		if (request_item_is_label(item) == label)
			return true;
	return false;
}

/* NAME, or NAME* for all that begin so. */
static bool request_name_fits(const char *wanted, size_t length, const char *name,
			      size_t name_length)
{
	if (length && wanted[length - 1] == '*')
		return name_length >= length - 1 && memcmp(name, wanted, length - 1) == 0;
	return name_length == length && memcmp(name, wanted, length) == 0;
}

bool request_list_has_label(const char *list, const char *name, size_t length)
{
	size_t item_length;

	for (const char *item = list; *item; item = request_item_next(item, item_length)) {
		item_length = strcspn(item, ",");
		if (request_item_is_label(item) &&
		    request_name_fits(item + REQUEST_LABEL_LENGTH,
				      item_length - REQUEST_LABEL_LENGTH, name, length))
			return true;
	}
	return false;
}

/* Returns the part behind the last dot. */
static const char *request_last_part(const char *text, size_t *length)
{
	for (size_t i = *length; i > 0; i--)
		if (text[i - 1] == '.') {
			*length -= i;
			return text + i;
		}
	return text;
}

bool request_list_has_function(const char *list, const char *module, const char *qualified,
			       const char *name)
{
	const char *called = qualified ? qualified : name;
	size_t length;

	for (const char *item = list; *item; item = request_item_next(item, length)) {
		size_t module_length = strcspn(item, ":"), function_length;
		const char *function = item + module_length + 1;

		length = strcspn(item, ",");
		if (request_item_is_label(item) || module_length >= length ||
		    !request_name_fits(item, module_length, module, strlen(module)))
			continue;
		function_length = length - module_length - 1;
		if (!qualified)
			function = request_last_part(function, &function_length);
		if (request_name_fits(function, function_length, called, strlen(called)))
			return true;
	}
	return false;
}
