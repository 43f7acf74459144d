/* SPDX-License-Identifier: MIT */
/*
 * A value of JSON that was read: the only place that knows the library that reads it (json-c). Text
 * is valid UTF-8. Every function takes NULL, which is JSON's null, too.
 */
#ifndef REPORT_MCP_VALUE_H
#define REPORT_MCP_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUE_DEPTH 32 /* deeper values are refused */
#define VALUE_WHY_BYTES 160

enum value_kind { VALUE_NULL, VALUE_OTHER, VALUE_INTEGER, VALUE_TEXT, VALUE_LIST, VALUE_OBJECT };

struct value;

/*
 * Reads one value; text[length] must be 0. The caller frees it. `why` is "", or says why the text
 * is not one value of JSON.
 */
struct value *value_read(const char *text, size_t length, char why[VALUE_WHY_BYTES]);
void value_free(struct value *value);

enum value_kind value_kind_of(const struct value *value);
/* Text may contain zero bytes; NULL for other kinds. */
const char *value_text(const struct value *value, size_t *ret_length);
/* False for other kinds, and for numbers that do not fit. */
bool value_integer(const struct value *value, int64_t *ret_number);

size_t value_count(const struct value *list);
struct value *value_at(const struct value *list, size_t index);

/* `ret_value` may be NULL. */
bool value_has(const struct value *object, const char *name, struct value **ret_value);
/* NULL: there is no such member, or it is null. */
struct value *value_member(const struct value *object, const char *name);
/* Calls `take` for each member until it returns false, and returns that. */
typedef bool take_member(void *context, const char *name, const struct value *value);
bool value_each(const struct value *object, take_member *take, void *context);

#endif
