/* SPDX-License-Identifier: MIT */
/* Names are matched from the left, as little as possible first; paths are short. */
#include "preload/routes/template.h"

#include <string.h>

#define TRIES_MAX 10000u /* steps of one comparison */

static const char template_path[] = ":path";

struct template_match {
	struct string_view template, path;
	unsigned int tries;
};

/* Returns the length of the name in braces at that place; 0: there is none. */
static size_t template_name_length(struct string_view template, size_t at, bool *ret_has_slashes)
{
	const char *end = template.bytes[at] == '{'
				  ? memchr(template.bytes + at, '}', template.length - at)
				  : NULL;
	const size_t path = sizeof(template_path) - 1;
	size_t length = end ? (size_t)(end - template.bytes) - at + 1 : 0;

	*ret_has_slashes = length > path + 2 && memcmp(end - path, template_path, path) == 0;
	return length;
}

static bool template_fits(struct template_match *match, size_t at, size_t from)
{
	const struct string_view template = match->template, path = match->path;

	while (at < template.length) {
		bool has_slashes;
		size_t name = template_name_length(template, at, &has_slashes);

		if (!name) {
			if (from == path.length || template.bytes[at++] != path.bytes[from++])
				return false;
			continue;
		}
		for (size_t i = from + !has_slashes; i <= path.length; i++) {
			if (++match->tries > TRIES_MAX ||
			    (i > from && !has_slashes && path.bytes[i - 1] == '/'))
				return false;
			if (template_fits(match, at + name, i))
				return true;
		}
		return false;
	}
	return from == path.length;
}

bool template_fits_end(struct string_view template, struct string_view path, size_t *ret_from)
{
	struct template_match match = { .template = template, .path = path };

	for (size_t i = 0; i < path.length; i++)
		if (path.bytes[i] == '/' && template_fits(&match, 0, i)) {
			*ret_from = i;
			return true;
		}
	return false;
}
