/* SPDX-License-Identifier: MIT */
/*
 * A module is a run of mappings of one file, at least one of them with code. The list of a process is
 * sorted; a reading builds the new one and compares.
 */
#include "collector/processes/modules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/processes/limitations.h"
#include "collector/processes/linked_allocator.h"
#include "collector/processes/maps.h"
#include "collector/processes/proc.h"
#include "collector/processes/redact.h"
#include "collector/processes/start_map.h"

#define MS 1000000ull
#define PAUSE_FIRST (100 * MS) /* ten readings a second at most */
#define PAUSE_LAST (5000 * MS)
#define FILES_MAX 65536u
#define VDSO "[vdso]" /* the kernel's library: in the maps, and in recordings */

struct found {
	struct module module;
	const char *path; /* in the maps */
};

struct found_list {
	struct found *found;
	uint32_t count;
	uint32_t room;
	uint32_t left_out; /* that found no room */
	bool ours;         /* the region is mapped, too */
};

static void found_add(struct found_list *list, const struct found *found)
{
	if (list->count == list->room) {
		uint32_t room = list->room ? list->room * 2 : 128;
		struct found *larger = room > MODULES_MAX * 2
					       ? NULL
					       : realloc(list->found, room * sizeof(*larger));

		if (!larger) {
			list->left_out += found->module.file;
			return;
		}
		list->found = larger;
		list->room = room;
	}
	list->found[list->count++] = *found;
}

/* Groups the lines: consecutive ones of one file are a run, kept when there is code in it. */
static struct found_list maps_find_modules(struct maps *maps, struct maps_file region)
{
	struct found_list list = { .ours = !region.inode };
	struct maps_line line;
	struct found run = { 0 };
	bool code = false;

	while (maps_next(maps, &line)) {
		bool file = (line.inode && line.path[0] == '/') || !strcmp(line.path, VDSO);
		bool same = file && run.path && run.module.file && line.inode == run.module.inode &&
			    line.device == run.module.device && line.offset;

		list.ours |= line.inode == region.inode && line.device == region.device;
		if (!same) {
			if (code)
				found_add(&list, &run);
			run.module = (struct module){ .start = line.start,
						      .end = line.end,
						      .device = line.device,
						      .inode = line.inode,
						      .file = file,
						      .seen = true };
			run.path = line.path;
			code = false;
		}
		run.module.end = line.end;
		code |= line.executable;
	}
	if (code)
		found_add(&list, &run);
	return list;
}

static const struct modules_file *cache_find(const struct modules_cache *cache,
					     const struct stat *st)
{
	for (uint32_t i = 0; i < cache->count; i++) {
		const struct modules_file *file = &cache->file[i];

		if (file->inode == st->st_ino && file->device == st->st_dev &&
		    file->changed_s == st->st_mtim.tv_sec &&
		    file->changed_ns == st->st_mtim.tv_nsec)
			return file;
	}
	return NULL;
}

static const struct modules_file *cache_add(struct modules_cache *cache,
					    const struct modules_file *file)
{
	if (cache->count == cache->room) {
		uint32_t room = cache->room ? cache->room * 2 : 128;
		struct modules_file *larger = room > FILES_MAX ? NULL
							       : realloc(cache->file,
									 room * sizeof(*larger));

		if (!larger)
			return NULL;
		cache->file = larger;
		cache->room = room;
	}
	cache->file[cache->count] = *file;
	return &cache->file[cache->count++];
}

static bool is_that_file(const char *path, const struct found *found, struct stat *ret_st)
{
	return !stat(path, ret_st) && ret_st->st_ino == found->module.inode;
}

/*
 * Where the process sees the file. It sees none when it has gone since its maps were read, or has changed its root; and without
 * a /proc of ours there is no way to look. Then it is what has the same name here: its inode tells.
 */
static bool file_find(const struct modules_reading *reading, const struct found *found, char *path,
		      size_t room, struct stat *ret_st)
{
	snprintf(path, room, "/proc/%u/root%s", reading->pid, found->path);
	if (proc_is_ours() && is_that_file(path, found, ret_st))
		return true;
	snprintf(path, room, "%s", found->path);
	return is_that_file(path, found, ret_st);
}

/* Reads the file, or takes what an earlier reading has found. */
static bool file_look_up(const struct modules_reading *reading, const struct found *found,
			 struct image *ret_image)
{
	char path[4200];
	struct modules_file file = { 0 };
	const struct modules_file *known;
	struct stat st;

	if (!file_find(reading, found, path, sizeof(path), &st))
		return false;
	known = cache_find(reading->cache, &st);
	if (!known) {
		file.device = st.st_dev;
		file.inode = st.st_ino;
		file.changed_s = st.st_mtim.tv_sec;
		file.changed_ns = st.st_mtim.tv_nsec;
		file.known = image_read(path, st.st_ino, &file.image);
		known = cache_add(reading->cache, &file);
	}
	*ret_image = known ? known->image : file.image;
	return known ? known->known : file.known;
}

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

/* Looks into the file of a module that is new. */
static void module_describe(const struct modules_reading *reading, const struct found *found,
			    struct module *module)
{
	struct image image = { 0 };

	if (!module->file)
		return;
	if (!strcmp(found->path, VDSO))
		image_of_vdso(&image);
	else
		file_look_up(reading, found, &image);
	if (image.has_allocator && !linked_allocator_is_library(found->path))
		limitation_tell(reading->common, reading->process, LIMITATION_heap_linked,
				found->path, reading->from_ns);
	module->bias = module->start - image.lowest;
	module_name(reading, found->path, strlen(found->path), image.build_id, image.build_id_bytes,
		    module);
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

static struct module *modules_find_same(struct modules *modules, const struct module *module)
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

/* Takes over the new list; returns how many of it are new. */
static uint32_t modules_replace(struct modules *modules, const struct modules_reading *reading,
				const struct found_list *list, struct module *fresh)
{
	uint64_t from_ns = modules->read_ns ? modules->told_ns : reading->from_ns;
	uint32_t news = 0;

	for (uint32_t i = 0; i < modules->count; i++)
		modules->module[i].seen = false;
	for (uint32_t i = 0; i < list->count; i++) {
		struct module *same = modules_find_same(modules, &list->found[i].module);

		fresh[i] = list->found[i].module;
		if (same) {
			same->seen = true;
			fresh[i].bias = same->bias;
			fresh[i].path = same->path;
			fresh[i].build_id = same->build_id;
			continue;
		}
		news++;
		module_describe(reading, &list->found[i], &fresh[i]);
		module_tell(reading, &fresh[i], from_ns);
	}
	modules_tell_ends(modules, reading);
	free(modules->module);
	modules->module = fresh;
	modules->count = list->count;
	return news;
}

bool modules_read(struct modules *modules, const struct modules_reading *reading)
{
	struct found_list list;
	struct module *fresh;
	struct maps maps;
	uint32_t news = 0;

	modules->missed = false;
	if (!reading->pid || !maps_init(&maps, reading->pid))
		return false;
	list = maps_find_modules(&maps, reading->region);
	fresh = list.count && list.ours ? malloc(list.count * sizeof(*fresh)) : NULL;
	if (fresh)
		news = modules_replace(modules, reading, &list, fresh);
	free(list.found);
	maps_release(&maps);
	if (!list.ours)
		return false;
	if (list.left_out > modules->left_out)
		modules->left_out = list.left_out;
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

void modules_cache_release(struct modules_cache *cache)
{
	free(cache->file);
	*cache = (struct modules_cache){ 0 };
}
