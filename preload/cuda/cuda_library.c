/* SPDX-License-Identifier: MIT */
/*
 * Two fixed tables: libraries with the originals found in them, and calling objects with two
 * libraries of each kind, found by a hash of the object. A call costs one such lookup; only a miss
 * applies the rules.
 */
#include "preload/cuda/cuda_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/base/object.h"
#include "preload/hook/interposer.h"
#include "preload/base/symbols.h"

#define LIBRARIES 16u /* loaded at the same time */
/* objects that call CUDA; for further objects the lookup is done at every call */
#define CALLERS 512u
#define SLOTS 1024u /* slots of the table of callers; a power of two */
#define PROBES 4u

const struct cuda_function_info cuda_functions[CUDA_FUNCTIONS] = {
#define CUDA(library, since_, per_thread_, name_, parameters, arguments, record) \
	[CUDA_FN_##name_] = { #name_, CUDA_KIND_##library, per_thread_, since_ },
#define CUDA_OWN(library, returns, name_, parameters, arguments) \
	[CUDA_FN_##name_] = { #name_, CUDA_KIND_##library, false, 0 },
#include "preload/cuda/hooks.def"
};

enum { LIBRARY_FREE, LIBRARY_FILLING, LIBRARY_READY };

struct cuda_library {
	_Atomic int state;
	struct object object; /* index of the library, and the object as it was found */
	uint32_t major;
	enum cuda_kind kind;
	_Atomic(void *) device_getter;
	_Atomic(void *) original[CUDA_FUNCTIONS];
};

struct caller {
	struct object object;
	/* For each kind: the library of most functions, and another one that has some of them. */
	_Atomic(struct cuda_library *) library[CUDA_KINDS][2];
	_Atomic bool inside;
};

/* Mapped at the first call, because most programs make none. */
struct tables {
	struct cuda_library library[LIBRARIES];
	struct caller caller[CALLERS];
	_Atomic uint32_t callers_used;
	_Atomic(struct caller *) caller_slot[SLOTS];
};

static _Atomic(struct tables *) tables_mapped;
static _Atomic(void *) driver_addresses[CUDA_FUNCTIONS];
static struct caller caller_of_all; /* used if objects cannot be distinguished */

static inline struct tables *tables_of_calls(void)
{
	return atomic_load_explicit(&tables_mapped, memory_order_acquire);
}

/* NULL if there is no memory: then the lookup is done at every call. */
static struct tables *tables_make(void)
{
	struct tables *tables = tables_of_calls(), *first = NULL;

	if (tables)
		return tables;
	tables = mmap(NULL, sizeof(*tables), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (tables == MAP_FAILED)
		return NULL;
	if (atomic_compare_exchange_strong(&tables_mapped, &first, tables))
		return tables;
	munmap(tables, sizeof(*tables));
	return first;
}

static bool object_is(const struct object *a, const struct object *b)
{
	return a->map == b->map && a->start == b->start && a->end == b->end &&
	       a->header == b->header;
}

/* --- libraries --- */

static bool library_is_loaded(const struct cuda_library *library)
{
	struct object object;

	if (!object_can_be_found())
		return true;
	return object_of((uintptr_t)library->object.start, &object) &&
	       object_is(&object, &library->object);
}

/* Claims an entry that is free, or whose object is gone. */
static struct cuda_library *library_claim(struct tables *tables)
{
	for (unsigned int i = 0; i < LIBRARIES; i++) {
		struct cuda_library *library = &tables->library[i];
		int state = atomic_load(&library->state);

		if (state == LIBRARY_FILLING ||
		    (state == LIBRARY_READY && library_is_loaded(library)))
			continue;
		if (!atomic_compare_exchange_strong(&library->state, &state, LIBRARY_FILLING))
			continue;
		for (unsigned int f = 0; f < CUDA_FUNCTIONS; f++)
			atomic_store_explicit(&library->original[f], NULL, memory_order_relaxed);
		atomic_store(&library->device_getter, NULL);
		return library;
	}
	return NULL;
}

/* Returns the library of the object that holds `address`. */
static struct cuda_library *library_at(void *address, enum cuda_kind kind, uint32_t major)
{
	struct tables *tables = tables_make();
	struct object object = { 0 };
	struct cuda_library *library;

	(void)object_of((uintptr_t)address, &object);
	for (unsigned int i = 0; tables && i < LIBRARIES; i++) {
		library = &tables->library[i];
		if (atomic_load(&library->state) == LIBRARY_READY && library->kind == kind &&
		    object_is(&library->object, &object))
			return library;
	}
	library = tables ? library_claim(tables) : NULL;
	if (!library)
		return NULL;
	library->object = object;
	library->kind = kind;
	library->major = major;
	atomic_store(&library->state, LIBRARY_READY);
	return library;
}

uint32_t cuda_library_major(const struct cuda_library *library)
{
	return library ? library->major : 0;
}

uint32_t cuda_library_version(const struct cuda_library *library)
{
	int version = 0, saved = errno;
	int (*get)(int *) = NULL;
	struct symbols s;

	if (library && library->object.map && cuda_search_open(&library->object, &s))
		*(void **)&get = symbols_address(&s, "cudaRuntimeGetVersion");
	if (!get || get(&version) != 0)
		version = 0;
	errno = saved;
	return (uint32_t)version;
}

void *cuda_library_device_getter(struct cuda_library *library)
{
	struct symbols s;
	void *found = atomic_load(&library->device_getter);

	if (found || !library->object.map || !cuda_search_open(&library->object, &s))
		return found;
	found = symbols_address(&s, library->kind == CUDA_KIND_cudart ? "cudaGetDevice"
								      : "cuCtxGetDevice");
	atomic_store(&library->device_getter, found);
	return found;
}

void cuda_library_note_driver(enum cuda_function function, void *address)
{
	atomic_store(&driver_addresses[function], address);
}

/* --- callers --- */

static uint32_t caller_home(const struct object *object)
{
	return (uint32_t)((uintptr_t)object->map * 0x9e3779b97f4a7c15u >> 54);
}

_Static_assert(SLOTS == 1u << (64 - 54), "caller_home() takes the upper bits");

static inline struct caller *caller_known(const struct object *object)
{
	struct tables *tables = tables_of_calls();
	uint32_t home = caller_home(object);

	for (unsigned int i = 0; tables && i < PROBES; i++) {
		struct caller *caller = atomic_load_explicit(
			&tables->caller_slot[(home + i) % SLOTS], memory_order_acquire);

		if (caller && object_is(&caller->object, object))
			return caller;
	}
	return NULL;
}

/*
 * True for a part of CUDA that calls itself, decided by its name; a file without a soname by its
 * path.
 */
static bool object_is_cuda(const struct object *object, const struct symbols *s)
{
	static const char *const parts[] = { "libcupti.so", "libcudadebugger.so" };
	const char *soname = symbols_string(s, DT_SONAME, 0);
	const char *path = object->map->l_name;

	if (!soname && path)
		soname = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	for (size_t i = 0; soname && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strncmp(soname, parts[i], strlen(parts[i])) == 0)
			return true;
	return cuda_soname_is_of(soname, CUDA_KIND_cudart) ||
	       cuda_soname_is_of(soname, CUDA_KIND_cuda);
}

/* Replaces the entry of an object that is gone, or the first one. */
static void caller_keep(struct tables *tables, struct caller *caller)
{
	uint32_t home = caller_home(&caller->object);

	for (unsigned int i = 0; i < PROBES; i++) {
		_Atomic(struct caller *) *slot = &tables->caller_slot[(home + i) % SLOTS];
		struct caller *empty = NULL;

		if (atomic_compare_exchange_strong(slot, &empty, caller) ||
		    empty->object.map == caller->object.map) {
			atomic_store(slot, caller);
			return;
		}
	}
	atomic_store(&tables->caller_slot[home], caller);
}

/* `spare` is used if there is no room for more. */
static struct caller *caller_make(const struct object *object, struct caller *spare)
{
	struct tables *tables = tables_make();
	uint32_t index = tables ? atomic_load(&tables->callers_used) : CALLERS;
	struct caller *caller = spare;
	struct symbols s;

	if (index < CALLERS && (index = atomic_fetch_add(&tables->callers_used, 1)) < CALLERS)
		caller = &tables->caller[index];
	caller->object = *object;
	if (cuda_search_open(object, &s))
		caller->inside = object_is_cuda(object, &s);
	if (caller != spare)
		caller_keep(tables, caller);
	return caller;
}

/* --- finding the original --- */

/* Returns what another preloaded library defines in front of the library, or NULL. */
static void *original_between(enum cuda_function function)
{
	void *next = interposer_find(cuda_functions[function].name);
	struct object object;
	struct symbols s;

	if (!next || !object_of((uintptr_t)next, &object) || !cuda_search_open(&object, &s))
		return NULL;
	return cuda_soname_is_of(symbols_string(&s, DT_SONAME, 0), cuda_functions[function].kind)
		       ? NULL
		       : next;
}

/* Applies the rules of cuda_library.h. */
static struct cuda_definition search_by_rules(struct caller *caller, enum cuda_function function)
{
	const struct cuda_function_info *info = &cuda_functions[function];
	struct cuda_definition found = { 0 };
	struct object object;
	struct symbols s;

	if (caller->object.map && cuda_search_open(&caller->object, &s)) {
		found.address = symbols_address(&s, info->name);
		if (found.address) {
			/* a runtime, together with the object that it is linked into */
			caller->inside = true;
			return found;
		}
		found = cuda_search_needed(&s, info->name);
		if (found.address)
			return found;
	}
	found.address = atomic_load(&driver_addresses[function]);
	if (found.address) {
		if (!object_can_be_found() || object_of((uintptr_t)found.address, &object))
			return found;
		atomic_store(&driver_addresses[function], NULL);
	}
	return cuda_search_loaded(info->kind, info->name);
}

static void caller_note_library(struct caller *caller, enum cuda_kind kind,
				struct cuda_library *library)
{
	struct cuda_library *first = atomic_load(&caller->library[kind][0]);
	bool is_second = first && first != library && library_is_loaded(first);

	atomic_store_explicit(&caller->library[kind][is_second], library, memory_order_release);
}

static void origin_search(struct cuda_origin *origin, struct caller *caller,
			  enum cuda_function function)
{
	enum cuda_kind kind = cuda_functions[function].kind;
	struct cuda_definition found = search_by_rules(caller, function);
	struct cuda_library *library;
	void *original;

	if (!found.address)
		return;
	/*
	 * without _dl_find_object() nothing would show that the library is gone, so it stays loaded
	 */
	if (!object_can_be_found())
		interposer_pin(found.address);
	library = library_at(found.address, kind, found.major);
	original = original_between(function);
	if (!original)
		original = found.address;
	origin->library = library;
	origin->original = original;
	if (!library)
		return;
	atomic_store(&library->original[function], original);
	caller_note_library(caller, kind, library);
}

/*
 * Returns false if the caller's library of that kind is not known, is gone, or does not have the
 * function.
 */
static inline bool origin_take(struct cuda_origin *origin, struct cuda_library *library,
			       enum cuda_function function)
{
	if (!library || !library_is_loaded(library))
		return false;
	origin->library = library;
	origin->original = atomic_load_explicit(&library->original[function], memory_order_relaxed);
	return origin->original != NULL;
}

static bool object_is_ours(const struct object *object)
{
	uintptr_t here = (uintptr_t)&tables_mapped;

	return here >= (uintptr_t)object->start && here < (uintptr_t)object->end;
}

/* The original of the call around it has jumped here: it calls another function of its library. */
static void origin_follow(struct cuda_origin *origin, enum cuda_function function,
			  const struct cuda_origin *outer)
{
	struct caller jumper = { .object = { 0 } };

	if (outer && outer->library)
		jumper.object = outer->library->object;
	origin_search(origin, &jumper, function);
	origin->inside = true;
}

static __attribute__((noinline)) bool origin_find_slow(struct cuda_origin *origin,
						       enum cuda_function function,
						       const struct object *object,
						       const struct cuda_origin *outer)
{
	enum cuda_kind kind = cuda_functions[function].kind;
	int saved = errno;
	struct caller spare = { .object = { 0 } };
	struct caller *caller = object->map ? caller_known(object) : &caller_of_all;

	if (object->map && object_is_ours(object)) {
		origin_follow(origin, function, outer);
		errno = saved;
		return false;
	}
	if (!caller)
		caller = caller_make(object, &spare);
	if (!origin_take(origin, atomic_load(&caller->library[kind][1]), function))
		origin_search(origin, caller, function);
	origin->inside = caller->inside;
	errno = saved;
	return true;
}

bool cuda_origin_find(struct cuda_origin *origin, enum cuda_function function, const void *address,
		      const struct cuda_origin *outer)
{
	enum cuda_kind kind = cuda_functions[function].kind;
	struct object object; /* zeroing all of it would take longer than the lookup */
	struct caller *caller = &caller_of_all;

	object.map = NULL;
	*origin = (struct cuda_origin){ 0 };
	if (object_of((uintptr_t)address, &object))
		caller = caller_known(&object);
	if (__builtin_expect(caller && origin_take(origin,
						   atomic_load_explicit(&caller->library[kind][0],
									memory_order_acquire),
						   function),
			     1))
		origin->inside = caller->inside;
	else
		return origin_find_slow(origin, function, &object, outer);
	return true;
}
