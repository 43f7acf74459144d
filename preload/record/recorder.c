/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of the recorder: binding a thread to a ring, waiting for room, gates. The fast
 * path is in recorder.h. Nothing here allocates; system calls are futexes, gettid and getpid.
 */
#include "preload/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/base/futex.h"
#include "preload/record/entry.h"
#include "preload/record/last_name.h"
#include "preload/record/thread_clock.h"
#include "preload/record/trouble.h"

#define RECORDER_WAIT_NS 50000000u     /* one nap of a thread that waits for room in its ring */
#define RECORDER_STALL_NS 1000000000u  /* without progress for this long, records are dropped */
#define RECORDER_NAP_MAX_NS 100000000u /* a nap counts for at most this much waiting time */
/* time between two checks for a ring that is about to become free */
#define RECORDER_RING_WAIT_NS 1000000u
/* a thread checks for requests after this many words of its ring: some 20 events of the heap */
#define RECORDER_LOOK_WORDS 64u
#define RECORDER_RETRY 1024u /* calls of a thread without a ring between two attempts to get one */

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
static void (*look_at_asked)(void); /* NULL: nobody asks */
static bool asked_is_own;

static struct recorder_region region;
static uint32_t recorder_process;      /* our entry in the process table */
static uint64_t recorder_generation;   /* counts openings; written before the gates open */
static unsigned int recorder_families; /* one bit per family */

/* Where the process's recording began; written before the gates open. */
static struct {
	uint32_t tid; /* the thread that began recording, and its CPU time at that moment */
	uint64_t cpu_ns;
	bool is_joined; /* recording began while the program ran, so other threads may be older */
} recorder_began;

static enum recorder_heap heap_recorded;
static _Atomic bool recorder_paused;    /* waiting for a capture range */
static _Atomic bool recorder_is_sparse; /* between two detail windows */
static _Atomic bool recorder_running;
static _Atomic uint64_t
	recorder_stalled; /* rings drop records without waiting, because no progress was seen */

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

		__atomic_store_n(&recorder_gates->gate[i], open ? recorder_generation : 0,
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
	if (!look_at_asked || !region.header)
		return (const _Atomic uint64_t *)&recorder_gates->followed;
	return asked_is_own ? &region_processes(region.header, &region.shape)[recorder_process]
				       .detail_asked
			    : &region.header->asked.word;
}

static void begin(uint32_t process, bool is_joined)
{
	recorder_process = process;
	recorder_began.tid = (uint32_t)syscall(SYS_gettid);
	recorder_began.cpu_ns = thread_clock_ns();
	recorder_began.is_joined = is_joined;
	recorder_generation++;
	recorder_gates->base = recorder_base;
	recorder_gates->no_tsc = !clock_is_tsc;
	recorder_gates->self = (uint64_t)((char *)&recorder_self - arch_thread());
	recorder_gates->followed = 0; /* a new entry asks for nothing */
	recorder_gates->asked = asked_word();
	recorder_gates->generation = recorder_generation;
	gates_set(!atomic_load(&recorder_paused));
}

int recorder_open(const struct recorder_region *r, uint32_t process, unsigned int families)
{
	gates_wipe_on_fork();
	region = *r;
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
	size_t bytes = region.shape.bytes;
	void *old = region.header, *moved;

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
	region.header = moved;
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
	look_at_asked = look;
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
	struct region_header *h = region.header;

	atomic_fetch_add_explicit(&h->doorbell, 1, memory_order_release);
	futex_wake(&h->doorbell);
}

/* --- the ends of threads --- */

/* keys that lie in the thread itself: PTHREAD_KEY_2NDLEVEL_SIZE in glibc; all keys in musl */
#define RECORDER_KEYS_IN_THREAD 32u

static pthread_key_t thread_key;
static bool thread_key_made;

static void (*thread_left)(void) = leave_alone;

static void thread_ends(void *unused)
{
	(void)unused;
	recorder_retire();
	thread_left();
}

void recorder_on_thread_end(void (*left)(void))
{
	thread_left = left;
}

void recorder_watch_threads(void)
{
	thread_key_made = pthread_key_create(&thread_key, thread_ends) == 0;
}

/*
 * This is called from within malloc(), so only the first keys can be used: they lie in the thread
 * itself. For others libc allocates.
 */
static void watch_thread(void)
{
	if (thread_key_made && thread_key < RECORDER_KEYS_IN_THREAD)
		(void)pthread_setspecific(thread_key, &thread_key);
}

/* --- binding --- */

/* Returns the CPU time that this thread had used before the process's recording began. */
static uint64_t cpu_ns_before(uint32_t tid)
{
	if (tid == recorder_began.tid)
		return recorder_began.cpu_ns;
	return recorder_began.is_joined ? REGION_CPU_UNKNOWN : 0;
}

static struct region_waits *ring_waits(const struct region_ring *ring)
{
	return region_waits_of(region.header, &region.shape,
			       (uint64_t)(ring - region_rings(region.header, &region.shape)));
}

struct region_waits *recorder_waits(const struct recorder_lane *lane)
{
	return ring_waits(lane->ring);
}

/* Other families leave these pages untouched. */
static void ring_clear_waits(const struct region_ring *ring)
{
	struct region_waits *waits = ring_waits(ring);

	if (!waits ||
	    !(region.header->family[EVT_FAMILY_osrt] | region.header->family[EVT_FAMILY_io]))
		return;
	atomic_store(&waits->start, 0);
	atomic_store(&waits->io_calls, 0);
	atomic_store(&waits->io_ticks, 0);
	for (unsigned int i = 0; i < REGION_WAITS; i++) {
		atomic_store_explicit(&waits->sum[i].calls, 0, memory_order_relaxed);
		atomic_store_explicit(&waits->sum[i].ticks, 0, memory_order_relaxed);
	}
}

/* The thread was cancelled in a wait. */
static void ring_end_wait(const struct region_ring *ring)
{
	struct region_waits *waits = ring_waits(ring);

	if (waits && region.header->family[EVT_FAMILY_osrt])
		atomic_store(&waits->start, 0);
}

static bool ring_claim(struct region_ring *ring, unsigned int level)
{
	uint32_t expected = REGION_RING_FREE;

	if (atomic_load_explicit(&ring->state, memory_order_relaxed) != REGION_RING_FREE ||
	    !atomic_compare_exchange_strong(&ring->state, &expected, REGION_RING_FILLING))
		return false;
	ring->process = recorder_process;
	ring->process_serial = entry_serial(recorder_process);
	ring->tid = (uint32_t)syscall(SYS_gettid);
	ring->level = level;
	ring->start_tsc = clock_ticks();
	atomic_store(&ring->start_cpu_ns, thread_clock_ns());
	atomic_store(&ring->before_cpu_ns, cpu_ns_before(ring->tid));
	atomic_store(&ring->end_tsc, 0);
	atomic_store(&ring->end_cpu_ns, 0);
	for (unsigned int i = 0; i < REGION_NAME_WORDS; i++)
		atomic_store(&ring->name[i], 0);
	for (unsigned int i = 0; i < REGION_OPEN_LIMIT; i++)
		atomic_store(&ring->open[i].start, 0);
	ring_clear_waits(ring);
	atomic_store(&ring->dropped, 0);
	atomic_store(&ring->waiters, 0);
	atomic_store(&ring->head, 0);
	atomic_store(&ring->tail, 0);
	atomic_fetch_add(&ring->serial, 1);
	atomic_store_explicit(&ring->state, REGION_RING_LIVE, memory_order_release);
	return true;
}

/* Claims the first free ring of a class in [from, to). Returns `to` if there is none. */
static uint32_t ring_claim_one(unsigned int level, unsigned int tier, uint32_t from, uint32_t to)
{
	struct region_ring *rings = region_rings(region.header, &region.shape);
	_Atomic uint32_t *limit = &region.header->ring_limit[tier];

	for (; from < to; from++) {
		uint32_t seen = atomic_load_explicit(limit, memory_order_relaxed);

		while (seen <= from && !atomic_compare_exchange_weak(limit, &seen, from + 1))
			;
		if (ring_claim(&rings[region.shape.class[tier].first + from], level))
			break;
	}
	return from;
}

/* Starts at the hint. The hint may be wrong, so the other rings are checked too. */
static struct region_ring *ring_find(unsigned int level, unsigned int tier)
{
	const struct region_class *c = &region.shape.class[tier];
	_Atomic uint32_t *hint = &region.header->ring_free[tier];
	uint32_t hinted = atomic_load_explicit(hint, memory_order_relaxed);
	uint32_t from = hinted < c->count ? hinted : c->count;
	uint32_t found = ring_claim_one(level, tier, from, c->count);

	if (found == c->count) {
		found = ring_claim_one(level, tier, 0, from);
		if (found == from)
			return NULL;
	}
	(void)atomic_compare_exchange_strong(hint, &hinted, found + 1);
	return &region_rings(region.header, &region.shape)[c->first + found];
}

/*
 * A second lane holds only what signal handlers record during a record, so the smallest ring
 * suffices.
 */
static bool lane_bind(struct recorder_lane *lane, unsigned int level)
{
	struct region_ring *rings = region_rings(region.header, &region.shape);

	for (unsigned int tier = level ? REGION_CLASSES - 1 : 0; tier < REGION_CLASSES; tier++) {
		struct region_ring *ring = ring_find(level, tier);
		uint32_t bytes = region.shape.class[tier].ring_bytes;

		if (!ring)
			continue;
		lane->ring = ring;
		lane->words = region_ring_words(region.header, &region.shape, tier,
						(uint32_t)(ring - rings));
		lane->mask = bytes / 8 - 1;
		lane->head = 0;
		lane->limit = 0; /* makes the first record check for room */
		recorder_self.clock_due = 0;
		if (level == 0)
			recorder_self.task = recorder_self.generator = 0;
		lane->bound = recorder_generation + 1;
		if (level == 0) {
			watch_thread();
			trouble_look();
		}
		return true;
	}
	return false;
}

/* A ring becomes free soon: threads have ended, and the collector only has to drain their rings. */
static bool ring_is_coming(void)
{
	struct region_ring *rings = region_rings(region.header, &region.shape);

	for (unsigned int tier = 0; tier < REGION_CLASSES; tier++) {
		const struct region_class *c = &region.shape.class[tier];
		uint32_t limit = atomic_load_explicit(&region.header->ring_limit[tier],
						      memory_order_relaxed);

		for (uint32_t i = 0; i < c->count && i < limit; i++)
			if (atomic_load_explicit(&rings[c->first + i].state,
						 memory_order_relaxed) == REGION_RING_RETIRED)
				return true;
	}
	return false;
}

/*
 * Returns how long the thread has waited since `*since_ns`, and sets `*since_ns` to now. One nap
 * counts for at most RECORDER_NAP_MAX_NS. A stopped thread (SIGSTOP, a debugger, a frozen cgroup)
 * did not wait, and the collector may have been stopped with it.
 */
static uint64_t nap_take(uint64_t *since_ns)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), passed = now - *since_ns;

	*since_ns = now;
	return passed < RECORDER_NAP_MAX_NS ? passed : RECORDER_NAP_MAX_NS;
}

/*
 * When a thread looks for its first ring, it waits for a ring that becomes free, just as it waits
 * for a full one.
 */
static bool lane_bind_patiently(struct recorder_lane *lane, unsigned int level)
{
	uint64_t since = clock_ns(CLOCK_MONOTONIC), waited = 0;

	while (!lane_bind(lane, level)) {
		if (!region.wait_when_full || lane->starved || !ring_is_coming() ||
		    atomic_load_explicit(&recorder_stalled, memory_order_relaxed) ||
		    atomic_load(&region.header->collector_state) >= REGION_COLLECTOR_FINISHED)
			return false;
		if (waited > RECORDER_STALL_NS) {
			atomic_store(&recorder_stalled, 1);
			return false;
		}
		recorder_ring_bell();
		futex_wait(&region.header->flushed, atomic_load(&region.header->flushed),
			   RECORDER_RING_WAIT_NS);
		waited += nap_take(&since);
	}
	return true;
}

static bool lane_bind_or_count(struct recorder_lane *lane, unsigned int level)
{
	if (lane->starved % RECORDER_RETRY == 0 && lane_bind_patiently(lane, level)) {
		lane->starved = 0;
		return true;
	}
	lane->starved++;
	entry_count_lost(ENTRY_LOST_NO_RING);
	return false;
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
	if (lane_bind_or_count(lane, 1))
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
		look_at_asked();
	if (!recorder_gate(family))
		return NULL;
	if (lane->owner == recorder_gate(family) + 1)
		return lane;
	lane->owner = frame | RECORDER_IN_CALL;
	if (lane_bind_or_count(lane, 0))
		result = lane;
	lane->owner = 0;
	errno = saved;
	return result;
}

void recorder_retire(void)
{
	last_name_note();
	for (unsigned int i = 0; i < RECORDER_LEVELS; i++) {
		struct recorder_lane *lane = &recorder_self.lane[i];
		uint32_t live = REGION_RING_LIVE;

		if (!lane->bound || lane->bound != recorder_gates->generation + 1)
			continue;
		/* the thread was cancelled in a call */
		for (unsigned int j = 0; j < REGION_OPEN_LIMIT; j++)
			atomic_store(&lane->ring->open[j].start, 0);
		ring_end_wait(lane->ring);
		atomic_store(&lane->ring->end_cpu_ns, thread_clock_ns());
		atomic_store(&lane->ring->end_tsc, clock_ticks());
		atomic_compare_exchange_strong(&lane->ring->state, &live, REGION_RING_RETIRED);
	}
}

/* --- room --- */

static bool collector_is_gone(void)
{
	return atomic_load(&region.header->collector_state) >= REGION_COLLECTOR_FINISHED;
}

/* The collector sleeps until a ring is half full; the thread that passes that point wakes it. */
static void wake_when_half_full(struct recorder_lane *lane, uint64_t tail)
{
	struct region_header *h = region.header;

	if ((lane->head - tail) * 2 <= lane->mask)
		return;
	if (atomic_load_explicit(&h->asleep, memory_order_relaxed) &&
	    atomic_exchange(&h->asleep, 0))
		recorder_ring_bell();
}

/*
 * True if a quarter of the ring is free; for less a wake-up is not worth it. Pairs with
 * stream_publish() of the collector.
 */
static bool ring_has_room(const struct recorder_lane *lane)
{
	uint64_t capacity = (uint64_t)lane->mask + 1;

	return lane->head - atomic_load(&lane->ring->tail) <= capacity - capacity / 4;
}

/* True if nobody will make room any more. */
static bool ring_is_left(const struct recorder_lane *lane)
{
	return collector_is_gone() || atomic_load(&lane->ring->state) == REGION_RING_CLOSED;
}

/* Sleeps until there is room. Returns false if tail has not moved for RECORDER_STALL_NS. */
static bool wait_for_room(struct recorder_lane *lane, uint64_t tail)
{
	struct region_ring *ring = lane->ring;
	uint64_t since = clock_ns(CLOCK_MONOTONIC), waited = 0, seen = tail;

	entry_count_wait();
	atomic_store(&ring->waiters, 1);
	recorder_ring_bell();
	while (!ring_is_left(lane)) {
		uint32_t progress = atomic_load(&ring->progress);
		uint64_t now;

		if (ring_has_room(lane))
			break;
		futex_wait(&ring->progress, progress, RECORDER_WAIT_NS);
		waited += nap_take(&since);
		now = atomic_load(&ring->tail);
		if (now == seen && waited > RECORDER_STALL_NS)
			break;
		if (now != seen)
			waited = 0;
		seen = now;
	}
	atomic_store(&ring->waiters, 0);
	return atomic_load(&ring->tail) != tail;
}

/*
 * A record is being written, so nothing can be done about the request here; the next hook finds its
 * gate shut, and looks. A thread that has followed the request meanwhile opened the gates after it
 * wrote `followed`, so it is seen here.
 */
static void gates_shut_to_look(void)
{
	gates_set(false);
	atomic_thread_fence(memory_order_seq_cst);
	if (!recorder_is_asked())
		gates_set(!atomic_load(&recorder_paused));
}

/*
 * One step towards room for `words`. Returns 1: there is room, 0: call again, -1: there will be
 * none.
 */
static int room_step(struct recorder_lane *lane, unsigned int words)
{
	uint64_t capacity = (uint64_t)lane->mask + 1;
	uint64_t tail = atomic_load_explicit(&lane->ring->tail, memory_order_acquire);
	uint64_t end = (lane->head | lane->mask) + 1;
	uint64_t full = tail + capacity;
	uint64_t step = lane->head + (look_at_asked ? RECORDER_LOOK_WORDS : capacity / 4);

	if (lane->ring == &nowhere_ring || lane->head - tail > capacity ||
	    atomic_load_explicit(&lane->ring->state, memory_order_relaxed) == REGION_RING_CLOSED)
		/* our collector would not write such a tail, or will never move it again */
		return -1;
	wake_when_half_full(lane, tail);
	if (look_at_asked && recorder_is_asked())
		gates_shut_to_look();
	if (lane->head + words > end && end <= full) {
		lane->words[lane->head & lane->mask] = record_word(end - lane->head, RECORD_PAD);
		recorder_publish(lane, (unsigned int)(end - lane->head));
		return 0;
	}
	if (lane->head + words <= end && lane->head + words <= full) {
		uint64_t limit = end < full ? end : full;

		lane->limit = step < limit && step >= lane->head + words ? step : limit;
		atomic_store_explicit(&recorder_stalled, 0, memory_order_relaxed);
		return 1;
	}
	if (!region.wait_when_full || atomic_load_explicit(&recorder_stalled, memory_order_relaxed))
		return -1;
	if (!wait_for_room(lane, tail)) {
		atomic_store(&recorder_stalled, 1);
		return -1;
	}
	return 0;
}

bool recorder_find_room(struct recorder_lane *lane, unsigned int words)
{
	int saved = errno;
	int step;

	do
		step = room_step(lane, words);
	while (step == 0);
	if (step < 0) {
		lane->limit = lane->head; /* makes the next record check again */
		if (collector_is_gone()) {
			trouble_look();
			recorder_close();
		}
	}
	errno = saved;
	return step > 0;
}

bool recorder_make_room(struct recorder_lane *lane, unsigned int words)
{
	struct region_ring *ring = lane->ring;

	if (recorder_find_room(lane, words))
		return true;
	atomic_fetch_add_explicit(&ring->dropped, 1, memory_order_relaxed);
	return false;
}
