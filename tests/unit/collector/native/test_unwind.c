/* SPDX-License-Identifier: MIT */
/* links: collector format */
/*
 * collector/native/unwind.c, mappings.c and tables.c: stacks of this very process, of a moment that
 * is kept, beside what glibc's backtrace() says of it; stacks that are cut, files that are gone,
 * and tables of any bytes.
 */
#include <alloca.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "collector/format/frame_flags.h"
#include "collector/native/unwind.h"

#define DUMP_BYTES (60u << 10)
#define JUDGED 200

static struct {
	struct unwind_moment moment;
	uint8_t stack[DUMP_BYTES];
	void *judged[JUDGED];
	int count;
	bool of_signal; /* the moment is the one that a signal interrupted */
} kept;

static struct tables tables;
static struct mappings mappings;
static uint64_t frame[UNWIND_FRAMES];
static uint32_t frames;
static enum unwind_end end;

static void *stack_end(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long long low, high;
	char line[512];
	void *found = NULL;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx", &low, &high) == 2 && (uintptr_t)line >= low &&
		    (uintptr_t)line < high)
			found = (void *)(uintptr_t)high;
	fclose(maps);
	return found;
}

__attribute__((noinline, used)) void keep(uint64_t rip, uint64_t rsp, uint64_t rbp);
void keep(uint64_t rip, uint64_t rsp, uint64_t rbp)
{
	size_t bytes = (size_t)((uintptr_t)stack_end() - rsp);

	bytes = bytes < DUMP_BYTES ? bytes : DUMP_BYTES;
	memcpy(kept.stack, (const void *)(uintptr_t)rsp, bytes);
	kept.moment = (struct unwind_moment){ rip, rsp, rbp, kept.stack, (uint32_t)bytes, 0 };
}

/* Both of this function's caller's frame, as far as they have the same. */
static __attribute__((noinline)) void keep_here(void)
{
	ucontext_t context;

	getcontext(&context);
#ifdef __aarch64__
	keep(context.uc_mcontext.pc, context.uc_mcontext.sp, context.uc_mcontext.regs[29]);
#else
	keep((uint64_t)context.uc_mcontext.gregs[REG_RIP],
	     (uint64_t)context.uc_mcontext.gregs[REG_RSP],
	     (uint64_t)context.uc_mcontext.gregs[REG_RBP]);
#endif
	kept.count = backtrace(kept.judged, JUDGED);
	__asm__ volatile("" ::: "memory");
}

static void unwind_kept(void)
{
	frames = unwind(&tables, &mappings, (uint32_t)getpid(), &kept.moment, frame, &end);
}

/* All but the innermost, which is another instruction of keep_here(). */
static void expect_judged(void)
{
	unwind_kept();
	assert_int_equal(end, UNWIND_OUTERMOST);
	assert_int_equal(frames, kept.count);
	for (uint32_t i = 1; i < frames; i++)
		assert_int_equal(frame[i] & UNWIND_ADDRESS, (uint64_t)(uintptr_t)kept.judged[i]);
	assert_int_equal(frame[0] >> UNWIND_FLAGS_SHIFT, FRAME_IS_EXACT);
}

static volatile int sink;

static __attribute__((noinline)) void deep(int depth)
{
	size_t bytes = (size_t)depth * 8 + 16;
	volatile char *room = alloca(bytes); /* by rbp */

	memset((char *)room, depth, bytes);
	if (depth)
		deep(depth - 1);
	else
		keep_here();
	sink += room[depth];
}

static __attribute__((noinline)) void realigned(int depth)
{
	_Alignas(64) volatile char room[128];

	room[depth] = 1;
	deep(depth);
	sink += room[depth];
}

TEST_BOTH(test_exact, make_tables, release_tables)
{
	keep_here();
	expect_judged();
	deep(30);
	expect_judged();
	realigned(5);
	expect_judged();
}

#ifdef __x86_64__
/* Keeps the moment behind the pop of rbp, whose place is not on the stack any more. */
void keep_popped(void);
__asm__(".text\n"
	".globl keep_popped\n"
	".type keep_popped, @function\n"
	"keep_popped:\n"
	".cfi_startproc\n"
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset 6, -16\n"
	"xor %ebp, %ebp\n"
	"pop %rbp\n"
	".cfi_def_cfa_offset 8\n"
	"popped: lea popped(%rip), %rdi\n"
	"mov %rsp, %rsi\n"
	"mov %rbp, %rdx\n"
	"jmp keep\n"
	".cfi_endproc\n"
	".size keep_popped, . - keep_popped\n");

static __attribute__((noinline)) void pops(int depth)
{
	volatile char *room = alloca((size_t)depth * 8 + 16); /* by rbp */

	room[depth] = 1;
	kept.count = backtrace(kept.judged, JUDGED);
	keep_popped();
	sink += room[depth];
}

TEST_BOTH(test_popped, make_tables, release_tables)
{
	pops(9);
	unwind_kept();
	assert_int_equal(end, UNWIND_OUTERMOST);
	assert_int_equal(frames, kept.count + 1);
	for (uint32_t i = 2; i < frames; i++)
		assert_int_equal(frame[i] & UNWIND_ADDRESS,
				 (uint64_t)(uintptr_t)kept.judged[i - 1]);
}

/* On aarch64 the kernel's code that returns from a handler has no table. */
static void on_signal(int number)
{
	(void)number;
	deep(3);
}

static __attribute__((noinline)) void interrupted(int depth)
{
	char room[256];

	memset(room, depth, sizeof(room));
	if (depth)
		interrupted(depth - 1);
	else
		raise(SIGUSR1);
	sink += room[depth];
}

TEST_BOTH(test_signal, make_tables, release_tables)
{
	uint32_t exact = 0;

	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	interrupted(4);
	expect_judged();
	for (uint32_t i = 0; i < frames; i++)
		exact += (frame[i] >> UNWIND_FLAGS_SHIFT & FRAME_IS_EXACT) != 0;
	assert_int_equal(exact, 2); /* where it stands, and where it was interrupted */
}

#endif

/* However little was copied: frames that are right, then an end that is marked. */
TEST_BOTH(test_short_stack, make_tables, release_tables)
{
	uint32_t whole, most = 0;

	deep(30);
	expect_judged();
	whole = kept.moment.stack_bytes;
	for (uint32_t bytes = 0; bytes < whole; bytes += 8) {
		kept.moment.stack_bytes = bytes;
		unwind_kept();
		if (end == UNWIND_OUTERMOST)
			break;
		assert_int_equal(end, UNWIND_NO_STACK);
		assert_true(frame[frames - 1] >> UNWIND_FLAGS_SHIFT & FRAME_IS_TRUNCATED);
		assert_true(frames >= most);
		most = frames;
		for (uint32_t i = 1; i < frames; i++)
			assert_int_equal(frame[i] & UNWIND_ADDRESS,
					 (uint64_t)(uintptr_t)kept.judged[i]);
	}
	assert_int_equal(end, UNWIND_OUTERMOST);
	assert_true(most >= 25);
}

TEST_BOTH(test_no_table, make_tables, release_tables)
{
	const struct mapping *found;
	struct mapping made;

	keep_here();
	/* nothing is mapped there, and code that is made at run time */
	kept.moment.rip = 0x10;
	unwind_kept();
	assert_int_equal(end, UNWIND_NO_TABLE);
	assert_int_equal(frames, 1);
	assert_true(mappings_put(&mappings, &(struct mapping){ 0x1000, 0x2000, 0, 0 }));
	kept.moment.rip = 0x1010;
	unwind_kept();
	assert_int_equal(end, UNWIND_NO_TABLE);
	/* of a file that is another one by now */
	keep_here();
	found = mappings_find(&mappings, kept.moment.rip);
	assert_non_null(found);
	made = *found;
	made.file = tables_file(&tables, 1, 12345678901234u, "/proc/self/exe");
	assert_int_not_equal(made.file, 0);
	assert_true(mappings_put(&mappings, &made));
	unwind_kept();
	assert_int_equal(end, UNWIND_NO_FILE);
	assert_int_equal(frames, 1);
}

TEST_BOTH(test_registers_of_anything, make_tables, release_tables)
{
	uint64_t random = 88172645463325252u;

	deep(10);
	for (int i = 0; i < 20000; i++) {
		struct unwind_moment moment = kept.moment;

		random = random * 6364136223846793005u + 1442695040888963407u;
		if (random >> 60 & 1)
			moment.rbp = random;
		if (random >> 60 & 2)
			moment.rsp = random >> (random & 31);
		if (random >> 60 & 4)
			moment.rip += random % 4096;
		frames = unwind(&tables, &mappings, (uint32_t)getpid(), &moment, frame, &end);
		assert_true(frames >= 1 && frames <= UNWIND_FRAMES);
		assert_true(end < UNWIND_END_LIMIT);
	}
}

/* --- tables --- */

static void copy_program(const char *path, uint64_t random)
{
	static uint8_t bytes[16 << 20];
	int from = open("/proc/self/exe", O_RDONLY),
	    to = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0700);
	ssize_t length = read(from, bytes, sizeof(bytes));

	assert_true(length > 4096);
	for (int i = 0; random && i < 20000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		bytes[4096 + (random >> 20) % (uint64_t)(length - 4096)] = (uint8_t)(random >> 7);
	}
	assert_int_equal(write(to, bytes, (size_t)length), length);
	close(from);
	close(to);
}

static uint32_t rows_of(const char *path, bool is_cut)
{
	struct table_mapping where = { (uint32_t)getpid(), 0, 0 };
	struct cfi_row row;
	uint32_t found = 0, file;
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	file = tables_file(&tables, st.st_dev, st.st_ino, path);
	for (uint64_t offset = 0; offset < (uint64_t)st.st_size; offset += 16) {
		if (is_cut && offset == 4096)
			assert_int_equal(truncate(path, 4096), 0);
		found += tables_find(&tables, file, &where, offset, &row) == TABLE_ROW;
	}
	return found;
}

/* Rows are found or not; nobody falls. What is not a file of ours is none. */
TEST_BOTH(test_hostile_tables, make_tables, release_tables)
{
	char path[] = "/tmp/test_unwind.XXXXXX", real[4096];
	int fd = mkstemp(path);
	uint32_t whole;

	assert_true(fd >= 0);
	close(fd);
	assert_non_null(realpath(path, real));
	copy_program(real, 0);
	whole = rows_of(real, false);
	assert_true(whole > 1000);
	for (uint64_t seed = 1; seed < 12; seed++) {
		copy_program(real, seed); /* the same inode: it is read anew */
		assert_true(rows_of(real, false) <= whole * 2);
	}
	copy_program(real, 0);
	assert_int_equal(rows_of(real, false), whole);
	copy_program(real, 0);
	assert_true(rows_of(real, true) < whole);
	assert_int_equal(truncate(real, 100), 0);
	assert_int_equal(rows_of(real, false), 0);
	unlink(real);
	assert_int_equal(tables_file(&tables, 0, 0, "/no/inode"), 0);
	assert_int_equal(tables_file(&tables, 0, 5, "relative"), 0);
}

/* --- mappings --- */

static const struct mapping *at(struct mappings *list, uint64_t address)
{
	return mappings_find(list, address);
}

TEST(test_mappings)
{
	struct mappings list = { 0 };

	assert_null(at(&list, 0x1000));
	assert_true(mappings_put(&list, &(struct mapping){ 0x1000, 0x9000, 0, 1 }));
	assert_false(mappings_replaces(&list, &(struct mapping){ 0x2000, 0x3000, 0x1000, 1 }));
	assert_true(mappings_replaces(&list, &(struct mapping){ 0x2000, 0x3000, 0, 1 }));
	assert_true(mappings_replaces(&list, &(struct mapping){ 0x2000, 0x3000, 0x1000, 2 }));
	assert_false(mappings_replaces(&list, &(struct mapping){ 0x9000, 0xa000, 0, 2 }));
	/* in the middle: what is left on both sides has its own offsets */
	assert_true(mappings_put(&list, &(struct mapping){ 0x3000, 0x4000, 0x700, 2 }));
	assert_int_equal(list.count, 3);
	assert_int_equal(at(&list, 0x2fff)->file, 1);
	assert_int_equal(at(&list, 0x3000)->file, 2);
	assert_int_equal(at(&list, 0x4000)->file, 1);
	assert_int_equal(at(&list, 0x4000)->offset, 0x3000);
	/* over the ends of two, and all of a third */
	assert_true(mappings_put(&list, &(struct mapping){ 0x2000, 0x5000, 0, 3 }));
	assert_int_equal(list.count, 3);
	assert_int_equal(at(&list, 0x1fff)->file, 1);
	assert_int_equal(at(&list, 0x4fff)->file, 3);
	assert_int_equal(at(&list, 0x5000)->offset, 0x4000);
	assert_null(at(&list, 0x9000));
	assert_true(mappings_put(&list, &(struct mapping){ 0, UINT64_MAX, 0, 4 }));
	assert_int_equal(list.count, 1);
	mappings_release(&list);
	for (uint64_t i = 0; i < MAPPINGS_MAX - 1; i++)
		assert_true(mappings_put(&list, &(struct mapping){ 2 * i, 2 * i + 1, 0, 1 }));
	assert_false(mappings_put(&list, &(struct mapping){ UINT64_MAX - 9, UINT64_MAX, 0, 1 }));
	mappings_release(&list);
}

static int make_tables(void **state)
{
	if (tables_init(&tables))
		return -1;
	return mappings_read(&mappings, &tables, (uint32_t)getpid()) ? 0 : -1;
}

static int release_tables(void **state)
{
	mappings_release(&mappings);
	tables_release(&tables);
	return 0;
}
