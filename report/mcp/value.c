/* SPDX-License-Identifier: MIT */
/* json-c checks depth, UTF-8 and syntax. Its numbers saturate, so the largest are none. */
#include "report/mcp/value.h"

#include <json-c/json_object.h>
#include <json-c/json_object_iterator.h>
#include <json-c/json_tokener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_object *value_object(const struct value *value)
{
	return (json_object *)(uintptr_t)value;
}

struct value *value_read(const char *text, size_t length, char why[VALUE_WHY_BYTES])
{
	json_tokener *tokener = json_tokener_new_ex(VALUE_DEPTH);
	json_object *value = NULL;
	enum json_tokener_error error;
	size_t end;

	snprintf(why, VALUE_WHY_BYTES, "no memory to read it");
	if (!tokener)
		return NULL;
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	/* with the 0 behind it: a number ends there */
	value = json_tokener_parse_ex(tokener, text, (int)length + 1);
	error = json_tokener_get_error(tokener);
	end = json_tokener_get_parse_end(tokener);
	if (error != json_tokener_success)
		snprintf(why, VALUE_WHY_BYTES, "no JSON: %s at byte %zu",
			 error == json_tokener_continue ? "it ends too early"
							: json_tokener_error_desc(error),
			 end);
	else if (end + strspn(text + end, " \t\r") < length)
		snprintf(why, VALUE_WHY_BYTES, "no JSON: there is more after byte %zu", end);
	else
		why[0] = '\0';
	json_tokener_free(tokener);
	if (!why[0])
		return (struct value *)value;
	json_object_put(value);
	return NULL;
}

void value_free(struct value *value)
{
	json_object_put(value_object(value));
}

enum value_kind value_kind_of(const struct value *value)
{
	switch (json_object_get_type(value_object(value))) {
	case json_type_null:
		return VALUE_NULL;
	case json_type_int:
		return VALUE_INTEGER;
	case json_type_string:
		return VALUE_TEXT;
	case json_type_array:
		return VALUE_LIST;
	case json_type_object:
		return VALUE_OBJECT;
	default:
		return VALUE_OTHER;
	}
}

const char *value_text(const struct value *value, size_t *ret_length)
{
	if (value_kind_of(value) != VALUE_TEXT)
		return NULL;
	if (ret_length)
		*ret_length = (size_t)json_object_get_string_len(value_object(value));
	return json_object_get_string(value_object(value));
}

bool value_integer(const struct value *value, int64_t *ret_number)
{
	int64_t number = json_object_get_int64(value_object(value));

	if (value_kind_of(value) != VALUE_INTEGER || number == INT64_MAX || number == INT64_MIN)
		return false;
	*ret_number = number;
	return true;
}

size_t value_count(const struct value *list)
{
	return value_kind_of(list) == VALUE_LIST ? json_object_array_length(value_object(list)) : 0;
}

struct value *value_at(const struct value *list, size_t index)
{
	return index < value_count(list)
		       ? (struct value *)json_object_array_get_idx(value_object(list), index)
		       : NULL;
}

bool value_has(const struct value *object, const char *name, struct value **ret_value)
{
	json_object *value = NULL;
	bool has = value_kind_of(object) == VALUE_OBJECT &&
		   json_object_object_get_ex(value_object(object), name, &value);

	if (ret_value)
		*ret_value = (struct value *)value;
	return has;
}

struct value *value_member(const struct value *object, const char *name)
{
	struct value *value;

	value_has(object, name, &value);
	return value;
}

bool value_each(const struct value *object, take_member *take, void *context)
{
	struct json_object_iterator at, end;

	if (value_kind_of(object) != VALUE_OBJECT)
		return true;
	at = json_object_iter_begin(value_object(object));
	end = json_object_iter_end(value_object(object));
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
		if (!take(context, json_object_iter_peek_name(&at),
			  (const struct value *)json_object_iter_peek_value(&at)))
			return false;
	return true;
}
