/* SPDX-License-Identifier: MIT */
/*
 * What is known of an address of a recording. Asks the sources one after the other and keeps what
 * they say.
 */
#include "report/symbols/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/base/text.h"
#include "report/symbols/answers.h"
#include "report/symbols/perf_map.h"
#include "report/symbols/symbol_cache.h"

#define FILES_NAMED 3u
#define NOTHING SIZE_MAX
#define NAMELESS_MIN 8u /* addresses; half of fewer says little */
#define SECOND_NS 1000000000ull
#define IS_JIT (1ull << 63)  /* bit in a number of places_missed.seen */
#define IS_BARE (1ull << 62) /* another such bit */
#define PARENTS_LIMIT 64u    /* a damaged file may contain a cycle */

static struct places *shared;

struct places_object {
	const char *path, *build_id;
	struct object *object; /* NULL: there is none, or it is not opened */
	enum object_state state;
	bool is_opened; /* opening was tried */
	bool is_new;    /* not all answers are in the cache yet */
	struct answers answers;
};

struct places_jit {
	struct perf_map *map; /* NULL: there is none */
	enum perf_map_state state;
	uint32_t pid;
};

struct places_stored {
	struct answers answers;
	size_t next; /* the next with the same subject; NOTHING: none */
};

void places_init(struct places *places)
{
	*places = (struct places){ .object = NULL };
	map_init(&places->objects);
	map_init(&places->changes);
	map_init(&places->processes);
	map_init(&places->files);
	map_init(&places->stored);
}

struct places *places_hold(const struct source *source)
{
	struct places *places = shared;

	while (places && places->source != source)
		places = places->next;
	if (!places) {
		places = memory_zero(1, sizeof(*places));
		places_init(places);
		places->source = source;
		places->next = shared;
		shared = places;
	}
	places->holders++;
	return places;
}

void places_drop(struct places *places)
{
	struct places **link = &shared;

	if (!places || --places->holders)
		return;
	while (*link != places)
		link = &(*link)->next;
	*link = places->next;
	places_release(places);
	free(places);
}

static void release_object(struct places_object *object)
{
	if (object->is_new)
		symbol_cache_save(&object->answers, object->path, object->build_id,
				  object_debug_link(object->object));
	answers_release(&object->answers);
	object_close(object->object);
}

void places_release(struct places *places)
{
	for (size_t i = 0; i < places->objects_count; i++)
		release_object(&places->object[i]);
	for (size_t i = 0; i < places->jit_count; i++)
		perf_map_close(places->jit[i].map);
	for (size_t i = 0; i < places->answers_count; i++)
		answers_release(&places->answers[i].answers);
	free(places->object);
	free(places->jit);
	free(places->answers);
	map_release(&places->objects);
	map_release(&places->changes);
	map_release(&places->processes);
	map_release(&places->files);
	map_release(&places->stored);
}

/* --- in the recording --- */

/*
 * A file without a build-id may be a different one in another recording, and a process's number is
 * valid in one recording only.
 */
static uint64_t places_key_of(const struct source_file *file, uint64_t process, const char *path,
			      const char *build_id)
{
	uint64_t words[] = { process, process || !*build_id ? (uintptr_t)file : 0 };
	uint64_t hash = map_hash_bytes(words, sizeof(words), 0);

	if (process)
		return hash;
	hash = map_hash_bytes(path, strlen(path), hash);
	return map_hash_bytes(build_id, strlen(build_id), hash);
}

static void take_stored(struct places *places, const struct source_file *file,
			const struct source_symbols *symbols)
{
	const struct answers_subject *subject;
	struct places_stored *stored;
	struct map_entry *entry;
	bool added;

	places->answers = memory_room(places->answers, places->answers_count, &places->answers_room,
				      sizeof(*places->answers));
	stored = &places->answers[places->answers_count];
	answers_init(&stored->answers);
	if (!answers_read(&stored->answers, symbols->bytes, symbols->length)) {
		answers_release(&stored->answers);
		return;
	}
	subject = &stored->answers.subject;
	entry = map_put(&places->stored,
			places_key_of(file, subject->process, subject->path, subject->build_id),
			&added);
	stored->next = added ? NOTHING : entry->value;
	entry->value = places->answers_count++;
}

static bool find_stored(struct places *places, const struct source_process *process,
			const struct source_module *module, uint64_t address,
			struct object_place *place)
{
	const struct source_file *file = process->file;
	const struct map_entry *entry;
	bool added;

	if (!file || !file->symbols)
		return false;
	map_put(&places->files, (uintptr_t)file, &added);
	for (const struct source_symbols *symbols = added ? file->symbols : NULL; symbols;
	     symbols = symbols->next)
		take_stored(places, file, symbols);
	entry = map_find(&places->stored,
			 places_key_of(file, module ? 0 : process->number,
				       module ? source_name_text(module->path) : "",
				       module ? source_name_text(module->build_id) : ""));
	for (size_t i = entry ? entry->value : NOTHING; i != NOTHING; i = places->answers[i].next)
		if (answers_find(&places->answers[i].answers, address, place) && place->frames)
			return true;
	return false;
}

/* --- in files of code --- */

/*
 * 0: it does not exist. Writing to a file, and replacing it, both set this time, which no program
 * can choose.
 */
static uint64_t changed_ns(struct places *places, const char *path)
{
	bool added;
	struct map_entry *entry = map_put(&places->changes, (uintptr_t)path, &added);
	struct stat status;

	if (added)
		entry->value = stat(path, &status) ? 0
						   : (uint64_t)status.st_ctim.tv_sec * SECOND_NS +
							     (uint64_t)status.st_ctim.tv_nsec;
	return entry->value;
}

/* True if a file without other identification is younger than its mapping in the process. */
static bool is_changed(struct places *places, const struct source_process *process,
		       const struct source_module *module)
{
	const struct source_file *file = process->file;
	const char *path = source_name_text(module->path);

	if (*source_name_text(module->build_id) || *path != '/' || !file || !file->start_real_ns)
		return false;
	return changed_ns(places, path) >
	       file->start_real_ns - (uint64_t)file->offset_ns + module->from_ns;
}

/*
 * Returns the file of a module, with what earlier runs have found out about it. Valid until the
 * next call.
 */
static struct places_object *object_of(struct places *places, const struct source_process *process,
				       const struct source_module *module)
{
	bool changed = is_changed(places, process, module);
	const char *path = source_name_text(module->path);
	const char *build_id = source_name_text(module->build_id);
	struct places_object *object;
	struct map_entry *entry;
	uint64_t key;
	bool added;

	if (path == places->last_path && build_id == places->last_build_id &&
	    changed == places->last_is_changed)
		return &places->object[places->last_object];
	key = map_hash_bytes(path, strlen(path), changed);
	entry = map_put(&places->objects, map_hash_bytes(build_id, strlen(build_id), key), &added);
	places->last_path = path;
	places->last_build_id = build_id;
	places->last_is_changed = changed;
	places->last_object = added ? places->objects_count : entry->value;
	if (!added)
		return &places->object[entry->value];
	entry->value = places->objects_count;
	places->object = memory_room(places->object, places->objects_count, &places->object_room,
				     sizeof(*places->object));
	object = &places->object[places->objects_count++];
	object->path = path;
	object->build_id = build_id;
	object->is_opened = changed;
	object->state = changed ? OBJECT_CHANGED : OBJECT_FOUND;
	answers_init(&object->answers);
	symbol_cache_load(&object->answers, path, build_id);
	return object;
}

static bool note_missed(struct places_missed *missed, uint64_t number)
{
	bool added;

	map_put(&missed->seen, number + 1, &added);
	return added;
}

static void miss_object(struct places_missed *missed, size_t number)
{
	if (!note_missed(missed, number))
		return;
	missed->object = memory_room(missed->object, missed->objects, &missed->object_room,
				     sizeof(*missed->object));
	missed->object[missed->objects++] = number;
}

static void miss_jit(struct places_missed *missed, size_t number)
{
	if (!note_missed(missed, number | IS_JIT))
		return;
	missed->jit = memory_room(missed->jit, missed->jits, &missed->jit_room,
				  sizeof(*missed->jit));
	missed->jit[missed->jits++] = number;
}

/*
 * Opens the file if something is asked that no earlier run has found out. `missed`: NULL: not
 * wanted.
 */
static void find_in_object(struct places *places, struct places_object *object, uint64_t address,
			   struct places_missed *missed, struct object_place *place)
{
	if (answers_find(&object->answers, address, place))
		return;
	if (!object->is_opened)
		object->object = object_open(object->path, object->build_id, &object->state);
	object->is_opened = true;
	if (!object->object) {
		if (missed)
			miss_object(missed, (size_t)(object - places->object));
		return;
	}
	object_find(object->object, address, place);
	if (place->is_split)
		return;
	answers_add(&object->answers, address, place);
	object->is_new = true;
}

static void count_nameless(struct places_missed *missed, uint64_t number,
			   const struct object_place *place)
{
	bool added;

	missed->asked++;
	if (place->frames && place->frame[place->frames - 1].function)
		return;
	missed->nameless++;
	map_put(&missed->nameless_of, number + 1, &added)->value++;
}

/* --- in no file --- */

bool places_is_memory(const struct source_module *module)
{
	const char *path = source_name_text(module->path);

	return !strncmp(path, "/memfd:", 7) || !strncmp(path, "/dev/zero", 9);
}

static void find_in_map(struct places *places, const struct source_process *process,
			uint64_t address, struct places_missed *missed, struct object_place *place)
{
	struct places_jit *jit;
	struct map_entry *entry;
	bool added;

	entry = map_put(&places->processes, (uintptr_t)process, &added);
	if (added) {
		entry->value = places->jit_count;
		places->jit = memory_room(places->jit, places->jit_count, &places->jit_room,
					  sizeof(*places->jit));
		jit = &places->jit[places->jit_count++];
		jit->map = perf_map_open(process, &jit->state);
		jit->pid = process->pid;
	}
	jit = &places->jit[entry->value];
	if (jit->map)
		perf_map_find(jit->map, address, place);
	else
		miss_jit(missed, entry->value);
}

/* True if it has no modules, and could get none from its parent. */
static bool has_modules(const struct source_process *process)
{
	for (unsigned int i = 0; process && i < PARENTS_LIMIT; i++, process = process->parent)
		if (process->module_count)
			return true;
	return false;
}

static void miss_modules(struct places_missed *missed, const struct source_process *process)
{
	if (has_modules(process) || !note_missed(missed, (uintptr_t)process | IS_BARE))
		return;
	if (!missed->bare++)
		missed->bare_pid = process->pid;
}

static bool has_line(const struct object_place *place)
{
	return place->frames && place->frame[0].file && place->frame[0].line;
}

/*
 * Debug information may have been installed since the recording was symbolized; it also knows what
 * is inlined.
 */
static void find_better(struct places *places, const struct source_process *process,
			const struct source_module *module, uint64_t address,
			struct object_place *place)
{
	struct object_place found = { .offset = UINT64_MAX };

	find_in_object(places, object_of(places, process, module), address, NULL, &found);
	if (has_line(&found))
		*place = found;
	else
		place->is_split |= found.is_split;
}

void places_find(struct places *places, const struct source_process *process,
		 const struct source_module *module, uint64_t address, struct places_missed *missed,
		 struct object_place *ret_place)
{
	*ret_place = (struct object_place){ .offset = UINT64_MAX };
	if (module && places_is_memory(module)) {
		address += module->bias;
		module = NULL;
	}
	if (find_stored(places, process, module, address, ret_place)) {
		if (module && !has_line(ret_place))
			find_better(places, process, module, address, ret_place);
		return;
	}
	ret_place->frames = 0;
	if (module) {
		struct places_object *object = object_of(places, process, module);

		find_in_object(places, object, address, missed, ret_place);
		if (object->state == OBJECT_FOUND)
			count_nameless(missed, (uint64_t)(object - places->object), ret_place);
	} else if (process->file)
		find_in_map(places, process, address, missed, ret_place);
	if (!module && !ret_place->frames)
		miss_modules(missed, process);
}

/* --- what is missing --- */

void places_missed_init(struct places_missed *missed)
{
	*missed = (struct places_missed){ .object = NULL };
	map_init(&missed->seen);
	map_init(&missed->nameless_of);
}

void places_missed_release(struct places_missed *missed)
{
	map_release(&missed->seen);
	map_release(&missed->nameless_of);
	free(missed->object);
	free(missed->jit);
}

struct missing {
	char *text;
	size_t bytes, used, count;
};

static void places_miss(struct missing *missing, const char *name, const char *why)
{
	char shown[96];
	int length;

	if (missing->count++ >= FILES_NAMED)
		return;
	text_escape(shown, sizeof(shown), name, strlen(name));
	length = snprintf(missing->text + missing->used, missing->bytes - missing->used, "%s%s %s",
			  missing->used ? ", " : "", shown, why);
	missing->used += (size_t)length;
	if (missing->used >= missing->bytes)
		missing->used = missing->bytes - 1;
}

static void miss_map(struct missing *missing, const struct places_jit *jit)
{
	char name[32];

	if (jit->state == PERF_MAP_MISSING)
		return;
	snprintf(name, sizeof(name), "perf-%u.map", jit->pid);
	places_miss(missing, name,
		    jit->state == PERF_MAP_OTHER_TIME ? "is not this process' own"
						      : "cannot be read");
}

void places_missing(const struct places *places, const struct places_missed *missed, char *ret_text,
		    size_t bytes)
{
	static const char *const why[] = {
		[OBJECT_FOUND] = "",
		[OBJECT_MISSING] = "is not there",
		[OBJECT_OTHER_BUILD] = "is another build",
		[OBJECT_CHANGED] = "has no build-id and was changed since",
		[OBJECT_UNREADABLE] = "cannot be read"
	};
	struct missing missing = { .text = ret_text, .bytes = bytes };

	ret_text[0] = '\0';
	for (size_t i = 0; i < missed->objects; i++) {
		const struct places_object *object = &places->object[missed->object[i]];
		const char *name = strrchr(object->path, '/');

		if (object->path[0] == '/')
			places_miss(&missing, name && name[1] ? name + 1 : object->path,
				    why[object->state]);
	}
	for (size_t i = 0; i < missed->jits; i++)
		miss_map(&missing, &places->jit[missed->jit[i]]);
	if (missing.count > FILES_NAMED)
		snprintf(ret_text + missing.used, bytes - missing.used, ", and %zu more",
			 missing.count - FILES_NAMED);
}

const char *places_nameless(const struct places *places, const struct places_missed *missed)
{
	const struct places_object *most = NULL;
	uint64_t most_count = 0;
	const char *slash;

	if (missed->asked < NAMELESS_MIN || 2 * missed->nameless <= missed->asked)
		return NULL;
	for (size_t i = 0; i < places->objects_count; i++) {
		const struct map_entry *entry = map_find(&missed->nameless_of, i + 1);

		if (entry && entry->value > most_count) {
			most = &places->object[i];
			most_count = entry->value;
		}
	}
	if (!most)
		return NULL;
	slash = strrchr(most->path, '/');
	return slash && slash[1] ? slash + 1 : most->path;
}
