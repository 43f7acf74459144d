/* SPDX-License-Identifier: MIT */
/*
 * SSL objects of servers are in a table of atomic slots, hashed by their address. It is mapped
 * when the first one appears, so a program that serves no TLS has none, and a client's connection
 * costs a look at it.
 */
#include "preload/requests/tls.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/hook/hook.h"
#include "preload/hook/scope_origin.h"
#include "preload/record/limitation.h"
#include "preload/record/recorder.h"
#include "preload/requests/connections.h"
#include "preload/requests/exchange.h"
#include "preload/settings/settings.h"

#define TLS_SLOTS 4096u /* connections at once */
#define TLS_PROBES 32u
#define TLS_HANDSHAKE 0x16 /* type of the first record of a connection */
#define TLS_VERSION 0x03   /* the first byte of its version, in SSL 3 and in all of TLS */

static struct tls_table {
	_Atomic(const void *) ssl[TLS_SLOTS]; /* NULL: free */
	int from[TLS_SLOTS];                  /* descriptor plus 1; 0: not known yet */
	struct exchange exchange[TLS_SLOTS];
} * _Atomic tls_table;

/* The descriptor of the encrypted connection that this thread has received from last, plus 1. */
static __thread int tls_last __attribute__((tls_model("initial-exec")));

bool tls_look(const char *bytes, size_t length)
{
	if (length < 2 || bytes[0] != TLS_HANDSHAKE || bytes[1] != TLS_VERSION)
		return false;
	if (!atomic_load_explicit(&tls_table, memory_order_relaxed))
		limitation_note(LIMITATION_requests_encrypted, NULL);
	return true;
}

void tls_took(int fd)
{
	tls_last = fd + 1;
}

static struct tls_table *tls_table_make(void)
{
	struct tls_table *table = atomic_load(&tls_table), *none = NULL;
	long at;

	if (table)
		return table;
	/* not mmap(), which is hooked */
	at = syscall(SYS_mmap, NULL, sizeof(*table), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at < 0 && at >= -4095)
		return NULL;
	table = (struct tls_table *)at;
	if (!atomic_compare_exchange_strong(&tls_table, &none, table)) {
		(void)syscall(SYS_munmap, table, sizeof(*table));
		table = none;
	}
	return table;
}

static uint32_t tls_slot(const void *ssl, uint32_t probe)
{
	uint64_t hash = (uint64_t)(uintptr_t)ssl * 0x9e3779b97f4a7c15ull;

	return ((uint32_t)(hash >> 40) + probe) % TLS_SLOTS;
}

/* NULL: it is no server's, or not followed. */
static struct exchange *tls_find(const void *ssl, uint32_t *ret_slot)
{
	struct tls_table *table = atomic_load_explicit(&tls_table, memory_order_acquire);

	for (uint32_t i = 0; table && ssl && i < TLS_PROBES; i++) {
		*ret_slot = tls_slot(ssl, i);
		if (atomic_load_explicit(&table->ssl[*ret_slot], memory_order_acquire) == ssl)
			return &table->exchange[*ret_slot];
	}
	return NULL;
}

/* May be called again for the same object. */
static void tls_begins(const void *ssl)
{
	struct paths *paths;
	struct tls_table *table;
	uint32_t slot;
	int saved = errno;

	if (!ssl || !(settings.trace & 1u << SETTINGS_FAMILY_requests) || !recorder_is_open() ||
	    tls_find(ssl, &slot))
		return;
	table = tls_table_make();
	paths = connection_paths();
	for (uint32_t i = 0; table && paths && i < TLS_PROBES; i++) {
		const void *none = NULL;

		slot = tls_slot(ssl, i);
		if (!atomic_compare_exchange_strong(&table->ssl[slot], &none, ssl))
			continue;
		table->from[slot] = 0;
		exchange_begin(&table->exchange[slot], -1, paths);
		errno = saved;
		return;
	}
	limitation_note(LIMITATION_requests_memory, NULL);
	errno = saved;
}

/* Returns -1 if it is not known by which connection the bytes came. */
static int tls_descriptor(const void *ssl, uint32_t slot)
{
	int *from = &atomic_load_explicit(&tls_table, memory_order_relaxed)->from[slot];

	if (!*from)
		*from = tls_last;
	return *from == tls_last && connection_is_read_by(*from - 1, ssl) ? *from - 1 : -1;
}

static void tls_received(const void *ssl, void *to, ssize_t result)
{
	uint32_t slot;
	struct exchange *exchange = tls_find(ssl, &slot);
	int saved = errno;

	/* less than 1 byte is for the most part: come again */
	if (exchange && result > 0) {
		exchange->fd = tls_descriptor(ssl, slot);
		exchange_received(exchange, &(struct iovec){ to, SIZE_MAX }, 1, result);
	}
	errno = saved;
}

static void tls_sent(const void *ssl, const void *from, ssize_t result, uint64_t started)
{
	uint32_t slot;
	struct exchange *exchange = tls_find(ssl, &slot);
	int saved = errno;

	if (exchange && result > 0)
		exchange_sent(exchange, &(struct iovec){ (void *)from, SIZE_MAX }, 1, result,
			      started);
	errno = saved;
}

static void tls_ends(const void *ssl)
{
	uint32_t slot;
	struct exchange *exchange = tls_find(ssl, &slot);
	int saved = errno;

	if (!exchange)
		return;
	exchange_end(exchange);
	atomic_store_explicit(&atomic_load(&tls_table)->ssl[slot], NULL, memory_order_release);
	errno = saved;
}

/* --- the hooks --- */

/* Our own names, declared here: OpenSSL's headers need not be there. */
#define OPENSSL(name, parameters, arguments, show) int name parameters;
#define OPENSSL_VOID(name, parameters, arguments, show) void name parameters;
#include "preload/requests/hooks.def"

#define OPENSSL(name_, parameters, arguments, show)                               \
	static struct scope_origin origin_##name_ = { .name = #name_ };           \
                                                                                  \
	HOOK_EXPORT int name_ parameters                                          \
	{                                                                         \
		int(*original) parameters = (int(*) parameters)scope_origin_find( \
			&origin_##name_, __builtin_return_address(0));            \
		uint64_t started = recorder_now();                                \
		int result = original ? original arguments : -1;                  \
                                                                                  \
		(void)started;                                                    \
		show;                                                             \
		return result;                                                    \
	}
#define OPENSSL_VOID(name_, parameters, arguments, show)                            \
	static struct scope_origin origin_##name_ = { .name = #name_ };             \
                                                                                    \
	HOOK_EXPORT void name_ parameters                                           \
	{                                                                           \
		void(*original) parameters = (void(*) parameters)scope_origin_find( \
			&origin_##name_, __builtin_return_address(0));              \
                                                                                    \
		show;                                                               \
		if (original)                                                       \
			original arguments;                                         \
	}
#include "preload/requests/hooks.def"
