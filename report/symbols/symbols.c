/* SPDX-License-Identifier: MIT */
/* Which function and line a return address belongs to: see symbols.h. */
#include "report/symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/base/symbol.h"
#include "report/base/text.h"
#include "report/symbols/object.h"

#define FILES_NAMED 3u

struct symbols_object {
	struct object *object; /* NULL: there is none */
	enum object_state state;
	const char *path;
};

void symbols_init(struct symbols *symbols, enum symbol_form form)
{
	*symbols = (struct symbols){ .form = form };
	map_init(&symbols->objects);
	map_init(&symbols->places);
}

void symbols_release(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->objects_count; i++)
		object_close(symbols->object[i].object);
	free(symbols->object);
	free(symbols->place);
	map_release(&symbols->objects);
	map_release(&symbols->places);
	demangler_release(&symbols->demangler);
	text_store_release(&symbols->texts);
}

static uint64_t hash_of(const char *text, uint64_t seed)
{
	return map_hash_bytes(text, strlen(text), seed);
}

/* The file of a module; opened the first time. */
static struct object *object_of(struct symbols *symbols, const struct source_module *module)
{
	const char *path = source_name_text(module->path);
	const char *build_id = source_name_text(module->build_id);
	struct symbols_object *object;
	struct map_entry *entry;
	bool added;

	entry = map_put(&symbols->objects, hash_of(build_id, hash_of(path, 0)), &added);
	if (!added)
		return symbols->object[entry->value].object;
	entry->value = symbols->objects_count;
	symbols->object = memory_room(symbols->object, symbols->objects_count,
				      &symbols->object_room, sizeof(*symbols->object));
	object = &symbols->object[symbols->objects_count++];
	object->path = path;
	object->object = object_open(path, build_id, &object->state);
	return object->object;
}

/* Up to what a compiler appends to the name of a part or a copy of a function. */
static size_t length_without_suffix(const char *function)
{
	static const char *const suffixes[] = { ".constprop.", ".isra.", ".part.", ".cold",
						".lto_priv.",  ".llvm.", NULL };
	size_t length = strlen(function);

	for (const char *const *suffix = suffixes; *suffix; suffix++) {
		const char *found = strstr(function, *suffix);

		if (found && found > function && (size_t)(found - function) < length)
			length = (size_t)(found - function);
	}
	return length;
}

/* The function's names in the form that was asked for. */
static void set_name(struct symbols *symbols, struct symbol *symbol, const char *function)
{
	bool is_mangled = symbols->form == SYMBOLS_MANGLED;
	size_t length = is_mangled ? strlen(function) : length_without_suffix(function);
	const char *full = NULL, *brief = NULL;

	if (!is_mangled) {
		full = demangle(&symbols->demangler, function, length, true);
		brief = demangle(&symbols->demangler, function, length, false);
	}
	symbol->function = full ? full : text_store_put(&symbols->texts, function, length);
	symbol->brief = brief ? brief : symbol->function;
	if (!brief || symbols->form != SYMBOLS_SHORT)
		return;
	brief = symbol_base(brief, strlen(brief), &length);
	symbol->function = symbol->brief = text_store_put(&symbols->texts, brief, length);
}

static void look_up(struct symbols *symbols, const struct source_module *module, uint64_t address,
		    struct symbol *symbol)
{
	struct object *object = object_of(symbols, module);
	struct object_place place;

	if (!object)
		return;
	object_find(object, address, &place);
	if (!place.frames)
		return;
	if (place.frame[0].function)
		set_name(symbols, symbol, place.frame[0].function);
	if (place.frame[0].file)
		symbol->file = text_store_put(&symbols->texts, place.frame[0].file,
					      strlen(place.frame[0].file));
	symbol->line = place.frame[0].line;
	if (place.frames == 1)
		symbol->offset = place.offset;
}

static const char *file_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && name[1] ? name + 1 : path;
}

const struct symbol *symbols_of_call(struct symbols *symbols, const struct source_process *process,
				     uint64_t address, uint64_t time_ns)
{
	static const struct symbol unknown = { .offset = UINT64_MAX };
	const struct source_module *module = caller_module(process, address, time_ns);
	struct map_entry *entry;
	struct symbol *symbol;
	uint64_t key;
	bool added;

	if (!module || !address)
		return &unknown;
	address -= module->bias;
	key = hash_of(source_name_text(module->build_id),
		      hash_of(source_name_text(module->path), address));
	entry = map_put(&symbols->places, key, &added);
	if (!added)
		return &symbols->place[entry->value];
	entry->value = symbols->places_count;
	symbols->place = memory_room(symbols->place, symbols->places_count, &symbols->place_room,
				     sizeof(*symbols->place));
	symbol = &symbols->place[symbols->places_count++];
	*symbol = (struct symbol){ .offset = UINT64_MAX,
				   .module = file_name(source_name_text(module->path)) };
	if (!symbols->is_off)
		look_up(symbols, module, address - 1, symbol);
	return symbol;
}

const char *symbols_text(struct symbols *symbols, const struct symbol *symbol)
{
	if (!symbol->function)
		return NULL;
	if (symbol->file && symbol->line)
		return text_store_format(&symbols->texts, "%s (%s:%" PRIu32 ")", symbol->brief,
					 file_name(symbol->file), symbol->line);
	if (symbol->offset == UINT64_MAX)
		return symbol->brief;
	return text_store_format(&symbols->texts, "%s+0x%" PRIx64, symbol->brief,
				 symbol->offset + 1);
}

const char *symbols_missing(const struct symbols *symbols, struct symbols_missing *missing)
{
	static const char *const why[] = { [OBJECT_MISSING] = "is not there",
					   [OBJECT_OTHER_BUILD] = "is another build",
					   [OBJECT_UNREADABLE] = "cannot be read" };
	size_t used = 0, count = 0;

	missing->text[0] = '\0';
	for (size_t i = 0; i < symbols->objects_count; i++) {
		const struct symbols_object *object = &symbols->object[i];
		char name[96];

		if (object->object || object->path[0] != '/')
			continue;
		if (count++ >= FILES_NAMED)
			continue;
		text_escape(name, sizeof(name), file_name(object->path),
			    strlen(file_name(object->path)));
		used += (size_t)snprintf(missing->text + used, sizeof(missing->text) - used,
					 "%s%s %s", used ? ", " : "", name, why[object->state]);
	}
	if (count > FILES_NAMED)
		snprintf(missing->text + used, sizeof(missing->text) - used, ", and %zu more",
			 count - FILES_NAMED);
	return missing->text;
}
