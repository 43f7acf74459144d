/* SPDX-License-Identifier: MIT */
/* The library is looked for where make and make install put it, relative to this program. */
#include "report/app/recipe.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/shell_word.h"
#include "report/base/talk.h"
#include "report/session/waiting.h"

#define WORD_BYTES (PATH_MAX * 4u + 8) /* for a path as one word of a command */

/*
 * Returns the library's path; a placeholder if it is neither in the build folder nor installed
 * beside us.
 */
static void recipe_find_library(char path[PATH_MAX])
{
	static const char *const places[] = { "/libintercept.so",
					      "/../lib/intercept/libintercept.so" };
	char folder[PATH_MAX - 64], resolved[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	char *slash;

	folder[length > 0 ? length : 0] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, PATH_MAX, "%s%s", folder, places[i]);
		if (realpath(path, resolved)) {
			memcpy(path, resolved, strlen(resolved) + 1);
			return;
		}
	}
	snprintf(path, PATH_MAX, "/PATH/TO/libintercept.so");
}

bool recipe_is_needed(const char *path)
{
	char others[PATH_MAX];
	glob_t found;
	bool none;

	if (!access(path, F_OK) || errno != ENOENT)
		return false;
	snprintf(others, sizeof(others), "%.*s.*.evt", (int)(strlen(path) - strlen(".evt")), path);
	none = glob(others, 0, NULL, &found) == GLOB_NOMATCH;
	globfree(&found);
	return none && !waiting_for_start(path);
}

/* The folder may contain a recording with another name, because of INTERCEPT_OUTPUT. */
static void propose_other(void)
{
	char word[WORD_BYTES];
	glob_t found;

	if (!glob("*.evt", 0, NULL, &found) && found.gl_pathc &&
	    shell_word(word, sizeof(word), found.gl_pathv[0])) {
		talk_print("or read one that is here:");
		talk_print_command("prof-report %s", word);
	}
	globfree(&found);
}

void recipe_print(const char *path)
{
	char library[PATH_MAX], word[WORD_BYTES];

	recipe_find_library(library);
	(void)shell_word(word, sizeof(word), library);
	talk_print("'%s' does not exist. Record a program, then read the recording:", path);
	talk_print_command("LD_PRELOAD=%s python train.py", word);
	talk_print_command("prof-report");
	propose_other();
}
