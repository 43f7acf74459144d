/* SPDX-License-Identifier: MIT */
/* The rule about imports of Python modules: which packages take long, and who imports them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/advice/bottleneck.h"
#include "report/advice/place_text.h"
#include "report/base/units.h"

#define IMPORTS_NS_MIN 200000000u /* long enough to notice when a program starts */
#define PACKAGES_SAID 3u
#define PACKAGE_PART_MIN 20u /* packages below this fraction of the largest are not named */
#define PACKAGES_BYTES 512

static void short_text(char shown[PLACE_NAME_BYTES], const char *text, size_t length)
{
	place_name(&(struct source_name){ .text = text, .length = length }, shown);
}

/* Writes "pandas 0.82 s (imported at train.py:3)". */
static int package_print(char *text, size_t room, const struct source *source,
			 const struct import_package *package)
{
	char name[PLACE_NAME_BYTES], file[PLACE_NAME_BYTES], time[UNIT_TEXT_BYTES];
	const char *path, *slash;
	size_t length;

	short_text(name, package->name, package->length);
	unit_format_ns(time, package->self_ns);
	path = name_text(source_name_at(source, package->first->file), &length);
	if (!length || !package->first->line)
		return snprintf(text, room, "%s %s", name, time);
	slash = memrchr(path, '/', length);
	if (slash) {
		length -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	short_text(file, path, length);
	return snprintf(text, room, "%s %s (imported at %s:%" PRIu32 ")", name, time, file,
			package->first->line);
}

static void packages_print(char text[PACKAGES_BYTES], const struct source *source,
			   const struct import_package *package, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count && i < PACKAGES_SAID && used < PACKAGES_BYTES - 2; i++) {
		if (package[i].self_ns < package[0].self_ns / PACKAGE_PART_MIN)
			break;
		used += (size_t)snprintf(text + used, PACKAGES_BYTES - used, "%s", i ? ", " : "");
		used += (size_t)package_print(text + used, PACKAGES_BYTES - used, source,
					      &package[i]);
	}
}

/* With steps, imports that the loop waited for; without, all imports of the program. */
bool advice_slow_imports(const struct bottleneck *bottleneck, struct advice *advice)
{
	bool has_steps = bottleneck->process && bottleneck->first_step_ns;
	uint32_t process = has_steps ? bottleneck->process->index
				     : import_evidence_process(bottleneck->imports);
	char time[UNIT_TEXT_BYTES], names[PACKAGES_BYTES] = "";
	struct import_package *package;
	size_t count;
	uint64_t ns;

	if (process == IMPORT_NONE || bottleneck->limited || !bottleneck->wall_ns)
		return false;
	package = import_packages(bottleneck->imports, process,
				  has_steps ? bottleneck->first_step_ns : UINT64_MAX, &count, &ns);
	packages_print(names, bottleneck->source, package, count);
	free(package);
	if (ns < IMPORTS_NS_MIN ||
	    !advice_exceeds(advice, 100.0 * (double)ns / (double)bottleneck->wall_ns))
		return false;
	advice->gain_ns = ns;
	advice_say(advice, "imports%s take %s, %.1f %% of the run%s; each package by itself: %s.",
		   has_steps ? " before the first step" : "", unit_format_ns(time, ns),
		   advice->value, bottleneck->imported_ns ? ", without torch's own" : "", names);
	return true;
}
