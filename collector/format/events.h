/* SPDX-License-Identifier: MIT */
/*
 * The events of events.def as C: ids, structs, descriptors.
 *
 * A decoded event is `struct event`: its fields are 64-bit words in the order of events.def, so
 * that EVENT_AS(malloc, e)->size names one. A text field takes two words, pointer and length; it
 * points into the buffer of the frame and lives as long as the buffer. A `name` field holds the
 * string's id, a `caller` field the address. Times are nanoseconds since the session's first
 * record.
 */
#ifndef COLLECTOR_FORMAT_EVENTS_H
#define COLLECTOR_FORMAT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions among the events in blocks. */
enum evt_block_order {
#define EVENT_IN_BLOCK(n, name, family, doc) EVT_BLOCK_ORDER_##name,
#include "collector/format/events.def"
	EVT_BLOCK_ORDER_LIMIT,
};

/* ids from here on belong to events in blocks; below, id and number are equal */
#define EVT_ID_BLOCKS 128u
#define EVT_NUMBER_MAX 0xffffu /* in files */

enum evt_id {
#define EVENT(id, name, family, doc) EVT_##name = id,
#define EVENT_IN_BLOCK(n, name, family, doc) EVT_##name = EVT_ID_BLOCKS + EVT_BLOCK_ORDER_##name,
#include "collector/format/events.def"
	EVT_ID_LIMIT = 256, /* an id fits into one byte */
};

/* families.def: this value times 256 is the first number of the family's block. */
enum evt_block {
#define FAMILY_BLOCK(name, block) EVT_BLOCK_##name = block,
#include "collector/format/families.def"
};
#define EVT_BLOCK_NUMBERS 256u

enum evt_codec {
	EVT_CODEC_uint = 1,
	EVT_CODEC_sint = 2,
	EVT_CODEC_addr = 3,
	EVT_CODEC_name = 4,
	EVT_CODEC_text = 5,
	EVT_CODEC_born = 6,
	EVT_CODEC_dies = 7,
	EVT_CODEC_size = 8,
	EVT_CODEC_caller = 9,
	EVT_CODEC_block = 10,
	EVT_CODEC_delta = 11,
	EVT_CODEC_serial = 12,
	EVT_CODEC_LIMIT,
	EVT_CODEC_span = EVT_CODEC_uint, /* in the file; in the ring it is in ticks */
};

enum evt_family {
#define FAMILY(name, by_default, needs, doc, none, why) EVT_FAMILY_##name,
#define FAMILY_ALWAYS(name, none, why) EVT_FAMILY_##name,
#include "collector/format/families.def"
	EVT_FAMILY_LIMIT,
};

/* process_end.how */
enum evt_end_how {
	EVT_END_UNKNOWN = 0,   /* ended without a record, and the kernel does not tell either */
	EVT_END_EXIT = 1,      /* exit() or return from main */
	EVT_END_IMMEDIATE = 2, /* _exit() or _Exit() */
	EVT_END_KILLED = 3,    /* by a signal */
	EVT_END_EXEC = 4,      /* the pid continues with another program */
};

/* capture_begin.from */
enum evt_capture_from {
	EVT_CAPTURE_ASKED = 1, /* `intercept capture` */
	EVT_CAPTURE_FILE = 2,  /* the file that INTERCEPT_TRIGGER names */
	EVT_CAPTURE_RULE = 3,  /* a rule: what it waited for has happened */
};

/* capture_end.how */
enum evt_capture_how {
	EVT_CAPTURE_OVER = 1,   /* all that was asked for is recorded */
	EVT_CAPTURE_PASSED = 2, /* its steps were over before it was asked for */
	EVT_CAPTURE_LEFT = 3,   /* the program ended first */
	EVT_CAPTURE_IDLE = 4,   /* no step began in time */
};

/* capture_refused.why */
enum evt_capture_refusal {
	EVT_CAPTURE_BUSY = 1,    /* another capture was under way */
	EVT_CAPTURE_INVALID = 2, /* it cannot be read, or the file is not safe to follow */
};

/* lost.reason */
enum evt_lost_reason {
	EVT_LOST_FULL = 1,       /* the ring was full */
	EVT_LOST_NO_RING = 2,    /* more threads at once than rings */
	EVT_LOST_NESTED = 3,     /* a signal handler inside a signal handler inside a record */
	EVT_LOST_SCRIBBLED = 4,  /* the program overwrote the ring, which was then closed */
	EVT_LOST_DISK = 5,       /* the file could not be written */
	EVT_LOST_EARLY = 6,      /* before the library could record */
	EVT_LOST_NO_PROCESS = 7, /* more processes at once than the region has room for */
	EVT_LOST_LIMIT = 8,      /* INTERCEPT_MAX_FILE was reached */
	EVT_LOST_STALLED = 9,    /* the collector was gone or made no progress for a second */
	/* more than a frame, or the memory for the collector's own events, can hold */
	EVT_LOST_REFUSED = 10,
	EVT_LOST_STACK = 11,    /* some frames of a stack are not known; its event is there */
	EVT_LOST_STACK_ID = 12, /* a frame of a stack was defined a second time, differently */
	/* a record has only its caller, because its stack could not be taken */
	EVT_LOST_NO_STACK = 13,
	EVT_LOST_MODULES = 14, /* more files are mapped into a process than are recorded */
	EVT_LOST_SAMPLED = 15, /* more sampled blocks of the heap live than can be remembered */
	EVT_LOST_LIMIT_COUNT,
};

static inline bool lost_is_of_stacks(uint64_t reason)
{
	return reason == EVT_LOST_STACK || reason == EVT_LOST_STACK_ID ||
	       reason == EVT_LOST_NO_STACK;
}

/* Returns false if no event is missing, but the meaning of one is not fully known. */
static inline bool lost_is_of_events(uint64_t reason)
{
	return !lost_is_of_stacks(reason) && reason != EVT_LOST_MODULES;
}

/* python_sample.state */
enum evt_python_state {
	EVT_PYTHON_RUNS = 0, /* on a CPU, or runnable */
	EVT_PYTHON_GIL = 1,  /* waits for the GIL */
	EVT_PYTHON_LOCK = 2, /* waits for another futex: a lock, a condition, another thread */
	EVT_PYTHON_IO = 3,   /* waits for a file, a socket, a pipe, or several of them */
	EVT_PYTHON_SLEEP = 4,
	EVT_PYTHON_CHILD = 5, /* waits for the end of a child */
	EVT_PYTHON_WAITS = 6, /* waits for something else, or for something unknown */
	/* in the run queue: waits for a CPU, because what it waited for has come */
	EVT_PYTHON_READY = 7,
	EVT_PYTHON_TORN = 8,    /* its stack changed while it was read, so no line is known */
	EVT_PYTHON_STOPPED = 9, /* a signal or a debugger had stopped it */
	EVT_PYTHON_STATE_LIMIT,
};

/* python_sampling.off */
enum evt_python_off {
	EVT_PYTHON_ON = 0,
	EVT_PYTHON_OFF_VERSION = 1,   /* a version of CPython that this program does not know */
	EVT_PYTHON_OFF_LAYOUT = 2,    /* a build whose layout is different */
	EVT_PYTHON_OFF_REFUSED = 3,   /* the kernel does not let the collector read the process */
	EVT_PYTHON_OFF_ELSEWHERE = 4, /* it lives in another pid namespace */
	EVT_PYTHON_OFF_LIMIT,
};

/* native_sampling.off */
enum evt_native_off {
	EVT_NATIVE_ON = 0,
	EVT_NATIVE_OFF_REFUSED =
		1, /* perf_event_open() is not allowed, for an unknown reason: EPERM, EACCES */
	EVT_NATIVE_OFF_ABSENT =
		2,              /* the kernel has no such call, or it is filtered: ENOSYS, SIGSYS */
	EVT_NATIVE_OFF_OLD = 3, /* the kernel is too old for the request: before Linux 5.13 */
	EVT_NATIVE_OFF_ELSEWHERE = 4, /* the process lives in another pid namespace */
	/* no memory for a ring (RLIMIT_MEMLOCK), or no free descriptor */
	EVT_NATIVE_OFF_ROOM = 5,
	EVT_NATIVE_OFF_PARANOID = 6, /* not allowed by perf_event_paranoid */
	EVT_NATIVE_OFF_FILTERED = 7, /* not allowed by a seccomp filter */
	EVT_NATIVE_OFF_BARRED = 8,   /* not allowed, though perf_event_paranoid allows it */
	EVT_NATIVE_OFF_LIMIT,
};

/* cuda_*.flags */
enum evt_cuda_flag {
	EVT_CUDA_NESTED = 1, /* CUDA called itself inside a recorded call: not counted */
};

/* cuda_copy.kind: the first five as enum cudaMemcpyKind */
enum evt_cuda_copy_kind {
	EVT_CUDA_COPY_HTOH = 0,
	EVT_CUDA_COPY_HTOD = 1,
	EVT_CUDA_COPY_DTOH = 2,
	EVT_CUDA_COPY_DTOD = 3,
	EVT_CUDA_COPY_DEFAULT = 4, /* the addresses decide */
	EVT_CUDA_COPY_MEMSET = 5,
	EVT_CUDA_COPY_LIMIT,
};

/* cuda_alloc.kind, cuda_free.kind */
enum evt_cuda_memory {
	EVT_CUDA_ANY = 0,
	EVT_CUDA_DEVICE = 1,     /* cudaMalloc and its relatives */
	EVT_CUDA_POOL = 2,       /* stream-ordered: cudaMallocAsync */
	EVT_CUDA_MANAGED = 3,    /* cudaMallocManaged */
	EVT_CUDA_PINNED = 4,     /* cudaMallocHost, cudaHostAlloc */
	EVT_CUDA_REGISTERED = 5, /* cudaHostRegister: host memory of the program, pinned */
	EVT_CUDA_ARRAY = 6,      /* cudaMallocArray */
	EVT_CUDA_VIRTUAL = 7,    /* cuMemCreate: physical memory for mapping */
	EVT_CUDA_MEMORY_LIMIT,
	EVT_CUDA_ALL = 255,
};

/* gpu_cupti.state */
enum evt_gpu_state {
	EVT_GPU_STARTED = 1,
	EVT_GPU_NO_LIBRARY = 2, /* no libcupti was found */
	EVT_GPU_FAILED = 3,     /* a function of CUPTI failed, nothing is recorded */
	EVT_GPU_IN_USE = 4,     /* another user had CUPTI before us */
	EVT_GPU_LEFT = 5,       /* another user came after us: from here on nothing is recorded */
	EVT_GPU_SHARED = 6,     /* another user came after us, and both get records */
	EVT_GPU_INJECTED =
		7, /* CUDA_INJECTION64_PATH names another tool's library: CUPTI is left to it */
	EVT_GPU_LATE = 8,    /* CUDA was there before us: what it did until then is not known */
	EVT_GPU_COPY = 9,    /* a second libcupti was opened; ours answers for it */
	EVT_GPU_STATIC = 10, /* a library contains a CUPTI of its own, which CUPTI is left to */
	EVT_GPU_DETACHED =
		11, /* nothing is captured: CUPTI has left the process for the time being */
	EVT_GPU_ATTACHED = 12, /* it has come back */
	EVT_GPU_AWAY =
		13, /* as DETACHED, between windows; numbers of calls go on when it comes back */
	EVT_GPU_STATE_LIMIT,
};

/* gpu_lost.reason */
enum evt_gpu_lost_reason {
	EVT_GPU_LOST_DROPPED = 1,    /* CUPTI had no room for them */
	EVT_GPU_LOST_UNFINISHED = 2, /* had not ended when the last records were requested */
	EVT_GPU_LOST_STRANGE = 3,    /* a record that no version of CUPTI makes */
	EVT_GPU_LOST_LIMIT,
};

/* device_card.chosen */
enum evt_device_chosen {
	EVT_DEVICE_LISTED = 0, /* NVML lists it; which ones the program uses is not known */
	EVT_DEVICE_USED = 1,   /* CUPTI names it, and the program uses it */
	EVT_DEVICE_CHOSEN_LIMIT,
};

/* device_trouble.trouble */
enum evt_device_trouble_kind {
	EVT_DEVICE_NO_LIBRARY = 1, /* `what` was not found */
	EVT_DEVICE_FAILED = 2,     /* NVML does not start: `what` failed with `result` */
	EVT_DEVICE_NO_CARD = 3,    /* NVML does not know the GPU with the UUID `what` */
	EVT_DEVICE_LOST = 4,       /* the card answers no more */
	EVT_DEVICE_HANGS = 5,      /* `what` does not return; other work goes on */
	EVT_DEVICE_RETURNED = 6,   /* it has returned after all */
	EVT_DEVICE_TOO_MANY = 7,   /* there are more cards than can be recorded */
	EVT_DEVICE_NO_THREAD = 8,  /* the collector could not start a thread for NVML */
	EVT_DEVICE_TROUBLE_LIMIT,
};

struct event {
	uint64_t time_ns;
	uint32_t stream;
	/*
	 * enum evt_id, or an id that stands for an event this program does not know
	 * (schema_event.number)
	 */
	uint8_t id;
	uint8_t words; /* number of words in `value` */
	uint16_t kind; /* in the frame of the file that it was read from */
	const uint64_t *value;
};

struct evt_text {
	uint64_t at; /* pointer, see evt_text_bytes() */
	uint64_t length;
};

static inline const char *evt_text_bytes(struct evt_text text)
{
	return (const char *)(uintptr_t)text.at;
}

#define EVT_TYPE_uint uint64_t
#define EVT_TYPE_span uint64_t
#define EVT_TYPE_sint int64_t
#define EVT_TYPE_addr uint64_t
#define EVT_TYPE_name uint64_t
#define EVT_TYPE_text struct evt_text
#define EVT_TYPE_born uint64_t
#define EVT_TYPE_dies uint64_t
#define EVT_TYPE_size uint64_t
#define EVT_TYPE_caller uint64_t
#define EVT_TYPE_block uint64_t
#define EVT_TYPE_delta int64_t
#define EVT_TYPE_serial uint64_t

#define EVENT(id, name, family, doc) struct evt_##name {
#define FIELD(codec, name, doc) EVT_TYPE_##codec name;
#define END(name) \
	}         \
	;
#include "collector/format/events.def"

#define EVT_SCOPE_USER 7u /* value of at::RecordScope: labels, optimizers, the DataLoader */

#define EVENT_AS(name, event) ((const struct evt_##name *)(const void *)(event)->value)

/*
 * For an event of family cuda: a call that CUDA itself made inside of another call, which is not
 * counted.
 */
static inline bool event_is_nested_call(const struct event *event)
{
	return EVENT_AS(cuda_call, event)->flags & EVT_CUDA_NESTED;
}

/*
 * True for events of heap blocks; other events of family alloc are about memory outside of the
 * heap.
 */
static inline bool evt_is_of_block(uint32_t id)
{
	return id >= EVT_malloc && id <= EVT_realloc_failed;
}

/*
 * For an event of a block that was read from a file: its block has the address of the block that
 * the same thread freed last, and will be freed by that thread, both within the same block of the
 * file. A hint: another thread may still use that address in between.
 */
static inline bool event_is_brief(const struct event *event)
{
	return event->value[event->words] != 0;
}

#define EVT_FIELDS_MAX 16 /* limit for the fields of an event; checked when events.c is compiled */
#define EVT_WORDS_MAX (EVT_FIELDS_MAX + 1)

struct evt_field {
	const char *name;
	enum evt_codec codec;
	bool is_span;
	const char *doc;
};

struct evt_descriptor {
	const char *name; /* NULL: no such event */
	enum evt_family family;
	const char *doc;
	unsigned int field_count;
	struct evt_field field[EVT_FIELDS_MAX];
};

/* Indexed by id. */
extern const struct evt_descriptor evt_descriptors[EVT_ID_LIMIT];

/* The number in files for each id; 0 if there is no such event. */
extern const uint16_t evt_numbers[EVT_ID_LIMIT];
/* Ids from here on belong to no event of this program. */
extern const uint32_t evt_known_limit;

/*
 * Returns the id for a number in a file. Below EVT_ID_BLOCKS they are equal, whether there is such
 * an event or not. 0: this program knows no such event.
 */
uint32_t evt_id_of_number(uint64_t number);

enum evt_scope_kind {
	EVT_SCOPE_KIND_NONE,
#define SCOPE(name, owner, is_range, word, doc) EVT_SCOPE_KIND_##name,
#include "collector/format/scopes.def"
	EVT_SCOPE_KIND_LIMIT,
};

enum evt_scope_owner { EVT_OWNER_thread, EVT_OWNER_process };

struct evt_scope_descriptor {
	const char *name; /* NULL: EVT_SCOPE_KIND_NONE */
	const char *
		/* for people, in lists with ranges of several kinds; empty: the domain says it */
		word;
	enum evt_scope_owner owner;
	bool is_range;
};

extern const struct evt_scope_descriptor evt_scopes[EVT_SCOPE_KIND_LIMIT];

/* How an event relates to scopes and to time: see events.def. */
struct evt_role {
	enum evt_scope_kind opens, closes, details; /* EVT_SCOPE_KIND_NONE: nothing */
	bool is_deferred, is_timeless;
	uint8_t holds; /* HOLDS(): number of its keys plus one, 0: it does not hold */
	/*
	 * Fields of events that open and close scopes: their index plus one, 0: none. See
	 * evt_part().
	 */
	uint8_t title;  /* the name that people know the scope by */
	uint8_t domain; /* the domain of the title */
	/* the end has the same key; without a key, the innermost scope of the thread ends */
	uint8_t key;
	uint8_t identity;  /* distinguishes scopes with the same key; the end has the same value */
	uint8_t elsewhere; /* for an end: not 0 if another thread began the scope */
	/* for an end without a key: how many scopes of its kind began after it and stay open */
	uint8_t inside;
	uint8_t label; /* at::RecordScope: EVT_SCOPE_USER is a range, other values are operators */
};

/* Indexed by id; all zeros if there is no such event. */
extern const struct evt_role evt_roles[EVT_ID_LIMIT];

/* Also for an id that this program does not know, which has no role. */
static inline const struct evt_role *evt_role_of(uint32_t id)
{
	return &evt_roles[id < EVT_ID_LIMIT ? id : 0];
}

/*
 * Returns a part of the scope that the event opens or closes, a member of struct evt_role; 0 if it
 * has none.
 */
static inline uint64_t evt_part(const struct event *event, uint8_t part)
{
	return part ? event->value[part - 1] : 0;
}

static inline bool evt_scope_is_range(enum evt_scope_kind kind, enum evt_scope_owner owner)
{
	return kind && evt_scopes[kind].is_range && evt_scopes[kind].owner == owner;
}

/* True if the event opens, or closes, a scope of that owner which --range can select. */
static inline bool evt_opens_range(uint32_t id, enum evt_scope_owner owner)
{
	return id < EVT_ID_LIMIT && evt_scope_is_range(evt_roles[id].opens, owner);
}

static inline bool evt_closes_range(uint32_t id, enum evt_scope_owner owner)
{
	return id < EVT_ID_LIMIT && evt_scope_is_range(evt_roles[id].closes, owner);
}

/* The field that says how long a call took; EVT_FIELDS_MAX: it is no event of a call. */
unsigned int evt_duration_field(uint32_t id);

/* Ends one scope and begins the next of the same kind, as a step does. */
static inline bool evt_is_between(uint32_t id)
{
	return id < EVT_ID_LIMIT && evt_roles[id].closes &&
	       evt_roles[id].closes == evt_roles[id].opens;
}

extern const char *const evt_family_names[EVT_FAMILY_LIMIT];
extern const char *const evt_lost_reasons[EVT_LOST_LIMIT_COUNT];

#endif
