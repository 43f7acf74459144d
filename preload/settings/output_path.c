/* SPDX-License-Identifier: MIT */
/*
 * Appends to the caller's buffer part by part. An unknown pattern, an unknown working directory or
 * too little room makes the whole path empty.
 */
#include "preload/settings/output_path.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

struct path {
	char *text;
	size_t room;
	size_t length;
};

static bool path_put(struct path *path, const char *text, size_t length)
{
	if (path->length + length >= path->room)
		return false;
	memcpy(path->text + path->length, text, length);
	path->length += length;
	path->text[path->length] = 0;
	return true;
}

static bool path_put_text(struct path *path, const char *text)
{
	return path_put(path, text, strlen(text));
}

static bool path_put_pid(struct path *path)
{
	char digits[24];
	size_t at = sizeof(digits);
	uint64_t value = (uint64_t)getpid();

	do
		digits[--at] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	return path_put(path, digits + at, sizeof(digits) - at);
}

static bool path_put_pattern(struct path *path, char letter)
{
	struct utsname system;

	switch (letter) {
	case 'p':
		return path_put_pid(path);
	case 'h':
		return uname(&system) == 0 && path_put_text(path, system.nodename);
	case 'r':
		return path_put_text(path, settings_rank());
	case 'e':
		return path_put_text(path, program_invocation_short_name);
	case '%':
		return path_put(path, "%", 1);
	default:
		return false;
	}
}

static bool path_put_directory(struct path *path)
{
	if (!getcwd(path->text, path->room))
		return false;
	path->length = strlen(path->text);
	/* "(unreachable)/...": the directory is outside of our root */
	if (path->text[0] != '/')
		return false;
	return path->length == 1 || path_put(path, "/", 1);
}

static bool path_expand(struct path *path, const char *pattern)
{
	if (!*pattern || pattern[strlen(pattern) - 1] == '/')
		return false;
	if (*pattern != '/' && !path_put_directory(path))
		return false;
	while (*pattern) {
		size_t plain = strcspn(pattern, "%");

		if (!path_put(path, pattern, plain))
			return false;
		pattern += plain;
		if (*pattern != '%')
			break;
		if (!path_put_pattern(path, pattern[1]))
			return false;
		pattern += 2;
	}
	return true;
}

bool output_path_expand(const char *pattern, char *path, size_t bytes)
{
	struct path out = { .text = path, .room = bytes };
	int saved = errno;
	bool done;

	path[0] = 0;
	done = path_expand(&out, pattern);
	if (!done)
		path[0] = 0;
	errno = saved;
	return done;
}
