/* SPDX-License-Identifier: MIT */
/*
 * What a program asked CUDA for, counted by itself, for comparison with what intercept recorded
 * (compare.py). Any thread may count.
 *
 *   CALL(function, arguments...)                          a call that is only a call
 *   COPY(kind, bytes, function, arguments...)             kind as prof-report memcpy has it
 *   ALLOCATE(kind, bytes, function, arguments...)         kind as prof-report device-memory has it
 *   RELEASE(kind, bytes, function, arguments...)
 *   tally_launch(...)                                     a kernel was launched
 *
 * A function is named as its macro expands, that is, as it is exported. A call that fails counts, and
 * is an error but for "not ready"; WANT_FAILURE() says of the next one that it has to fail. Whatever
 * else fails is named in `unexpected`, since a test of nothing but failures shows nothing.
 */
#ifndef TESTS_GPU_TALLY_CUH
#define TESTS_GPU_TALLY_CUH

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#define TALLY_TEXT_(x) #x
#define TALLY_TEXT(x) TALLY_TEXT_(x)
#define TALLY_NOT_READY 600

#define CALL(function, ...) tally_call(TALLY_TEXT(function), (int)function(__VA_ARGS__))
#define COPY(kind, bytes, function, ...) tally_copy(kind, bytes, CALL(function, __VA_ARGS__))
#define ALLOCATE(kind, bytes, function, ...) tally_memory(kind, bytes, 1, CALL(function, __VA_ARGS__))
#define RELEASE(kind, bytes, function, ...) tally_memory(kind, bytes, 0, CALL(function, __VA_ARGS__))
#define WANT_FAILURE() (tally_wants_failure = true)

struct tally_row {
	long calls, errors, bytes;
};

struct tally_memory_row {
	long allocations, frees, bytes, live, peak;
};

inline std::mutex tally_lock;
inline std::map<std::string, tally_row> tally_functions, tally_kernels, tally_grids, tally_copies;
inline std::map<std::string, long> tally_streams, tally_threads;
inline std::map<std::string, tally_memory_row> tally_kinds;
inline std::map<std::string, long> tally_unexpected;
inline long tally_variables; /* bytes of __device__ variables */
inline thread_local bool tally_wants_failure;
inline thread_local std::string tally_thread = "main";

static inline void tally_add(std::map<std::string, tally_row> &rows, const std::string &name,
			     int result, long bytes)
{
	tally_row &row = rows[name];

	row.calls++;
	if (result && result != TALLY_NOT_READY)
		row.errors++;
	else
		row.bytes += bytes;
}

static inline int tally_call(const char *function, int result)
{
	std::lock_guard<std::mutex> guard(tally_lock);
	bool failed = result && result != TALLY_NOT_READY;

	tally_add(tally_functions, function, result, 0);
	if (failed != tally_wants_failure)
		tally_unexpected[std::string(function) + ": " + std::to_string(result)]++;
	tally_wants_failure = false;
	return result;
}

static inline int tally_copy(const char *kind, long bytes, int result)
{
	std::lock_guard<std::mutex> guard(tally_lock);

	tally_add(tally_copies, kind, result, bytes);
	return result;
}

static inline int tally_memory(const char *kind, long bytes, bool is_begin, int result)
{
	std::lock_guard<std::mutex> guard(tally_lock);
	tally_memory_row &row = tally_kinds[kind];

	if (result)
		return result;
	row.allocations += is_begin;
	row.frees += !is_begin;
	row.bytes += is_begin ? bytes : 0;
	row.live += is_begin ? bytes : -bytes;
	row.peak = std::max(row.peak, row.live);
	return result;
}

/* `kernel` as compiled; `shape` is grid, block and dynamic shared memory as numbers with blanks between. */
static inline int tally_launch(const char *function, const char *kernel, const std::string &shape,
			       const std::string &stream, int result)
{
	tally_call(function, result);
	std::lock_guard<std::mutex> guard(tally_lock);
	tally_add(tally_kernels, kernel, result, 0);
	tally_add(tally_grids, std::string(kernel) + " " + shape, result, 0);
	tally_streams[stream == "per-thread" ? stream + " " + tally_thread : stream]++;
	tally_threads[tally_thread]++;
	return result;
}

static inline void tally_print_rows(const char *name, const std::map<std::string, tally_row> &rows)
{
	const char *separator = "";

	printf("\"%s\": {", name);
	for (const auto &[key, row] : rows) {
		printf("%s\n  \"%s\": [%ld, %ld, %ld]", separator, key.c_str(), row.calls, row.errors,
		       row.bytes);
		separator = ",";
	}
	printf("},\n");
}

static inline void tally_print_numbers(const char *name, const std::map<std::string, long> &numbers)
{
	const char *separator = "";

	printf("\"%s\": {", name);
	for (const auto &[key, number] : numbers) {
		printf("%s\"%s\": %ld", separator, key.c_str(), number);
		separator = ", ";
	}
	printf("},\n");
}

/* The whole as JSON on standard output; `value` is what the program computed. */
static inline void tally_print(unsigned long long value)
{
	const char *separator = "";

	printf("{");
	tally_print_rows("api", tally_functions);
	tally_print_rows("kernels", tally_kernels);
	tally_print_rows("grids", tally_grids);
	tally_print_rows("copies", tally_copies);
	tally_print_numbers("streams", tally_streams);
	tally_print_numbers("threads", tally_threads);
	printf("\"memory\": {");
	for (const auto &[kind, row] : tally_kinds) {
		printf("%s\n  \"%s\": [%ld, %ld, %ld, %ld, %ld]", separator, kind.c_str(),
		       row.allocations, row.frees, row.bytes, row.peak, row.live);
		separator = ",";
	}
	printf("},\n");
	tally_print_numbers("unexpected", tally_unexpected);
	printf("\"variables\": %ld,\n\"value\": %llu}\n", tally_variables, value);
}

#endif
