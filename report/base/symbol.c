/* SPDX-License-Identifier: MIT */
/* Parts of demangled C++ names: see symbol.h. */
#include "report/base/symbol.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_of_name(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '$' ||
	       character == '~' || (character & 0x80);
}

static bool starts_with(const char *text, size_t length, const char *start)
{
	return length >= strlen(start) && !memcmp(text, start, strlen(start));
}

/* Length of "operator" and its sign, whose brackets are none; 0 when there is none at `at`. */
static size_t operator_length(const char *name, size_t length, size_t at)
{
	size_t used = strlen("operator");

	if ((at && is_of_name(name[at - 1])) || !starts_with(name + at, length - at, "operator"))
		return 0;
	name += at;
	length -= at;
	if (used < length && is_of_name(name[used]))
		return 0;
	if (starts_with(name + used, length - used, "()") ||
	    starts_with(name + used, length - used, "[]"))
		return used + 2;
	while (used < length && strchr("<>=-!+*/%^&|,", name[used]))
		used++;
	return used;
}

/* What one character does to the depth of brackets; that of "->" does nothing. */
static int bracket_of(const char *name, size_t at)
{
	if (strchr("<([{", name[at]))
		return 1;
	if (name[at] == '>' && at && name[at - 1] == '-')
		return 0;
	return strchr(">)]}", name[at]) ? -1 : 0;
}

const char *symbol_base(const char *name, size_t length, size_t *ret_length)
{
	size_t start = 0, end = length;
	long depth = 0;

	for (size_t i = 0; i < length; i++) {
		size_t skipped = operator_length(name, length, i);

		if (skipped) {
			i += skipped - 1;
			continue;
		}
		if (!depth && starts_with(name + i, length - i, "::")) {
			start = i + 2;
			end = length;
			i++;
			continue;
		}
		if (!name[i])
			continue;
		if (!depth && name[i] == '<' && i > start && end == length)
			end = i;
		depth += bracket_of(name, i);
	}
	while (end > start && name[end - 1] == ' ')
		end--;
	*ret_length = end > start ? end - start : length;
	return end > start ? name + start : name;
}

/* Length up to the parameters: the last pair of brackets, if the name ends with it. */
static size_t length_without_parameters(const char *name, size_t length)
{
	size_t end = length;
	long depth = 0;

	if (end > 6 && !memcmp(name + end - 6, " const", 6))
		end -= 6;
	if (!end || name[end - 1] != ')')
		return length;
	for (size_t i = end; i-- > 0;) {
		depth += (name[i] == ')') - (name[i] == '(');
		if (!depth)
			return i && name[i - 1] != ':' ? i : length;
	}
	return length;
}

size_t symbol_compact(char *shown, const char *name, size_t length)
{
	static const char nameless[] = "(anonymous namespace)";
	const size_t nameless_length = sizeof(nameless) - 1;
	size_t used = 0;

	length = length_without_parameters(name, length);
	for (size_t i = 0; i < length; i++) {
		size_t before = used;

		shown[used++] = name[i];
		if (!starts_with(name + i, length - i, "::") || !before)
			continue;
		if (before >= nameless_length &&
		    !memcmp(shown + before - nameless_length, nameless, nameless_length))
			used = before - nameless_length;
		else if (is_of_name(shown[before - 1]))
			for (used = before; used && is_of_name(shown[used - 1]);)
				used--;
		else
			shown[used++] = ':'; /* of a template, or of none */
		i++;
	}
	shown[used] = '\0';
	return used;
}
