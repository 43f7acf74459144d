/* SPDX-License-Identifier: MIT */
/* Parts of demangled C++ names, found by counting brackets from one end to the other. */
#include "report/base/symbol.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/base/text.h"

static bool is_of_name(char character)
{
	return isalnum((unsigned char)character) || character == '_' || character == '$' ||
	       character == '~' || (character & 0x80);
}

/* Length of "operator" and its sign, whose brackets do not count; 0 if there is none at `at`. */
static size_t operator_length(const char *name, size_t length, size_t at)
{
	size_t used = strlen("operator");

	if ((at && is_of_name(name[at - 1])) || !text_begins(name + at, length - at, "operator"))
		return 0;
	name += at;
	length -= at;
	if (used < length && is_of_name(name[used]))
		return 0;
	if (text_begins(name + used, length - used, "()") ||
	    text_begins(name + used, length - used, "[]"))
		return used + 2;
	while (used < length && strchr("<>=-!+*/%^&|,", name[used]))
		used++;
	return used;
}

/* By how much one character changes the depth of brackets; not at all for "->". */
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
		if (!depth && text_begins(name + i, length - i, "::")) {
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

/* Length up to the parameters, which are the last pair of brackets if the name ends with it. */
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
		if (!text_begins(name + i, length - i, "::") || !before)
			continue;
		if (before >= nameless_length &&
		    !memcmp(shown + before - nameless_length, nameless, nameless_length))
			used = before - nameless_length;
		else if (is_of_name(shown[before - 1]))
			for (used = before; used && is_of_name(shown[used - 1]);)
				used--;
		else
			shown[used++] = ':'; /* belongs to a template, or to nothing */
		i++;
	}
	shown[used] = '\0';
	return used;
}

static bool is_plain_type(const char *word, size_t length)
{
	static const char *const types[] = { "bool",   "char",         "short",  "int",
					     "long",   "unsigned",     "signed", "float",
					     "double", "true",         "false",  "BFloat16",
					     "Half",   "half",         "__half", "const",
					     "void",   "__nv_bfloat16" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i]) == length && !memcmp(types[i], word, length))
			return true;
	return false;
}

/* Returns the first word at the begin of an argument that is no plain type; 0: there is none. */
static size_t first_class(const char *name, size_t length, size_t at, size_t *ret_length)
{
	long depth = 1;

	for (size_t begin = at; at < length && depth > 0; at++) {
		size_t word = begin;

		if (at == begin) {
			while (word < length && is_of_name(name[word]))
				word++;
			*ret_length = word - begin;
			if (word > begin && !(name[begin] >= '0' && name[begin] <= '9') &&
			    !is_plain_type(name + begin, word - begin))
				return begin;
		}
		depth += name[at] ? bracket_of(name, at) : 0;
		if (depth == 1 && (name[at] == ',' || (at == begin && name[at] == ' ')))
			begin = at + 1;
	}
	return 0;
}

size_t symbol_brief(char *shown, const char *name, size_t length)
{
	size_t all = symbol_compact(shown, name, length), used, word, begin;
	const char *base = symbol_base(shown, all, &used);
	size_t after = (size_t)(base - shown) + used;

	begin = after < all && shown[after] == '<' ? first_class(shown, all, after + 1, &word) : 0;
	memmove(shown, base, used);
	if (begin) {
		shown[used++] = '<';
		memmove(shown + used, shown + begin, word);
		used += word;
		shown[used++] = '>';
	}
	shown[used] = '\0';
	return used;
}

/* Position where the bracket at `at` is closed; `length` if it is not. */
static size_t bracket_end(const char *name, size_t length, size_t at)
{
	long depth = 0;

	for (size_t i = at; i < length; i++) {
		size_t skipped = operator_length(name, length, i);

		if (skipped) {
			i += skipped - 1;
			continue;
		}
		if (name[i])
			depth += bracket_of(name, i);
		if (!depth)
			return i;
	}
	return length;
}

/*
 * True for brackets of a type or a function, not for those that Rust puts around a type and its
 * trait: <A as B>::f, m::<impl A for B>::f
 */
static bool is_generic(const char *name, size_t length, size_t at)
{
	if (name[at] != '<' || !at)
		return false;
	return is_of_name(name[at - 1]) ||
	       (name[at - 1] == ':' && !text_begins(name + at, length - at, "<impl "));
}

/*
 * Replaces generic arguments within `levels` others, and all deeper ones, by a mark. The result is
 * not longer than the name.
 */
static size_t generics_fold(char *shown, const char *name, size_t length, unsigned int levels,
			    const char *mark)
{
	size_t used = 0, mark_bytes = strlen(mark);
	size_t open[2] = { 0 }; /* ends of the brackets that are open */
	unsigned int depth = 0;

	for (size_t i = 0; i < length; i++) {
		size_t skipped = operator_length(name, length, i), end;

		if (skipped) {
			memmove(shown + used, name + i, skipped);
			used += skipped;
			i += skipped - 1;
			continue;
		}
		shown[used++] = name[i];
		while (depth && i >= open[depth - 1])
			depth--;
		end = is_generic(name, length, i) ? bracket_end(name, length, i) : length;
		if (end == length)
			continue;
		if (depth < levels) {
			open[depth++] = end;
		} else if (end - i > mark_bytes) {
			memcpy(shown + used, mark, mark_bytes);
			used += mark_bytes;
			i = end - 1;
		}
	}
	shown[used] = '\0';
	return used;
}

/*
 * Start of the function's own name, including the :: before it. A name that means nothing without
 * its context includes the context.
 */
static size_t function_start(const char *name, size_t length)
{
	size_t start = 0;
	long depth = 0;

	for (size_t i = 0; i + 2 < length; i++) {
		size_t skipped = operator_length(name, length, i);

		if (skipped) {
			i += skipped - 1;
			continue;
		}
		if (!depth && text_begins(name + i, length - i, "::") &&
		    !strchr("{<:", name[i + 2]))
			start = i;
		if (name[i])
			depth += bracket_of(name, i);
	}
	return start;
}

/* Removes as much as necessary of what precedes the function. Returns 0 if nothing precedes it. */
static size_t shorten_before_function(char *shown, const char *name, size_t length, size_t width,
				      const char *mark)
{
	size_t start = function_start(name, length), mark_bytes = strlen(mark);
	size_t mark_width = text_width(mark, mark_bytes), tail, head;

	if (!start || width <= 2 * mark_width)
		return 0;
	tail = text_width(name + start, length - start);
	head = tail + mark_width < width ? text_fit(name, start, width - mark_width - tail) : 0;
	memcpy(shown, name, head);
	memcpy(shown + head, mark, mark_bytes);
	head += mark_bytes;
	return head + text_shorten_end(shown + head, name + start, length - start,
				       tail + mark_width < width ? tail : width - mark_width, mark);
}

size_t symbol_shorten(char *shown, const char *name, size_t length, size_t width, const char *mark)
{
	char *folded;
	size_t used = length;

	if (text_width(name, length) <= width || !memmem(name, length, "::", 2))
		return text_shorten(shown, name, length, width, mark);
	folded = memory_grow(NULL, length + 1, 1);
	for (unsigned int levels = 2; levels-- > 0 && text_width(name, used) > width;) {
		used = generics_fold(folded, name, used, levels, mark);
		name = folded;
	}
	length = used;
	used = text_width(name, length) > width
		       ? shorten_before_function(shown, name, length, width, mark)
		       : 0;
	if (!used)
		used = text_shorten(shown, name, length, width, mark);
	free(folded);
	return used;
}
