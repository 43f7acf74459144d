/* SPDX-License-Identifier: MIT */
/* Chunks of the table are mapped as descriptors need them, and stay. */
#include "preload/requests/connections.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/requests/exchange.h"
#include "preload/settings/settings.h"

struct connection_table *_Atomic connection_table;

static void *connection_memory(size_t bytes)
{
	/* not mmap(), which is hooked */
	long at = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at < 0 && at >= -4095 ? NULL : (void *)at;
}

/* Several threads may come at once: the first one's memory is taken. */
static struct connection_table *connection_table_make(void)
{
	struct connection_table *table = atomic_load(&connection_table), *none = NULL;

	if (table)
		return table;
	table = connection_memory(sizeof(*table));
	if (table && !atomic_compare_exchange_strong(&connection_table, &none, table)) {
		(void)syscall(SYS_munmap, table, sizeof(*table));
		table = none;
	}
	return table;
}

struct paths *connection_paths(void)
{
	struct connection_table *table = connection_table_make();

	return table ? &table->paths : NULL;
}

static struct exchange *connection_chunk_make(struct connection_table *table, unsigned int number)
{
	size_t bytes = CONNECTION_CHUNK * sizeof(struct exchange);
	struct exchange *chunk = atomic_load(&table->chunk[number]), *none = NULL;

	if (chunk)
		return chunk;
	chunk = connection_memory(bytes);
	if (chunk && !atomic_compare_exchange_strong(&table->chunk[number], &none, chunk)) {
		(void)syscall(SYS_munmap, chunk, bytes);
		chunk = none;
	}
	return chunk;
}

/* Returns NULL if there is no memory for it. */
static struct exchange *connection_at(int fd)
{
	struct connection_table *table = atomic_load(&connection_table);
	struct exchange *chunk = NULL;
	unsigned int number = (unsigned int)fd / CONNECTION_CHUNK;

	if (table && fd >= 0 && number < CONNECTION_CHUNKS)
		chunk = atomic_load_explicit(&table->chunk[number], memory_order_acquire);
	return chunk ? &chunk[(unsigned int)fd % CONNECTION_CHUNK] : NULL;
}

bool connection_is_open(int fd)
{
	const struct exchange *exchange = connection_at(fd);

	return exchange && exchange_is_followed(exchange);
}

void connection_accepted(int fd)
{
	unsigned int number = (unsigned int)fd / CONNECTION_CHUNK;
	struct connection_table *table;

	if (!(settings.trace & 1u << SETTINGS_FAMILY_requests) || !recorder_is_open())
		return;
	table = number < CONNECTION_CHUNKS ? connection_table_make() : NULL;
	if (!table || !connection_chunk_make(table, number)) {
		limitation_note(LIMITATION_requests_memory, NULL);
		return;
	}
	exchange_begin(connection_at(fd), fd, &table->paths);
}

void connection_received(int fd, const struct iovec *piece, size_t pieces, ssize_t result)
{
	struct exchange *exchange = connection_at(fd);

	if (exchange)
		exchange_received(exchange, piece, pieces, result);
}

void connection_sent(int fd, const struct iovec *piece, size_t pieces, ssize_t result,
		     uint64_t started)
{
	struct exchange *exchange = connection_at(fd);

	if (exchange)
		exchange_sent(exchange, piece, pieces, result, started);
}

void connection_sent_file(int fd, ssize_t result, uint64_t started)
{
	struct exchange *exchange = connection_at(fd);

	if (exchange)
		exchange_sent_file(exchange, result, started);
}

bool connection_is_read_by(int fd, const void *ssl)
{
	struct exchange *exchange = connection_at(fd);
	const void *reader = NULL;

	if (!exchange || !exchange_is_followed(exchange))
		return false;
	return atomic_compare_exchange_strong(&exchange->reader, &reader, ssl) || reader == ssl;
}

void connection_closes(int fd)
{
	struct exchange *exchange = connection_at(fd);

	if (exchange)
		exchange_end(exchange);
}
