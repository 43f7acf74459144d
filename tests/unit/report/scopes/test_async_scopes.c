/* SPDX-License-Identifier: MIT */
/* links: report */
/*
 * report/scopes/async_scopes.c: a scope is found by its process and all bits of its address, and a
 * cut closes those of one process.
 */
#include "tests/unit/unit.h"
#include "report/scopes/async_scopes.h"

static struct async_scopes scopes;
static uint32_t cut_keys, cut_count;

static void begin(uint32_t process, uint64_t address, uint32_t key)
{
	async_scopes_begin(&scopes, address,
			   &(struct async_scope){ .place = { .process = process }, .key = key });
}

/* Returns the key of the scope that ended; 0: none. */
static uint32_t end(uint32_t process, uint64_t address)
{
	struct async_scope scope;

	return async_scopes_end(&scopes, process, address, &scope) ? scope.key : 0;
}

static void note_cut(void *state, const struct async_scope *scope)
{
	assert_ptr_equal(state, &scopes);
	cut_keys += scope->key;
	cut_count++;
}

TEST(scopes_end_in_any_order)
{
	async_scopes_init(&scopes);
	assert_int_equal(end(0, 0x1000), 0);
	begin(0, 0x1000, 1);
	begin(0, 0x2000, 2);
	begin(0, 0x1000, 3); /* the end of the first is lost */
	assert_int_equal(end(1, 0x1000), 0);
	assert_int_equal(end(0, 0x1000), 3);
	assert_int_equal(end(0, 0x1000), 0);
	begin(0, 0x3000, 4); /* in the place of one that has ended */
	assert_int_equal(scopes.count, 2);
	assert_int_equal(end(0, 0x2000), 2);
	assert_int_equal(end(0, 0x3000), 4);
	async_scopes_release(&scopes);
}

/* x86-64 has addresses of 57 bits (LA57), aarch64 of 52 (LVA), and malloc() may tag them (MTE). */
TEST(all_bits_of_an_address_count)
{
	enum { PROCESSES = 4 };

	async_scopes_init(&scopes);
	for (unsigned int bit = 40; bit < 64; bit++) {
		for (uint32_t process = 0; process < PROCESSES; process++)
			begin(process, 0x1000 ^ (uint64_t)(process + 1) << bit, process + 1);
		assert_int_equal(scopes.open.count, PROCESSES);
		for (uint32_t process = 0; process < PROCESSES; process++)
			assert_int_equal(end(process, 0x1000 ^ (uint64_t)(process + 1) << bit),
					 process + 1);
	}
	async_scopes_release(&scopes);
}

TEST(a_cut_is_of_one_process)
{
	async_scopes_init(&scopes);
	async_scopes_cut(&scopes, 0, note_cut, &scopes); /* nothing is open */
	begin(0, 0x800000001000, 1);
	begin(1, 0x1000000001000, 2);
	begin(0, 0x1000, 4);
	async_scopes_cut(&scopes, 0, note_cut, &scopes);
	assert_int_equal(cut_count, 2);
	assert_int_equal(cut_keys, 1 + 4);
	assert_int_equal(end(0, 0x1000), 0);
	assert_int_equal(end(1, 0x1000000001000), 2);
	async_scopes_release(&scopes);
}
