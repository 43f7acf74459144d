/* SPDX-License-Identifier: MIT */
/*
 * A profiler that opens a libcupti of its own and asks dlsym() for its functions, as Triton's
 * Proton does: what it gets is printed, and must be the same whether another user is there or not.
 *
 * usage: cuda_opener LIBCUPTI [early]     early: before the first call of CUDA
 */
/* build: -pthread -L$O/fake -l:libcudart.so.13 -ldl -Wl,-rpath,'$ORIGIN/../fake' */
#include <stdatomic.h>
#include <stdlib.h>

#include "cuda_client.h"
#include "preload/gpu/cupti_api.h"

struct functions {
#define MEMBER(name, parameters, is_needed) int(*name) parameters;
	CUPTI_FUNCTIONS(MEMBER)
};

static struct functions cupti;

static char kernel_small;
static _Atomic uint64_t kernels, total_ns, begins, ends, nodes;
static cupti_subscriber subscriber;

static void requested(uint8_t **buffer, size_t *bytes, size_t *records)
{
	*bytes = 1 << 16;
	*records = 0;
	*buffer = aligned_alloc(8, *bytes);
}

static void completed(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
	void *record = NULL;

	(void)context;
	(void)stream;
	(void)bytes;
	while (cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_OK) {
		const struct cupti_kernel *kernel = record;

		if (kernel->kind != CUPTI_CONCURRENT_KERNEL)
			continue;
		kernels++;
		total_ns += kernel->end_ns - kernel->start_ns;
	}
	free(buffer);
}

static void called(void *user, int domain, uint32_t id, const struct cupti_callback *about)
{
	const struct cupti_graph_data *data;
	uint64_t number = 0;

	EXPECT(user == &subscriber);
	if (domain == CUPTI_RUNTIME_API) {
		atomic_fetch_add(about->site ? &ends : &begins, 1);
	} else if (domain == CUPTI_RESOURCE && id == CUPTI_NODE_CREATED) {
		data = ((const struct cupti_resource *)(const void *)about)->about;
		OK(cupti.cuptiGetGraphNodeId(data->node, &number));
		EXPECT(number != 0);
		nodes++;
	}
}

static void launch(unsigned int blocks, cudaStream_t stream)
{
	OK(cudaLaunchKernel(&kernel_small, (dim3){ blocks, 1, 1 }, one, NULL, 0, stream));
}

static void work(void)
{
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	OK(cudaStreamCreate(&stream));
	for (unsigned int i = 1; i <= 20; i++)
		launch(i, NULL);
	OK(cudaStreamBeginCapture(stream, 0));
	launch(30, stream);
	launch(40, stream);
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaDeviceSynchronize());
}

static void window(void)
{
	OK(cupti.cuptiSubscribe(&subscriber, called, &subscriber));
	OK(cupti.cuptiEnableCallback(1, subscriber, CUPTI_RUNTIME_API, 211));
	OK(cupti.cuptiEnableCallback(1, subscriber, CUPTI_RESOURCE, CUPTI_NODE_CREATED));
	OK(cupti.cuptiActivityRegisterCallbacks(requested, completed));
	OK(cupti.cuptiActivityEnable(CUPTI_CONCURRENT_KERNEL));
	work();
	OK(cupti.cuptiActivityFlushAll(1));
	OK(cupti.cuptiActivityDisable(CUPTI_CONCURRENT_KERNEL));
	OK(cupti.cuptiUnsubscribe(subscriber));
	printf("%lu kernels, %lu ns, %lu and %lu calls, %lu nodes\n", kernels, total_ns, begins,
	       ends, nodes);
}

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
	uint32_t version = 0;

	EXPECT(library);
#define FIND(name, parameters, is_needed) *(void **)&cupti.name = dlsym(library, #name);
	CUPTI_FUNCTIONS(FIND)
	EXPECT(dlsym(library, "cuptiOfNobody") == NULL && dlerror() != NULL);
	EXPECT(dlsym(RTLD_DEFAULT, "cudaLaunchKernel") != NULL);
	EXPECT(dlsym(RTLD_NEXT, "main") == NULL);
	OK(cupti.cuptiGetVersion(&version));
	EXPECT(version);
	client_kernel(&kernel_small, "_Z5smallPf");
	if (argc < 3)
		work();
	window();
	work();
	window();
	return 0;
}
