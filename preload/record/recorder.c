/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of the recorder: gates, forked children, entering. The fast path is in recorder.h;
 * rings.c binds a thread to a ring, room.c waits for room in it. Nothing here allocates.
 */
#include "preload/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/futex.h"
#include "preload/record/entry.h"
#include "preload/record/recorder_state.h"
#include "preload/record/thread_clock.h"
#include "preload/record/trouble.h"

__thread struct recorder_thread recorder_self
	__attribute__((tls_model("initial-exec"), aligned(RECORDER_LINE)));
_Static_assert(sizeof(struct recorder_thread) <= 192, "TLS is scarce for late dlopen");

/* In a page of its own behind the library's data: MADV_WIPEONFORK needs anonymous memory. */
union recorder_page recorder_page __attribute__((aligned(RECORDER_PAGE)));
uint64_t recorder_base;

static void leave_alone(void)
{
}
static void (*adopt_child)(void) = leave_alone;
static bool asked_is_own;

struct recorder_region recorder_region;
struct recorder_state recorder_state;
static unsigned int recorder_families; /* one bit per family */

static enum recorder_heap heap_recorded;
static _Atomic bool recorder_paused;    /* waiting for a capture range */
static _Atomic bool recorder_is_sparse; /* between two detail windows */
static _Atomic bool recorder_running;

/* Families whose gates are shut between detail windows. */
static const unsigned int families_drawn = 0u
#define FAMILY_DRAWN(name, gate) | (gate##u) << EVT_FAMILY_##name
#include "collector/format/families.def"
	;

static void gates_set_heap(uint64_t gate)
{
	__atomic_store_n(&recorder_gates->heap, heap_recorded == RECORDER_HEAP_EACH ? gate : 0,
			 __ATOMIC_RELEASE);
	__atomic_store_n(&recorder_gates->heap_sampled,
			 heap_recorded == RECORDER_HEAP_SAMPLED ? gate : 0, __ATOMIC_RELEASE);
}

static void gates_set(bool on)
{
	unsigned int families = recorder_families;

	/* a sample of the heap goes on: it costs little, and only so it knows which blocks live */
	if (atomic_load(&recorder_is_sparse))
		families &= ~families_drawn | (unsigned int)(heap_recorded == RECORDER_HEAP_SAMPLED)
						      << EVT_FAMILY_alloc;
	for (unsigned int i = 0; i < EVT_FAMILY_LIMIT; i++) {
		bool open = on && (families & (1u << i));

		__atomic_store_n(&recorder_gates->gate[i], open ? recorder_state.generation : 0,
				 __ATOMIC_RELEASE);
	}
	gates_set_heap(recorder_gates->gate[EVT_FAMILY_alloc]);
}

void recorder_heap(enum recorder_heap what)
{
	heap_recorded = what;
	gates_set_heap(recorder_gates->gate[EVT_FAMILY_alloc]);
}

static void gates_wipe_on_fork(void)
{
	int saved = errno;

	/*
	 * where the kernel does not support it (gVisor, Linux before 4.14) the atfork handler calls
	 * recorder_shut_in_child()
	 */
	(void)madvise(&recorder_page, sizeof(recorder_page), MADV_WIPEONFORK);
	errno = saved;
}

/*
 * The directory of a process's threads has a link for each thread and two of its own. If it cannot
 * be examined, other threads are assumed.
 */
static bool thread_is_alone(void)
{
	struct stat threads;

	return !syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &threads, 0) &&
	       threads.st_nlink == 3;
}

static const _Atomic uint64_t *asked_word(void)
{
	if (!recorder_state.look || !recorder_region.header)
		return (const _Atomic uint64_t *)&recorder_gates->followed;
	return asked_is_own ? &region_processes(recorder_region.header,
						&recorder_region.shape)[recorder_state.process]
				       .detail_asked
			    : &recorder_region.header->asked.word;
}

static void begin(uint32_t process, bool is_joined)
{
	recorder_state.process = process;
	recorder_state.began.tid = (uint32_t)syscall(SYS_gettid);
	recorder_state.began.cpu_ns = thread_clock_ns();
	recorder_state.began.is_joined = is_joined;
	recorder_state.generation++;
	recorder_gates->base = recorder_base;
	recorder_gates->no_tsc = !clock_is_tsc;
	recorder_gates->self = (uint64_t)((char *)&recorder_self - arch_thread());
	recorder_gates->followed = 0; /* a new entry asks for nothing */
	recorder_gates->asked = asked_word();
	recorder_gates->generation = recorder_state.generation;
	gates_set(!atomic_load(&recorder_paused));
}

int recorder_open(const struct recorder_region *r, uint32_t process, unsigned int families)
{
	gates_wipe_on_fork();
	recorder_region = *r;
	recorder_base = r->header->base_tsc;
	recorder_families = families;
	atomic_store(&recorder_running, true);
	begin(process, !thread_is_alone());
	return 0;
}

/* A forked child has only this one thread. */
void recorder_reopen(uint32_t process)
{
	begin(process, false);
}

/*
 * After fork() in a signal handler, the interrupted hook goes on in the child too, and its lane
 * still points at the parent's ring. From here on such a lane points at this dummy ring:
 * room_step() refuses it, and a published record lands in memory of our own. If the hook has
 * already reserved the space for its record, it writes there through addresses in registers;
 * recorder_leave_parents_region() handles that case.
 */
static struct region_ring nowhere_ring;
static uint64_t nowhere_words[RECORD_WORDS_MAX];

static void lanes_cut_off(void)
{
	for (unsigned int i = 0; i < RECORDER_LEVELS; i++) {
		struct recorder_lane *lane = &recorder_self.lane[i];

		lane->ring = &nowhere_ring;
		lane->words = nowhere_words;
		lane->mask = 0;
		lane->limit = lane->head;
	}
}

bool recorder_is_cut_off(const struct recorder_lane *lane)
{
	return lane->ring == &nowhere_ring;
}

static bool record_is_interrupted(void)
{
	for (unsigned int i = 0; i < RECORDER_LEVELS; i++) {
		uint64_t owner = recorder_self.lane[i].owner;

		if (owner >= RECORDER_BUSY_MIN && (owner & RECORDER_IN_RECORD))
			return true;
	}
	return false;
}

void recorder_leave_parents_region(void)
{
	size_t bytes = recorder_region.shape.bytes;
	void *old = recorder_region.header, *moved;

	if (!record_is_interrupted())
		return;
	moved = mremap(old, 0, bytes, MREMAP_MAYMOVE); /* maps the same memory a second time */
	if (moved == MAP_FAILED)
		return;
	if (mmap(old, bytes, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
		munmap(moved, bytes);
		return;
	}
	(void)madvise(moved, bytes, MADV_DONTDUMP);
	recorder_region.header = moved;
	entry_region_moved(moved);
	trouble_watch(moved);
}

void recorder_shut_in_child(void)
{
	lanes_cut_off();
	recorder_gates->generation = 0;
	gates_set(false);
}

void recorder_close(void)
{
	atomic_store(&recorder_running, false);
	gates_set(false);
}

void recorder_capture(bool on)
{
	atomic_store(&recorder_paused, !on);
	if (atomic_load(&recorder_running) && recorder_gates->generation)
		gates_set(on);
}

void recorder_on_asked(void (*look)(void), bool own)
{
	recorder_state.look = look;
	asked_is_own = own;
	recorder_gates->asked = asked_word();
}

void recorder_followed(uint64_t word)
{
	__atomic_store_n(&recorder_gates->followed, word, __ATOMIC_RELAXED);
}

void recorder_detail(bool on)
{
	atomic_store(&recorder_is_sparse, !on);
	if (atomic_load(&recorder_running) && recorder_gates->generation)
		gates_set(!atomic_load(&recorder_paused));
}

/*
 * A record is being written, so nothing can be done about the request here; the next hook finds its
 * gate shut, and looks. A thread that has followed the request meanwhile opened the gates after it
 * wrote `followed`, so it is seen here.
 */
void recorder_shut_to_look(void)
{
	if (!recorder_state.look || !recorder_is_asked())
		return;
	gates_set(false);
	atomic_thread_fence(memory_order_seq_cst);
	if (!recorder_is_asked())
		gates_set(!atomic_load(&recorder_paused));
}

void recorder_on_strange_fork(void (*adopt)(void))
{
	adopt_child = adopt;
}

bool recorder_is_open(void)
{
	return atomic_load_explicit(&recorder_running, memory_order_acquire);
}

void recorder_ring_bell(void)
{
	struct region_header *h = recorder_region.header;

	atomic_fetch_add_explicit(&h->doorbell, 1, memory_order_release);
	futex_wake(&h->doorbell);
}

/* --- entering --- */

/*
 * True if the frame that set owner is gone because the stack was unwound past it, by longjmp() from
 * a handler. On the alternate signal stack, addresses cannot be compared.
 */
static bool owner_is_stale(uint64_t owner, uintptr_t frame)
{
	stack_t alternate;
	int saved = errno;
	bool on_alternate;

	/* an equal address is another call's frame: two running calls cannot share it */
	if ((owner & ~(uint64_t)RECORDER_BUSY_BITS) > frame)
		return false;
	on_alternate = sigaltstack(NULL, &alternate) == 0 && (alternate.ss_flags & SS_ONSTACK);
	errno = saved;
	return !on_alternate;
}

static struct recorder_lane *enter_second_lane(enum evt_family family)
{
	struct recorder_lane *lane = &recorder_self.lane[1];
	uint64_t gate = recorder_gate(family);
	uint64_t owner = lane->owner;

	if (owner == gate + 1)
		return lane;
	if (owner >= RECORDER_BUSY_MIN) {
		entry_count_lost(ENTRY_LOST_NESTED);
		return NULL;
	}
	/* so that what binding itself allocates is not recorded */
	lane->owner = (uintptr_t)__builtin_frame_address(0) | RECORDER_IN_RECORD;
	if (ring_bind_or_count(lane, 1))
		return lane;
	lane->owner = 0;
	return NULL;
}

static struct recorder_lane *enter_busy(enum evt_family family, uint64_t owner, uintptr_t frame)
{
	if (!recorder_gate(family))
		return NULL;
	if (owner_is_stale(owner, frame)) {
		recorder_self.lane[0].owner = recorder_self.lane[0].bound;
		return recorder_enter_slow(family, frame);
	}
	/* only the heap's hooks hold their lane around the original */
	if ((owner & RECORDER_IN_CALL) && (family == EVT_FAMILY_alloc || family == RECORDER_HEAP))
		return NULL;
	return enter_second_lane(family);
}

struct recorder_lane *recorder_enter_slow(enum evt_family family, uintptr_t frame)
{
	struct recorder_lane *lane = &recorder_self.lane[0];
	struct recorder_lane *result = NULL;
	int saved = errno;

	if (!recorder_is_open())
		return NULL;
	if (!recorder_gates->generation) {
		/*
		 * a forked child that its atfork handler did not bring in; the parent's lanes are
		 * not ours, busy or not
		 */
		recorder_leave_parents_region();
		lanes_cut_off();
		lane->owner = frame | RECORDER_IN_CALL;
		adopt_child();
		lane->owner = 0;
		errno = saved;
		if (!recorder_gates->generation)
			return NULL;
	}
	if (lane->owner >= RECORDER_BUSY_MIN)
		return enter_busy(family, lane->owner, frame);
	if (recorder_is_asked())
		recorder_state.look();
	if (!recorder_gate(family))
		return NULL;
	if (lane->owner == recorder_gate(family) + 1)
		return lane;
	lane->owner = frame | RECORDER_IN_CALL;
	if (ring_bind_or_count(lane, 0))
		result = lane;
	lane->owner = 0;
	errno = saved;
	return result;
}
