/* SPDX-License-Identifier: MIT */
/*
 * The fake libcublasLt.so.13: functions that succeed and compute nothing.
 */
#include "tests/fake/entry.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define HAND(returns, name, parameters) AT_##name,
#define PLAIN(name) AT_##name,
#define MORE(name, parameters, arguments) AT_##name,
enum cublaslt_function {
#include "tests/fake/cublaslt.def"
	FUNCTIONS,
};

#define HAND(returns, name, parameters) [AT_##name] = #name,
#define PLAIN(name) [AT_##name] = #name,
#define MORE(name, parameters, arguments) [AT_##name] = #name,
static const char *const names[FUNCTIONS] = {
#include "tests/fake/cublaslt.def"
};

static struct fake_library *opened;

__attribute__((constructor)) static void cublaslt_start(void)
{
	opened = fake_library_open("libcublasLt.so.13", names, FUNCTIONS, 0);
}

static struct fake_library *fake_library_get(void)
{
	if (!opened)
		cublaslt_start();
	return opened;
}

#define HAND(returns, name, parameters) FAKE_EXPORT returns name parameters;
#define PLAIN(name) FAKE_PLAIN(name)
#define MORE(name, parameters, arguments) FAKE_ENTRY(name, parameters, arguments)
#include "tests/fake/cublaslt.def"

static void counted(unsigned int function)
{
	struct fake_call call;

	fake_enter(&call, fake_library_get(), function);
	fake_leave_plain(&call);
}

const char *cublasLtGetStatusName(int status)
{
	counted(AT_cublasLtGetStatusName);
	return "CUBLAS_STATUS_OF_THE_FAKE";
}

const char *cublasLtGetStatusString(int status)
{
	counted(AT_cublasLtGetStatusString);
	return "a status of the fake CUDA";
}
