/* SPDX-License-Identifier: MIT */
/* Compares folders as text: the files themselves may be on another machine. */
#include "report/core/own.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/text.h"
#include "report/options/options.h"

#define VARIABLE "INTERCEPT_OWN"
#define RECORDED "own" /* the key of the value that the setting had when the program was recorded */
#define INSTALLED "installed" /* the key of paths that a package's installer has written */

/* Facts about a process, as bits. */
enum program {
	PROGRAM_IS_KNOWN = 1,
	PROGRAM_IS_PYTHON = 2, /* it is a Python interpreter */
	PROGRAM_IS_SYSTEM =
		/*
		 * a program of the distribution: its user is as much a user of its libraries as of
		 * itself
		 */
	4,
};

enum frames_choice { FRAMES_OWN, FRAMES_ALL };

static bool own_has_part(const char *text, size_t length, const char *part)
{
	return memmem(text, length, part, strlen(part)) != NULL;
}

static bool own_ends_with(const char *text, size_t length, const char *end)
{
	size_t bytes = strlen(end);

	return length >= bytes && !memcmp(text + length - bytes, end, bytes);
}

static const char *base_of(const char *path, size_t length)
{
	const char *slash = memrchr(path, '/', length);

	return slash ? slash + 1 : path;
}

/* INTERCEPT_REDACT and prof-report redact keep file names without folders. */
static bool lacks_folders(const struct source *source)
{
	struct source_process *const *process;
	size_t count = source ? source_processes(source, &process) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct source_name *executable = process[i]->executable;

		if (executable && executable->text && executable->length &&
		    !strchr(executable->text, '/'))
			return true;
	}
	return false;
}

void own_init(struct own *own, const struct source *source, const struct options *options)
{
	*own = (struct own){ .source = source, .listed = getenv(VARIABLE) };
	own->asked = options ? options->of_report[REPORT_OPTION_own].text : NULL;
	own->is_off = options && options->of_report[REPORT_OPTION_frames].choice == FRAMES_ALL;
	own->has_no_folders = lacks_folders(source);
	map_init(&own->names);
	map_init(&own->scripts);
	map_init(&own->programs);
}

void own_release(struct own *own)
{
	map_release(&own->names);
	map_release(&own->scripts);
	map_release(&own->programs);
}

/* --- what the user named as own --- */

/* A pattern with * or ? must match the whole path; a text without them may be any part of it. */
static bool pattern_has(const char *pattern, size_t length, const char *path, size_t path_length)
{
	if (!length)
		return false;
	if (memchr(pattern, '*', length) || memchr(pattern, '?', length))
		return text_matches(path, path_length, pattern, length);
	return memmem(path, path_length, pattern, length) != NULL;
}

/* Returns whether one of the comma-separated patterns matches. */
static bool list_has(const char *patterns, const char *path, size_t length)
{
	for (const char *at = patterns; at && *at;) {
		size_t word = strcspn(at, ",");

		if (pattern_has(at, word, path, length))
			return true;
		at += word + (at[word] == ',');
	}
	return false;
}

static bool own_is_asked_for(const struct own *own, const char *path, size_t length)
{
	const struct source_meta *meta;
	size_t count = own->source ? source_metas(own->source, &meta) : 0;

	for (size_t i = 0; i < count; i++)
		if (!meta[i].process && meta[i].key->text && !strcmp(meta[i].key->text, RECORDED) &&
		    list_has(meta[i].value->text, path, length))
			return true;
	return list_has(own->asked, path, length) || list_has(own->listed, path, length);
}

/* --- Python --- */

/*
 * Returns whether the code was made by exec() or typed in. Nobody else wrote it: code that a
 * library makes so usually has another name.
 */
static bool is_typed(const char *file, size_t length)
{
	static const char *const begins[] = { "<stdin", "<string", "<ipython-input", "<console" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (text_begins(file, length, begins[i]))
			return true;
	return false;
}

/*
 * Returns whether the program is `python -c CODE`: only then "<string>" is the program itself,
 * because dataclasses and namedtuples call exec() in any program.
 */
static bool is_given_code(const struct source *source)
{
	struct source_process *const *process;
	size_t count = source ? source_processes(source, &process) : 0, length;

	for (size_t i = 0; i < count; i++) {
		const char *command = process[i]->command ? name_text(process[i]->command, &length)
							  : NULL;

		/* what multiprocessing starts is given code of its own */
		if (command && own_has_part(command, length, " -c") &&
		    !own_has_part(command, length, "from multiprocessing."))
			return true;
	}
	return false;
}

/* Returns whether a word of a recorded command line names the file. */
static bool is_script(const struct source *source, const char *file, size_t length)
{
	struct source_process *const *process;
	size_t count = source ? source_processes(source, &process) : 0, command_length;

	for (size_t i = 0; i < count; i++) {
		const char *at = process[i]->command
					 ? name_text(process[i]->command, &command_length)
					 : "";
		const char *end = process[i]->command ? at + command_length : at;

		while (at < end) {
			const char *space = memchr(at, ' ', (size_t)(end - at));
			size_t word = (size_t)((space ? space : end) - at);
			const char *base = base_of(at, word);

			if (at + word - base == (ptrdiff_t)length && !memcmp(base, file, length))
				return true;
			at += word + 1;
		}
	}
	return false;
}

static uint64_t script_key(const char *file, size_t length)
{
	return map_hash_bytes(file, length, 0) | 1; /* 0 would be no key */
}

/* A script without .py in a `bin` folder was put there by an installer. */
static bool is_installed_program(const char *file, size_t length)
{
	const char *base = base_of(file, length);

	return base - file >= 5 && !memcmp(base - 5, "/bin/", 5) &&
	       !own_ends_with(file, length, ".py");
}

static bool is_installed(const char *file, size_t length)
{
	static const char *const parts[] = { "/site-packages/", "/dist-packages/", "/lib/python3",
					     "/lib64/python3",  "/lib/pypy3",      "/lib/python2" };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (own_has_part(file, length, parts[i]))
			return true;
	return text_begins(file, length, "site-packages/") ||
	       text_begins(file, length, "dist-packages/") || is_installed_program(file, length);
}

/*
 * Returns the length of the folder that the file was installed into, with its slash; 0: none is
 * known.
 */
static size_t folder_of_installed(const struct source *source, const char *file, size_t length)
{
	const struct source_meta *meta;
	size_t count = source ? source_metas(source, &meta) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct source_name *path = meta[i].value;

		if (meta[i].key->text && !strcmp(meta[i].key->text, INSTALLED) && path &&
		    path->text && path->length <= length &&
		    !memcmp(path->text, file, path->length) &&
		    (path->length == length || file[path->length] == '/'))
			return (size_t)(base_of(path->text, path->length) - path->text);
	}
	return 0;
}

const char *own_path_in_packages(const struct source *source, const char *file, size_t length,
				 size_t *ret_length)
{
	static const char *const folders[] = { "/site-packages/", "/dist-packages/" };
	size_t folder = folder_of_installed(source, file, length);

	for (size_t i = 0; !folder && i < sizeof(folders) / sizeof(folders[0]); i++) {
		const char *at = memmem(file, length, folders[i], strlen(folders[i]));

		if (at)
			folder = (size_t)(at - file) + strlen(folders[i]);
	}
	*ret_length = length - folder;
	return folder ? file + folder : NULL;
}

bool own_has_file(const struct own *own, const char *file, size_t length)
{
	if (!length)
		return false;
	if (own_is_asked_for(own, file, length))
		return true;
	if (file[0] == '<')
		return is_typed(file, length) &&
		       (!text_begins(file, length, "<string") || is_given_code(own->source));
	if (is_installed(file, length) || folder_of_installed(own->source, file, length))
		return false;
	if (own->has_no_folders && !memchr(file, '/', length))
		return map_find(&own->scripts, script_key(file, length)) ||
		       is_script(own->source, file, length);
	return true;
}

void own_note_script_file(struct own *own, const char *file)
{
	bool added;

	if (own->has_no_folders && *file && *file != '<')
		(void)map_put(&own->scripts, script_key(file, strlen(file)), &added);
}

void own_note_script(struct own *own, uint32_t name)
{
	bool added;
	size_t length;
	const char *text = name_text(source_name_at(own->source, name), &length);

	if (own->has_no_folders && length && text[0] != '<')
		map_put(&own->names, (uint64_t)name + 1, &added)->value = true;
}

bool own_has_name(struct own *own, uint32_t name)
{
	bool added;
	struct map_entry *entry = map_put(&own->names, (uint64_t)name + 1, &added);

	if (added) {
		size_t length;
		const char *text = name_text(source_name_at(own->source, name), &length);

		entry->value = own_has_file(own, text, length);
	}
	return entry->value;
}

/* --- native code --- */

static bool begins_with_any(const char *path, const char *const *starts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(path, starts[i], strlen(starts[i])))
			return true;
	return false;
}
#define BEGINS_WITH_ANY(path, starts) \
	begins_with_any(path, starts, sizeof(starts) / sizeof((starts)[0]))

static unsigned int program_of(struct own *own, const struct source_process *process)
{
	static const char *const system[] = { "/usr/bin/", "/usr/sbin/",    "/usr/lib/",  "/bin/",
					      "/sbin/",    "/usr/libexec/", "/usr/games/" };
	const char *path = process->executable && process->executable->text
				   ? process->executable->text
				   : "";
	const char *base = base_of(path, strlen(path));
	struct map_entry *entry;
	bool added;

	entry = map_put(&own->programs, (uint64_t)process->index + 1, &added);
	if (added)
		entry->value = PROGRAM_IS_KNOWN |
			       (!strncmp(base, "python", 6) || !strncmp(base, "pypy", 4)
					? PROGRAM_IS_PYTHON
					: 0u) |
			       (BEGINS_WITH_ANY(path, system) ? PROGRAM_IS_SYSTEM : 0u);
	return (unsigned int)entry->value;
}

/*
 * Returns the begin of the function's own name, behind the return type that a template's name
 * begins with. Spaces inside of <>, () and {} do not separate; "operator new" and "foo() const" are
 * handled separately.
 */
static const char *name_of_function(const char *function)
{
	const char *start = function;
	unsigned int depth = 0;

	for (const char *at = function; *at; at++)
		switch (*at) {
		case 'o':
			if (!strncmp(at, "operator", 8))
				return start;
			break;
		case '<':
		case '(':
		case '{':
		case '[':
			depth++;
			break;
		case '>':
		case ')':
		case '}':
		case ']':
			depth -= depth > 0;
			break;
		case ' ':
			if (!depth && at[1] && strncmp(at + 1, "const", 5) != 0 && at[1] != '[' &&
			    at[1] != '&')
				start = at + 1;
			break;
		}
	return start;
}

/* Returns the end of the name's part before `end`, without template arguments. */
static const char *without_arguments(const char *start, const char *end)
{
	unsigned int depth = 0;

	if (end == start || end[-1] != '>')
		return end;
	while (end > start) {
		end--;
		depth += *end == '>';
		depth -= *end == '<';
		if (!depth)
			break;
	}
	return end;
}

static const char *last_part(const char *start, const char *end)
{
	while (end > start && end[-1] != ':')
		end--;
	return end;
}

bool own_is_constructor(const char *function)
{
	const char *start = name_of_function(function), *name, *class, *end;

	end = without_arguments(start, start + strlen(start));
	name = last_part(start, end);
	if (name - start < 2 || name == end)
		return false;
	class = without_arguments(start, name - 2);
	start = last_part(start, class);
	return class - start == end - name && !memcmp(start, name, (size_t)(end - name));
}

/* Returns whether the function belongs to the C++ or Rust library, whichever file it is in. */
static bool is_of_language(const char *function)
{
	static const char *const names[] = {
		"std::",   "__gnu_cxx::", "__cxxabiv1::", "operator new", "operator delete",
		"alloc::", "core::",      "<alloc::",     "<core::",      "<std::",
		"_ZNSt",   "_ZSt",        "__cxa_",       "_Unwind_"
	};
	static const char *const wrapped[] = { "<std::", "<alloc::", "<core::" };
	const char *name = name_of_function(function);

	return BEGINS_WITH_ANY(name, names) || (*name == '<' && BEGINS_WITH_ANY(name, wrapped));
}

static bool is_of_headers(const char *file)
{
	static const char *const begins[] = { "/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm",
					      "/rustc/",       "/rust/deps/",   "/usr/src/",
					      "/build/glibc" };

	return BEGINS_WITH_ANY(file, begins) || strstr(file, "/include/c++/") ||
	       strstr(file, "/bits/stl_") || strstr(file, "/.cargo/registry/") ||
	       strstr(file, "/rustlib/src/");
}

bool own_begins_process(const struct own *own, const char *function, const char *file,
			size_t file_length)
{
	static const char path[] = "multiprocessing/process.py";
	const char *wanted = own->has_no_folders ? base_of(path, sizeof(path) - 1) : path;
	size_t length = strlen(wanted);

	return !strcmp(function, "_bootstrap") && file_length >= length &&
	       !memcmp(file + file_length - length, wanted, length) &&
	       (file_length == length || file[file_length - length - 1] == '/');
}

bool own_is_import(const char *file, size_t length)
{
	return text_begins(file, length, "<frozen importlib");
}

/* Libraries that are in every program, wherever their files are. */
static bool is_system_library(const char *base)
{
	static const char *const names[] = {
		"libc.so",   "libc-2",       "ld-linux",    "ld-2.",       "libm.so",
		"libm-2",    "libpthread",   "libdl.so",    "librt.so",    "libstdc++",
		"libc++",    "libgcc_s",     "libgomp",     "libomp",      "libiomp5",
		"libpython", "libintercept", "libjemalloc", "libtcmalloc", "libmimalloc",
		"libasan",   "libtsan",      "libubsan",    "[vdso]",      "libtbb"
	};

	return BEGINS_WITH_ANY(base, names);
}

static bool is_system_path(const char *path)
{
	static const char *const folders[] = { "/lib/",       "/lib64/",     "/lib32/",
					       "/usr/lib/",   "/usr/lib64/", "/usr/lib32/",
					       "/nix/store/", "/snap/" };

	return BEGINS_WITH_ANY(path, folders);
}

static bool has_module(struct own *own, const struct own_code *code)
{
	unsigned int program = program_of(own, code->process);
	const char *executable = code->process->executable ? code->process->executable->text : NULL;
	bool is_program = executable && !strcmp(executable, code->path);

	if (is_program)
		return !(program & PROGRAM_IS_PYTHON);
	if (is_system_library(base_of(code->path, strlen(code->path))) ||
	    is_installed(code->path, strlen(code->path)))
		return false;
	if (own->has_no_folders && code->path[0] != '/')
		return false;
	if (is_system_path(code->path))
		return (program & PROGRAM_IS_SYSTEM) && !(program & PROGRAM_IS_PYTHON);
	return true;
}

bool own_has_code(struct own *own, const struct own_code *code)
{
	if ((code->file && own_is_asked_for(own, code->file, strlen(code->file))) ||
	    (code->path && own_is_asked_for(own, code->path, strlen(code->path))))
		return true;
	if (code->function && is_of_language(code->function))
		return false;
	if (code->file && is_of_headers(code->file))
		return false;
	if (!code->path)
		return code->function != NULL;
	return code->process && has_module(own, code);
}
