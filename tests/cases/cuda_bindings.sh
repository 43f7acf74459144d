#!/bin/bash
# A call goes where ld.so would have bound it: a runtime by another name, inside another library, that calls itself, that moves.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool "${CC:-cc}"

library() { # FILE SOURCE [OPTION...]: a shared library, its soname is its file's name
	local file=$1 source=$2
	shift 2
	"${CC:-cc}" -D_GNU_SOURCE -w -shared -fPIC -fno-builtin "$source" -o "$file" -Wl,-soname,"$file" "$@" || fail "cannot compile $file"
}

# A runtime; WHICH is what its cudaRuntimeGetVersion() says. cudaFree() jumps to another exported function.
cat >runtime.c <<'END_C'
#include <stdlib.h>
int cudaMalloc(void **block, size_t bytes) { *block = malloc(bytes); return *block ? 0 : 2; }
int cudaFreeAsync(void *block, void *stream) { free(block); return 0; }
int cudaFree(void *block) { return cudaFreeAsync(block, 0); }
int cudaGetDevice(int *device) { *device = 0; return 0; }
int cudaDeviceSynchronize(void) { return WHICH; }
END_C
cat >user.c <<'END_C'
#include <stddef.h>
int cudaMalloc(void **block, size_t bytes);
int cudaFree(void *block);
int cudaDeviceSynchronize(void);
int user_run(void)
{
	void *block = NULL;
	int failed = cudaMalloc(&block, 100) || !block;

	return failed || cudaFree(block) ? -1 : cudaDeviceSynchronize();
}
END_C
cat >main.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
int user_run(void);
int main(void) { printf("%d\n", user_run()); return 0; }
END_C

calls() { # WHAT FILE: one cudaMalloc and one cudaFree, what cudaFree calls itself is not counted
	expect "$OUTPUT" 'api.row(name="cudaMalloc").calls == 1' 'api.row(name="cudaFree").calls == 1' 'api.totals.calls == 3' \
		'device_memory.totals.live_bytes == 0' 'device_memory.totals.frees_unmatched == 0'
}

# As pip's packages rename what they bring along, and a library that has a runtime in it.
for name in libcudart-0123abcd.so.11.0 libwithcuda.so libcudart.so.12; do
	library "$name" runtime.c -DWHICH=11 -O2
	"${CC:-cc}" -w main.c user.c -o "program-$name" "./$name" -Wl,-rpath,"$PWD" || fail "cannot compile"
	rm -f run.evt*
	same_as_bare "./program-$name"
	calls
done
# Two of them, each with users of its own.
library libuser11.so user.c ./libcudart-0123abcd.so.11.0 -Wl,-rpath,"$PWD"
library libwith.so runtime.c -DWHICH=7 -O2
library libuser7.so user.c ./libwith.so -Wl,-rpath,"$PWD"
cat >both.c <<'END_C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		int (*run)(void) = library ? (int (*)(void))dlsym(library, "user_run") : NULL;

		printf("%d\n", run ? run() : -2);
	}
	return 0;
}
END_C
"${CC:-cc}" -w both.c -o both -ldl || fail "cannot compile"
for order in "11 7" "7 11"; do
	rm -f run.evt*
	same_as_bare ./both "./libuser${order% *}.so" "./libuser${order#* }.so"
	expect_eq "the libraries' own" "$(tr '\n' ' ' <traced.out)" "$order "
	expect "$OUTPUT" 'api.totals.calls == 6' 'api.row(name="cudaFree").calls == 2' 'api.totals.errors == 2'
done

# A plugin comes again where it was, its runtime elsewhere.
library libcudart.so.13 runtime.c -DWHICH=13 -O2
library libuser13.so user.c ./libcudart.so.13 -Wl,-rpath,"$PWD"
cat >moves.c <<'END_C'
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <sys/mman.h>
int main(void)
{
	for (int i = 0; i < 6; i++) {
		void *library = dlopen("./libuser13.so", RTLD_NOW | RTLD_LOCAL);
		struct link_map *runtime = dlopen("libcudart.so.13", RTLD_NOLOAD | RTLD_NOW);
		void *there = (void *)runtime->l_addr;

		printf("%d\n", ((int (*)(void))dlsym(library, "user_run"))());
		dlclose(runtime);
		dlclose(library);
		if (i % 2 == 0)
			mmap(there, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	return 0;
}
END_C
"${CC:-cc}" -D_GNU_SOURCE -w moves.c -o moves -ldl || fail "cannot compile"
rm -f run.evt*
same_as_bare ./moves
expect "$OUTPUT" 'api.row(name="cudaFree").calls == 6' 'api.totals.calls == 18' 'api.totals.errors == 6'

# A handle is given out again, for a kernel that nobody named: it has no name, not that of the last one.
cat >kernels.c <<'END_C'
void __cudaRegisterFunction(void **fat, const char *host, char *device, const char *name, int limit, void *tid, void *bid,
			    void *block, void *grid, int *size)
{
}
int cudaGetKernel(void **kernel, const void *host) { *kernel = (void *)0x1000; return 0; }
struct dim3 { unsigned int x, y, z; };
int cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, unsigned long shared, void *stream)
{
	return 0;
}
END_C
cat >again.c <<'END_C'
void __cudaRegisterFunction(void **fat, const char *host, char *device, const char *name, int limit, void *tid, void *bid,
			    void *block, void *grid, int *size);
int cudaGetKernel(void **kernel, const void *host);
struct dim3 { unsigned int x, y, z; };
int cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **arguments, unsigned long shared, void *stream);
int main(void)
{
	static const char known = 0, unknown = 0;
	struct dim3 one = { 1, 1, 1 };
	void *kernel;

	__cudaRegisterFunction(0, &known, 0, "known", 0, 0, 0, 0, 0, 0);
	cudaGetKernel(&kernel, &known);
	cudaLaunchKernel(kernel, one, one, 0, 0, 0);
	cudaGetKernel(&kernel, &unknown);
	cudaLaunchKernel(kernel, one, one, 0, 0, 0);
	return 0;
}
END_C
library libkernels.so kernels.c
"${CC:-cc}" -w again.c -o again ./libkernels.so -Wl,-rpath,"$PWD" || fail "cannot compile"
rm -f run.evt*
same_as_bare ./again
expect "$OUTPUT" 'launches.row(kernel="known").calls == 1' 'launches.row(kernel="0x1000").calls == 1'
