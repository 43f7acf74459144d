/* SPDX-License-Identifier: MIT */
/*
 * A module is a loaded object (objects.h) with a time. Looks at the maps and reports of unloading
 * are merged in the order of time.
 */
#include "collector/processes/modules.h"

#include <stdlib.h>
#include <string.h>

#include "collector/processes/module_tell.h"
#include "collector/processes/objects.h"
#include "collector/processes/start_map.h"

#define MS 1000000ull
#define PAUSE_FIRST (100 * MS) /* at most ten looks per second */
#define PAUSE_LAST (5000 * MS)

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

static void modules_remove(struct modules *modules, const struct module *module)
{
	uint32_t at = (uint32_t)(module - modules->module);

	modules->count--;
	memmove(modules->module + at, modules->module + at + 1,
		(modules->count - at) * sizeof(*module));
}

/*
 * A module that no look has found was not there at the last look, nor before the previous contents
 * of its range were unloaded.
 */
static uint64_t modules_from(const struct modules *modules, const struct modules_reading *reading,
			     const struct module *module)
{
	uint64_t look_ns = modules->told_ns ? modules->told_ns : reading->from_ns;
	uint64_t free_ns = module_ends_before(&modules->ends, module->start, module->end);

	return free_ns > look_ns ? free_ns : look_ns;
}

/* --- what the process reports as unloaded --- */

void modules_note_end(struct modules *modules, const struct module_end *end)
{
	module_ends_note(&modules->ends, end);
	/* something else may be there by now */
	modules->missed = true;
	modules->pause_ns = PAUSE_FIRST;
}

void modules_note_unmapped(struct modules *modules, uint64_t time_ns, uint64_t start,
			   uint64_t bytes)
{
	const struct module_end end = {
		.time_ns = time_ns, .start = start, .end = start + bytes, .is_whole = true
	};
	int64_t at = end.end > start ? modules_below(modules, end.end - 1) : -1;

	/* programs often unmap ranges that are no modules */
	if (at >= 0 && modules->module[at].start >= start && modules->module[at].end <= end.end)
		modules_note_end(modules, &end);
}

static bool module_is_ended(const struct module *module, const struct module_end *end)
{
	if (module->start != end->start || !module->file)
		return false;
	if (module->build_id || end->build_id)
		return module->build_id == end->build_id;
	return module->path == end->path;
}

static struct module *modules_find_ended(const struct modules *modules,
					 const struct module_end *end)
{
	int64_t at = modules_below(modules, end->start);

	if (at < 0 || !module_is_ended(&modules->module[at], end))
		return NULL;
	return &modules->module[at];
}

/*
 * Ends, at `time_ns`, the modules in a range where something else was seen, because nobody has
 * reported their unloading. A module that a later look has found is newer.
 */
static void modules_evict(struct modules *modules, const struct modules_reading *reading,
			  const struct module_end *end, uint64_t time_ns)
{
	int64_t at = modules_below(modules, end->end - 1);

	for (; at >= 0 && modules->module[at].end > end->start; at--) {
		const struct module *module = &modules->module[at];

		if (module->seen_ns >= end->time_ns)
			continue;
		if (end->is_whole && (module->start < end->start || module->end > end->end))
			continue;
		module_tell_end(reading, module, time_ns);
		modules_remove(modules, module);
	}
}

/* For a module that was loaded between two looks and unloaded at `to_ns`. */
static void modules_tell_unseen(struct modules *modules, const struct modules_reading *reading,
				const struct module_end *end, uint64_t to_ns)
{
	const struct module unseen = { .start = end->start,
				       .end = end->end,
				       .bias = end->bias,
				       .path = end->path,
				       .build_id = end->build_id,
				       .file = true };
	uint64_t free_ns = module_ends_before(&modules->ends, end->start, end->end);
	uint64_t from_ns = modules_from(modules, reading, &unseen);

	if (end->seen_ns < free_ns)
		return; /* reported late: something else has been there since, and is recorded */
	if (from_ns > end->seen_ns) /* a look took place while it was being loaded or unloaded */
		from_ns = free_ns > modules->told_before_ns ? free_ns : modules->told_before_ns;
	if (from_ns > end->seen_ns)
		from_ns = end->seen_ns;
	modules_evict(modules, reading, end, from_ns);
	module_tell(reading, &unseen, from_ns);
	module_tell_end(reading, &unseen, to_ns);
}

static void modules_take_end(struct modules *modules, const struct modules_reading *reading,
			     const struct module_end *end)
{
	struct module *known = end->path ? modules_find_ended(modules, end) : NULL;

	if (known && known->seen_ns > end->time_ns)
		return; /* reported late: it has been loaded again since */
	if (known) {
		module_tell_end(reading, known, end->time_ns);
		modules_remove(modules, known);
	} else if (end->path) {
		modules_tell_unseen(modules, reading, end, end->time_ns);
	} else {
		modules_evict(modules, reading, end, end->time_ns);
	}
	module_ends_keep(&modules->ends, end);
}

/* Takes the ends up to `time_ns`, in order. Returns whether there were any. */
static bool modules_take_ends(struct modules *modules, const struct modules_reading *reading,
			      uint64_t time_ns)
{
	uint32_t taken = 0;

	while (taken < modules->ends.count && modules->ends.noted[taken].time_ns <= time_ns)
		modules_take_end(modules, reading, &modules->ends.noted[taken++]);
	module_ends_drop(&modules->ends, taken);
	return taken;
}

/* --- looks at the maps --- */

/* "ld-linux-x86-64.so.2", up to glibc 2.33 "ld-2.31.so". */
static bool object_is_loader(const struct object *object)
{
	const char *slash = object->file ? strrchr(object->path, '/') : NULL;

	return slash && strncmp(slash + 1, "ld-", 3) == 0 && strstr(slash, ".so");
}

static struct module module_of_object(const struct object *object, uint64_t seen_ns)
{
	return (struct module){ .start = object->start,
				.end = object->end,
				.device = object->device,
				.inode = object->inode,
				.bias = object->bias,
				.image = object->image,
				.file = object->file,
				.is_loader = object_is_loader(object),
				.seen_ns = seen_ns };
}

/* If an earlier look has found a file at the place, it is not looked up again. */
static uint32_t modules_recall_image(const void *context, const struct maps_line *line)
{
	const struct modules *modules = context;
	const struct module wanted = {
		.start = line->start, .device = line->device, .inode = line->inode, .file = true
	};
	const struct module *same = modules_find_same(modules, &wanted);

	return same ? same->image : IMAGES_NONE;
}

/* A static program has none: no address is in it then. */
static void loader_find(struct modules *modules, const struct modules_look *look)
{
	if (!modules->loader_end)
		modules->loader_start = modules->loader_end = UINT64_MAX;
	for (uint32_t i = 0; i < look->count; i++)
		if (look->module[i].is_loader) {
			modules->loader_start = look->module[i].start;
			modules->loader_end = look->module[i].end;
		}
}

static void look_keep(struct modules *modules, const struct modules_reading *reading,
		      const struct objects *objects, struct modules_look look)
{
	look.module = malloc(objects->count * sizeof(*look.module));
	if (!look.module)
		return;
	for (uint32_t i = 0; i < objects->count; i++) {
		struct module *found = &look.module[look.count++];
		const struct module *same;

		*found = module_of_object(&objects->object[i], look.from_ns);
		same = modules_find_same(modules, found);
		if (same) {
			found->bias = same->bias;
			found->path = same->path;
			found->build_id = same->build_id;
		} else {
			module_describe(reading, &objects->object[i], found);
		}
	}
	loader_find(modules, &look);
	modules->look = look;
}

/* As modules_look(), of maps that were read between two times. */
static bool modules_look_at(struct modules *modules, const struct modules_reading *reading,
			    struct maps *maps, uint64_t from_ns, uint64_t to_ns)
{
	const struct objects_reading wanted = { reading->images, reading->pid, reading->region,
						modules_recall_image, modules };
	struct objects objects = objects_of_maps(maps, &wanted, MODULES_MAX * 2);
	bool ours = objects.has_region;

	if (ours && objects.left_out > modules->left_out)
		modules->left_out = objects.left_out;
	free(modules->look.module);
	modules->look.module = NULL;
	if (ours && objects.count)
		look_keep(modules, reading, &objects,
			  (struct modules_look){ .from_ns = from_ns, .to_ns = to_ns });
	objects_release(&objects);
	if (!ours)
		return false;
	modules->missed = false;
	modules->read_ns = reading->steady_ns;
	return true;
}

/* --- ld.so --- */

static void loads_add(struct modules_loads *loads, uint64_t time_ns)
{
	if (!loads->first_ns || time_ns < loads->first_ns)
		loads->first_ns = time_ns;
	if (time_ns > loads->last_ns)
		loads->last_ns = time_ns;
}

bool modules_note_allocation(struct modules *modules, uint64_t address, uint64_t time_ns)
{
	if (!modules->loader_end) /* before the first look, or the maps cannot be read */
		return !modules->read_ns;
	if (!modules_is_loader(modules, address))
		return false;
	if (modules->look.module && time_ns > modules->look.from_ns)
		loads_add(&modules->later, time_ns);
	else
		loads_add(&modules->loads, time_ns);
	modules->missed = true;
	return true;
}

/* The look may be older than loads that were noted before it was made. */
static struct modules_loads loads_of_look(const struct modules *modules)
{
	struct modules_loads loads = modules->loads;

	if (loads.first_ns > modules->look.from_ns)
		return (struct modules_loads){ 0, 0 };
	if (loads.last_ns > modules->look.from_ns)
		loads.last_ns = modules->look.from_ns;
	return loads;
}

/*
 * A look has found something else in the module's place, and nobody has reported when it was
 * unloaded: libc itself unloads modules of iconv(). It was there up to the first load since the
 * last look, and the other one has been since the last load. Without a load that is known, the one
 * was there at the look before, and the other one is now.
 */
static void modules_note_next(struct modules *modules, struct module *missing,
			      const struct module *found)
{
	struct modules_loads loads = loads_of_look(modules);

	missing->next_device = found->device;
	missing->next_inode = found->inode;
	missing->next_ns = loads.first_ns ? loads.last_ns : modules->look.from_ns;
	missing->end_ns = loads.first_ns ? loads.first_ns : modules->told_ns;
}

/*
 * Readers take what is known to come somewhere for what was there before: in between nothing is
 * claimed.
 */
static void modules_tell_replaced(struct modules *modules, const struct modules_reading *reading,
				  struct module *missing, uint64_t next_ns)
{
	const struct module_end end = { .time_ns = missing->end_ns,
					.start = missing->start,
					.end = missing->end };
	struct module between = { .start = missing->start, .end = missing->end, .file = true };

	module_tell_end(reading, missing, missing->end_ns);
	module_ends_keep(&modules->ends, &end);
	missing->is_told_end = true;
	if (next_ns <= missing->end_ns)
		return;
	between.path = names_id_text(&reading->common->names, MODULES_UNKNOWN,
				     strlen(MODULES_UNKNOWN));
	between.build_id = names_id_text(&reading->common->names, "", 0);
	module_tell(reading, &between, missing->end_ns);
	module_tell_end(reading, &between, next_ns);
}

/*
 * Since when what a look has found is there, where the list has something else; 0: that is not
 * known.
 */
static uint64_t modules_next_from(const struct modules *modules, const struct module *missing,
				  const struct module *found)
{
	uint64_t free_ns = module_ends_before(&modules->ends, found->start, found->end);

	if (!missing->end_ns || found->device != missing->next_device ||
	    found->inode != missing->next_inode)
		return 0;
	return missing->next_ns > free_ns ? missing->next_ns : free_ns;
}

static uint64_t now_ns(const struct common *common)
{
	return clockmap_ns(&common->clock, clockmap_now(&common->clock));
}

bool modules_look(struct modules *modules, const struct modules_reading *reading)
{
	uint64_t from_ns = now_ns(reading->common), to_ns;
	struct maps maps;
	bool done;

	if (!reading->pid || !maps_init(&maps, reading->pid))
		return false;
	to_ns = now_ns(reading->common);
	done = modules_look_at(modules, reading, &maps, from_ns, to_ns);
	maps_release(&maps);
	return done;
}

static int module_compare(const void *a, const void *b)
{
	const struct module *one = a, *other = b;

	return one->start < other->start ? -1 : one->start > other->start;
}

/*
 * If something was unloaded while the maps were read, the look may contain it, or not, or what was
 * loaded there afterwards.
 */
static void look_drop_unsure(struct modules *modules)
{
	struct modules_look *look = &modules->look;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < look->count; i++) {
		const struct module *found = &look->module[i];

		if (!module_ends_between(&modules->ends, found->start, found->end, look->from_ns,
					 look->to_ns))
			look->module[kept++] = *found;
	}
	look->count = kept;
}

/* Returns what the list has at the place but the look does not; NULL: nothing. */
static struct module *modules_find_missing(const struct modules *modules,
					   const struct module *module)
{
	int64_t at = modules_below(modules, module->end - 1);

	for (; at >= 0 && modules->module[at].end > module->start; at--)
		if (!modules->module[at].seen && modules->module[at].file)
			return &modules->module[at];
	return NULL;
}

/*
 * The look has found a module at a place whose former module is reported, later, as unloaded:
 * another thread has loaded the new one before the report was made. The old module was certainly
 * there when the process saw it last, and the new one has been there since the look.
 */
static bool modules_take_overtaken(struct modules *modules, const struct modules_reading *reading,
				   const struct module *found)
{
	struct module_end *end = module_ends_first(&modules->ends, found->start, found->end);
	struct module_end known;
	struct module *ended;
	uint64_t to_ns;

	if (!end || !end->path || module_is_ended(found, end) || end->seen_ns > modules->look.to_ns)
		return false;
	known = *end;
	module_ends_forget(&modules->ends, end);
	ended = modules_find_ended(modules, &known);
	to_ns = known.seen_ns < modules->look.from_ns ? known.seen_ns : modules->look.from_ns;
	if (ended) {
		module_tell_end(reading, ended, to_ns);
		modules_remove(modules, ended);
	} else {
		modules_tell_unseen(modules, reading, &known, to_ns);
	}
	return true;
}

/*
 * Puts the look's modules into `fresh`, those of the list and new ones. Returns how many are new.
 */
static uint32_t modules_take_found(struct modules *modules, const struct modules_reading *reading,
				   struct module *fresh, uint32_t *ret_count)
{
	uint32_t news = 0, count = 0;

	for (uint32_t i = 0; i < modules->look.count; i++) {
		const struct module *found = &modules->look.module[i];
		struct module *missing;
		uint64_t from_ns;

		if (!modules_find_same(modules, found)) {
			bool overtaken = modules_take_overtaken(modules, reading, found);
			uint64_t next_ns;

			missing = modules_find_missing(modules, found);
			if (missing && !missing->missing_ns)
				modules_note_next(modules, missing, found);
			if (missing && !missing->missing_ns && !reading->is_last) {
				modules->missed = true;
				/*
				 * its end may be reported until the next look, which will find this
				 * module, too
				 */
				continue;
			}
			next_ns = missing ? modules_next_from(modules, missing, found) : 0;
			from_ns = modules_from(modules, reading, found);
			if (overtaken || (missing && from_ns < modules->look.from_ns))
				from_ns = modules->look.from_ns;
			if (next_ns && !overtaken) {
				from_ns = next_ns;
				modules_tell_replaced(modules, reading, missing, next_ns);
			}
			module_tell(reading, found, from_ns);
			news++;
		}
		fresh[count++] = *found;
	}
	*ret_count = count;
	return news;
}

/*
 * Modules that are not found end. The first time they stay, after the others. Returns how many do.
 */
static uint32_t modules_take_missing(struct modules *modules, const struct modules_reading *reading,
				     struct module *fresh)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < modules->count; i++) {
		struct module *module = &modules->module[i];
		uint64_t missing_ns = module->missing_ns ? module->missing_ns
				      : module->end_ns   ? module->end_ns
							 : modules->look.from_ns;
		struct module_end end = { .time_ns = missing_ns,
					  .start = module->start,
					  .end = module->end };

		if (module->seen || module->is_told_end)
			continue;
		if (reading->is_last || module->missing_ns || !module->file) {
			module_tell_end(reading, module, end.time_ns);
			module_ends_keep(&modules->ends, &end);
			continue;
		}
		fresh[kept] = *module;
		fresh[kept++].missing_ns = missing_ns;
	}
	return kept;
}

static void modules_mark_seen(struct modules *modules)
{
	for (uint32_t i = 0; i < modules->count; i++)
		modules->module[i].seen = false;
	for (uint32_t i = 0; i < modules->look.count; i++) {
		struct module *same = modules_find_same(modules, &modules->look.module[i]);

		if (same)
			same->seen = true;
	}
}

static void modules_take_look(struct modules *modules, const struct modules_reading *reading)
{
	struct module *fresh = malloc((modules->look.count + modules->count + 1) * sizeof(*fresh));
	uint32_t news = 0, count = 0, missing;

	if (fresh) {
		modules_mark_seen(modules);
		news = modules_take_found(modules, reading, fresh, &count);
		missing = modules_take_missing(modules, reading, fresh + count);
		if (missing)
			qsort(fresh, count + missing, sizeof(*fresh), module_compare);
		modules->missed |= missing;
		free(modules->module);
		modules->module = fresh;
		modules->count = count + missing;
	}
	if (news || modules->missed)
		modules->pause_ns = PAUSE_FIRST;
	else if (modules->pause_ns < PAUSE_LAST)
		modules->pause_ns *= 2;
	modules->told_before_ns = modules->told_ns ? modules->told_ns : reading->from_ns;
	modules->told_ns = modules->look.from_ns;
	modules->loads = modules->later;
	modules->later = (struct modules_loads){ 0, 0 };
	free(modules->look.module);
	modules->look.module = NULL;
}

bool modules_settle(struct modules *modules, const struct modules_reading *reading)
{
	uint64_t until_ns = reading->is_last ? UINT64_MAX : reading->time_ns;
	bool any = false;

	module_ends_sort(&modules->ends);
	if (modules->look.module && modules->look.to_ns <= until_ns) {
		look_drop_unsure(modules);
		(void)modules_take_ends(modules, reading, modules->look.to_ns);
		modules_take_look(modules, reading);
		any = true;
	}
	return modules_take_ends(modules, reading, until_ns) || any;
}

/* --- without a look --- */

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
		list[modules->count] = module_of_start(reading, &start);
		module_tell(reading, &list[modules->count++], reading->from_ns);
	}
	qsort(list, modules->count, sizeof(*list), module_compare);
	modules->left_out = map.left_out;
	modules->module = list;
	modules->read_ns = reading->steady_ns;
	modules->told_ns = reading->time_ns;
	modules->told_before_ns = reading->from_ns;
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
	modules->told_before_ns = reading->from_ns;
	modules->pause_ns = PAUSE_FIRST;
	for (uint32_t i = 0; i < modules->count; i++) {
		/* what the parent's looks miss, or find later, concerns only the parent */
		modules->module[i].seen_ns = reading->from_ns;
		modules->module[i].missing_ns = 0;
		module_tell(reading, &modules->module[i], reading->from_ns);
	}
}

bool modules_want_look(const struct modules *modules, uint64_t steady_ns)
{
	return modules->missed && !modules->look.module &&
	       steady_ns - modules->read_ns >= modules->pause_ns;
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
	free(modules->look.module);
	module_ends_release(&modules->ends);
	*modules = (struct modules){ 0 };
}
