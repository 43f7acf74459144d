/* SPDX-License-Identifier: MIT */
/*
 * A module is a loaded object (objects.h) with a time. The list of a process is sorted; a reading builds the new one and
 * compares.
 */
#include "collector/processes/modules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/processes/objects.h"
#include "collector/processes/redact.h"
#include "collector/processes/start_map.h"

#define MS 1000000ull
#define PAUSE_FIRST (100 * MS) /* ten readings a second at most */
#define PAUSE_LAST (5000 * MS)

static void module_tell(const struct modules_reading *reading, const struct module *module,
			uint64_t from_ns)
{
	if (module->file)
		JOURNAL_ADD(&reading->common->journal, from_ns, module, .process = reading->process,
			    .start = module->start, .bytes = module->end - module->start,
			    .bias = module->bias, .path = module->path,
			    .build_id = module->build_id);
}

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

/* Name and build-id of a module that is new. */
static void module_describe(const struct modules_reading *reading, const struct object *object,
			    struct module *module)
{
	const struct image *image = images_image(reading->images, object->image);
	struct image vdso = { 0 };

	if (!module->file)
		return;
	if (!image && !strcmp(object->path, OBJECTS_VDSO))
		image_of_vdso(&vdso);
	if (!image)
		image = &vdso;
	module_name(reading, object->path, strlen(object->path), image->build_id,
		    image->build_id_bytes, module);
}

/* Index of the last module that starts at or below the address, or -1. */
static int64_t modules_below(const struct modules *modules, uint64_t address)
{
	uint32_t low = 0, high = modules->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (modules->module[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low - 1;
}

static struct module *modules_find_same(const struct modules *modules, const struct module *module)
{
	int64_t at = modules_below(modules, module->start);

	if (at < 0 || modules->module[at].start != module->start ||
	    modules->module[at].inode != module->inode ||
	    modules->module[at].device != module->device ||
	    modules->module[at].file != module->file)
		return NULL;
	return &modules->module[at];
}

static void modules_tell_ends(struct modules *modules, const struct modules_reading *reading)
{
	for (uint32_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->module[i];

		if (module->file && !module->seen)
			JOURNAL_ADD(&reading->common->journal, reading->time_ns, module_end,
				    .process = reading->process, .start = module->start);
	}
}

static struct module module_of_object(const struct object *object)
{
	return (struct module){ .start = object->start,
				.end = object->end,
				.device = object->device,
				.inode = object->inode,
				.bias = object->bias,
				.image = object->image,
				.file = object->file,
				.seen = true };
}

/* Takes over the new list; returns how many of it are new. */
static uint32_t modules_replace(struct modules *modules, const struct modules_reading *reading,
				const struct objects *objects, struct module *fresh)
{
	uint64_t from_ns = modules->read_ns ? modules->told_ns : reading->from_ns;
	uint32_t news = 0;

	for (uint32_t i = 0; i < modules->count; i++)
		modules->module[i].seen = false;
	for (uint32_t i = 0; i < objects->count; i++) {
		struct module *same;

		fresh[i] = module_of_object(&objects->object[i]);
		same = modules_find_same(modules, &fresh[i]);
		if (same) {
			same->seen = true;
			fresh[i].bias = same->bias;
			fresh[i].path = same->path;
			fresh[i].build_id = same->build_id;
			continue;
		}
		news++;
		module_describe(reading, &objects->object[i], &fresh[i]);
		module_tell(reading, &fresh[i], from_ns);
	}
	modules_tell_ends(modules, reading);
	free(modules->module);
	modules->module = fresh;
	modules->count = objects->count;
	return news;
}

/* A file that an earlier reading has found at the place is not looked for again. */
static uint32_t modules_recall_image(const void *context, const struct maps_line *line)
{
	const struct modules *modules = context;
	const struct module wanted = {
		.start = line->start, .device = line->device, .inode = line->inode, .file = true
	};
	const struct module *same = modules_find_same(modules, &wanted);

	return same ? same->image : IMAGES_NONE;
}

static struct objects modules_find(const struct modules *modules,
				   const struct modules_reading *reading, struct maps *maps)
{
	const struct objects_reading wanted = { reading->images, reading->pid, reading->region,
						modules_recall_image, modules };

	return objects_of_maps(maps, &wanted, MODULES_MAX * 2);
}

bool modules_read(struct modules *modules, const struct modules_reading *reading)
{
	struct objects objects;
	struct module *fresh;
	struct maps maps;
	uint32_t news = 0;
	bool ours;

	modules->missed = false;
	if (!reading->pid || !maps_init(&maps, reading->pid))
		return false;
	objects = modules_find(modules, reading, &maps);
	ours = objects.has_region;
	if (ours && objects.left_out > modules->left_out)
		modules->left_out = objects.left_out;
	fresh = objects.count && ours ? malloc(objects.count * sizeof(*fresh)) : NULL;
	if (fresh)
		news = modules_replace(modules, reading, &objects, fresh);
	objects_release(&objects);
	maps_release(&maps);
	if (!ours)
		return false;
	if (news)
		modules->pause_ns = PAUSE_FIRST;
	else if (modules->pause_ns < PAUSE_LAST)
		modules->pause_ns *= 2;
	modules->read_ns = reading->steady_ns;
	modules->told_ns = reading->time_ns;
	return true;
}

static int module_compare(const void *a, const void *b)
{
	const struct module *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

/* ld.so knows a file by the name that it was asked for; /proc, and so all other recordings, by where that leads. */
static void module_of_start(const struct modules_reading *reading, const struct start_module *start,
			    struct module *ret_module)
{
	char path[PATH_MAX], real[PATH_MAX];
	size_t length = start->path_bytes < sizeof(path) ? start->path_bytes : sizeof(path) - 1;

	memcpy(path, start->path, length);
	path[length] = 0;
	*ret_module = (struct module){
		.start = start->start, .end = start->end, .bias = start->bias, .file = true
	};
	if (*path == '/' && realpath(path, real))
		memcpy(path, real, strlen(real) + 1);
	module_name(reading, path, strlen(path), start->build_id, start->build_id_bytes,
		    ret_module);
}

bool modules_take_start(struct modules *modules, const struct modules_reading *reading)
{
	struct start_map map;
	struct start_module start;
	struct module *list;

	if (modules->count || !start_map_read(&map, &reading->common->view))
		return false;
	list = malloc(sizeof(map.room) / sizeof(struct region_start_module) * sizeof(*list));
	if (!list)
		return false;
	while (start_map_next(&map, &start)) {
		module_of_start(reading, &start, &list[modules->count]);
		module_tell(reading, &list[modules->count++], reading->from_ns);
	}
	qsort(list, modules->count, sizeof(*list), module_compare);
	modules->left_out = map.left_out;
	modules->module = list;
	modules->read_ns = reading->steady_ns;
	modules->told_ns = reading->time_ns;
	modules->pause_ns = PAUSE_FIRST;
	return modules->count;
}

void modules_inherit(struct modules *modules, const struct modules *parent,
		     const struct modules_reading *reading)
{
	if (!parent->count)
		return;
	modules->module = malloc(parent->count * sizeof(*modules->module));
	if (!modules->module)
		return;
	memcpy(modules->module, parent->module, parent->count * sizeof(*modules->module));
	modules->count = parent->count;
	modules->read_ns = parent->read_ns;
	modules->told_ns = reading->from_ns;
	modules->pause_ns = PAUSE_FIRST;
	for (uint32_t i = 0; i < modules->count; i++)
		module_tell(reading, &modules->module[i], reading->from_ns);
}

bool modules_want_reading(const struct modules *modules, uint64_t steady_ns)
{
	return modules->missed && steady_ns - modules->read_ns >= modules->pause_ns;
}

void modules_ask(struct modules *modules, uint64_t address)
{
	int64_t at = modules_below(modules, address);

	if (at < 0 || address >= modules->module[at].end)
		modules->missed = true;
}

void modules_release(struct modules *modules)
{
	free(modules->module);
	*modules = (struct modules){ 0 };
}
