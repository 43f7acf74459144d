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

#include "collector/processes/limitations.h"
#include "collector/processes/linked_allocator.h"
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
	if (image->has_allocator && !linked_allocator_is_library(object->path))
		limitation_tell(reading->common, reading->process, LIMITATION_heap_linked,
				object->path, reading->from_ns);
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

/* Since when it is there that no earlier reading has found. */
static uint64_t modules_from(const struct modules *modules, const struct modules_reading *reading,
			     const struct module *module)
{
	uint64_t read_ns = modules->read_ns ? modules->told_ns : reading->from_ns;
	uint64_t free_ns = module_ends_before(&modules->ends, module->start, module->end);

	return free_ns > read_ns ? free_ns : read_ns;
}

static void module_tell_end(const struct modules_reading *reading, const struct module *module,
			    uint64_t time_ns)
{
	if (module->file)
		JOURNAL_ADD(&reading->common->journal, time_ns, module_end,
			    .process = reading->process, .start = module->start);
}

/* --- what the program says that it has unloaded --- */

void modules_note_end(struct modules *modules, const struct module_end *end)
{
	module_ends_note(&modules->ends, end);
}

/* The module that has been unloaded; NULL: no reading has found it, or what lies there is something else. */
static struct module *modules_find_ended(const struct modules *modules,
					 const struct module_end *end)
{
	int64_t at = modules_below(modules, end->start);
	struct module *module = at < 0 ? NULL : &modules->module[at];

	if (!module || module->start != end->start || !module->file)
		return NULL;
	if (module->build_id || end->build_id)
		return module->build_id == end->build_id ? module : NULL;
	return !end->path || module->path == end->path ? module : NULL;
}

static void modules_remove(struct modules *modules, const struct module *module)
{
	uint32_t at = (uint32_t)(module - modules->module);

	modules->count--;
	memmove(modules->module + at, modules->module + at + 1,
		(modules->count - at) * sizeof(*module));
}

static void modules_take_end(struct modules *modules, const struct modules_reading *reading,
			     const struct module_end *end)
{
	struct module *known = modules_find_ended(modules, end);
	struct module unseen = { .start = end->start,
				 .end = end->end,
				 .bias = end->bias,
				 .path = end->path,
				 .build_id = end->build_id,
				 .file = true };
	uint64_t from_ns;

	if (known) {
		module_tell_end(reading, known, end->time_ns);
		modules_remove(modules, known);
	} else if (end->path) {
		from_ns = modules_from(modules, reading, &unseen);
		module_tell(reading, &unseen, from_ns < end->time_ns ? from_ns : end->time_ns);
		module_tell_end(reading, &unseen, end->time_ns);
	}
	module_ends_keep(&modules->ends, end);
}

bool modules_settle_ends(struct modules *modules, const struct modules_reading *reading)
{
	if (!modules->ends.count)
		return false;
	module_ends_sort(&modules->ends);
	for (uint32_t i = 0; i < modules->ends.count; i++)
		modules_take_end(modules, reading, &modules->ends.noted[i]);
	modules->ends.count = 0;
	/* something else may lie there by now */
	modules->missed = true;
	modules->pause_ns = PAUSE_FIRST;
	return true;
}

/* --- readings --- */

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

static int module_compare(const void *a, const void *b)
{
	const struct module *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

/* What the list has at the place and the maps do not; NULL: nothing. */
static const struct module *modules_find_missing(const struct modules *modules,
						 const struct module *module)
{
	int64_t at = modules_below(modules, module->end - 1);

	for (; at >= 0 && modules->module[at].end > module->start; at--)
		if (!modules->module[at].seen && modules->module[at].file)
			return &modules->module[at];
	return NULL;
}

/* Whether it is believed that a module is no longer there. */
static bool is_gone(const struct modules_reading *reading, const struct module *module)
{
	return reading->is_last || module->missing_ns;
}

/* Those of before that are there, and the new ones, into `fresh`; returns how many are new, and all of them. */
static uint32_t modules_take_found(struct modules *modules, const struct modules_reading *reading,
				   const struct objects *objects, struct module *fresh,
				   uint32_t *ret_count)
{
	uint32_t news = 0, count = 0;

	for (uint32_t i = 0; i < objects->count; i++) {
		struct module found = module_of_object(&objects->object[i]);
		struct module *same = modules_find_same(modules, &found);
		const struct module *missing = same ? NULL : modules_find_missing(modules, &found);

		if (same) {
			found.bias = same->bias;
			found.path = same->path;
			found.build_id = same->build_id;
		} else if (missing && !is_gone(reading, missing)) {
			continue; /* the next reading finds it, too */
		} else {
			news++;
			module_describe(reading, &objects->object[i], &found);
			module_tell(reading, &found, modules_from(modules, reading, &found));
		}
		fresh[count++] = found;
	}
	*ret_count = count;
	return news;
}

/* Those that are not found end; the first time they stay, behind the others. Returns how many do. */
static uint32_t modules_take_missing(struct modules *modules, const struct modules_reading *reading,
				     struct module *fresh)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < modules->count; i++) {
		struct module *module = &modules->module[i];

		if (module->seen)
			continue;
		if (is_gone(reading, module) || !module->file) {
			module_tell_end(reading, module,
					module->missing_ns ? module->missing_ns : reading->time_ns);
			continue;
		}
		fresh[kept] = *module;
		fresh[kept++].missing_ns = reading->time_ns;
	}
	return kept;
}

/* Takes over the new list, which has room for both; returns how many of it are new. */
static uint32_t modules_replace(struct modules *modules, const struct modules_reading *reading,
				const struct objects *objects, struct module *fresh)
{
	uint32_t news, count, missing;

	for (uint32_t i = 0; i < modules->count; i++)
		modules->module[i].seen = false;
	for (uint32_t i = 0; i < objects->count; i++) {
		struct module found = module_of_object(&objects->object[i]);
		struct module *same = modules_find_same(modules, &found);

		if (same)
			same->seen = true;
	}
	news = modules_take_found(modules, reading, objects, fresh, &count);
	missing = modules_take_missing(modules, reading, fresh + count);
	if (missing)
		qsort(fresh, count + missing, sizeof(*fresh), module_compare);
	modules->missed = missing;
	free(modules->module);
	modules->module = fresh;
	modules->count = count + missing;
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
	fresh = objects.count && ours ? malloc((objects.count + modules->count) * sizeof(*fresh))
				      : NULL;
	if (fresh)
		news = modules_replace(modules, reading, &objects, fresh);
	objects_release(&objects);
	maps_release(&maps);
	if (!ours)
		return false;
	if (news || modules->missed)
		modules->pause_ns = PAUSE_FIRST;
	else if (modules->pause_ns < PAUSE_LAST)
		modules->pause_ns *= 2;
	modules->read_ns = reading->steady_ns;
	modules->told_ns = reading->time_ns;
	return true;
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
	module_ends_release(&modules->ends);
	*modules = (struct modules){ 0 };
}
