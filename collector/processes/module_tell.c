/* SPDX-License-Identifier: MIT */
/*
 * Path and build-id become names. A name of ld.so's is resolved to the file that it leads to. Also
 * records which allocator is linked into the file, as a limitation.
 */
#include "collector/processes/module_tell.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/processes/limitations.h"
#include "collector/processes/linked_allocator.h"
#include "collector/processes/redact.h"

static void module_name(const struct modules_reading *reading, const char *path, size_t length,
			const uint8_t *build_id, uint32_t build_id_bytes, struct module *module)
{
	struct names *names = &reading->common->names;
	char hex[2 * IMAGE_BUILD_ID_BYTES + 1] = "";

	for (uint32_t i = 0; i < build_id_bytes; i++)
		snprintf(hex + 2 * i, 3, "%02x", build_id[i]);
	path = redact_path(reading->common->view.redact, path, &length);
	module->path = names_id_text(names, path, length);
	module->build_id = names_id_text(names, hex, strlen(hex));
}

/*
 * A file that contains several programs is called through links in its folder (redis-server is a
 * link to redis-check-rdb). So the link by which the program was started is its name, unless the
 * file's own name says the same and more, as python3.11 does for python3. False: there is no such
 * link.
 */
static bool path_as_started(const struct modules_reading *reading, const char *path,
			    char ret_path[PATH_MAX])
{
	char name[REGION_STARTED_BYTES];
	const char *slash = strrchr(path, '/');
	struct stat link, file;

	start_map_started_as(&reading->common->view, name);
	if (!*name || strchr(name, '/') || *path != '/' || strstr(slash + 1, name))
		return false;
	if (snprintf(ret_path, PATH_MAX, "%.*s/%s", (int)(slash - path), path, name) >= PATH_MAX)
		return false;
	return !lstat(ret_path, &link) && S_ISLNK(link.st_mode) && !stat(ret_path, &link) &&
	       !stat(path, &file) && link.st_ino == file.st_ino && link.st_dev == file.st_dev;
}

void module_describe(const struct modules_reading *reading, const struct object *object,
		     struct module *module)
{
	const struct image *image = images_image(reading->images, object->image);
	struct image vdso = { 0 };
	char started[PATH_MAX];
	const char *path;

	if (!module->file)
		return;
	if (!image && !strcmp(object->path, OBJECTS_VDSO))
		image_of_vdso(&vdso);
	if (!image)
		image = &vdso;
	if (image->allocator != LINKED_ALLOCATOR_NONE && !linked_allocator_is_library(object->path))
		limitation_tell(reading->common, reading->process,
				image->allocator == LINKED_ALLOCATOR_IS_IN ? LIMITATION_heap_linked
									   : LIMITATION_heap_called,
				object->path, reading->from_ns);
	path = path_as_started(reading, object->path, started) ? started : object->path;
	module_name(reading, path, strlen(path), image->build_id, image->build_id_bytes, module);
}

/*
 * ld.so knows a file by the name that was requested. /proc, and so all other recordings, use the
 * path that the name leads to.
 */
struct module module_of_start(const struct modules_reading *reading,
			      const struct start_module *start)
{
	struct module module = {
		.start = start->start, .end = start->end, .bias = start->bias, .file = true
	};
	char path[PATH_MAX], real[PATH_MAX], started[PATH_MAX];
	size_t length = start->path_bytes < sizeof(path) ? start->path_bytes : sizeof(path) - 1;

	memcpy(path, start->path, length);
	path[length] = 0;
	if (*path == '/' && realpath(path, real))
		memcpy(path, real, strlen(real) + 1);
	if (path_as_started(reading, path, started))
		memcpy(path, started, strlen(started) + 1);
	module_name(reading, path, strlen(path), start->build_id, start->build_id_bytes, &module);
	return module;
}

void module_tell(const struct modules_reading *reading, const struct module *module,
		 uint64_t from_ns)
{
	if (module->file)
		JOURNAL_ADD(&reading->common->journal, from_ns, module, .process = reading->process,
			    .start = module->start, .bytes = module->end - module->start,
			    .bias = module->bias, .path = module->path,
			    .build_id = module->build_id);
}

void module_tell_end(const struct modules_reading *reading, const struct module *module,
		     uint64_t time_ns)
{
	if (module->file)
		JOURNAL_ADD(&reading->common->journal, time_ns, module_end,
			    .process = reading->process, .start = module->start);
}
