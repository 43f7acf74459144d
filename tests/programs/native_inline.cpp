/* SPDX-License-Identifier: MIT */
/*
 * usage: native_inline SECONDS. Three quarters of the CPU time in a function that is inlined into
 * another one, the rest in one that is not.
 */
/* build: -O2 -g */
#include <cstdint>
#include <cstdlib>
#include <ctime>

static volatile std::uint64_t sink;

static std::uint64_t cpu_ns()
{
	timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return std::uint64_t(now.tv_sec) * 1000000000u + std::uint64_t(now.tv_nsec);
}

namespace shapes
{
template <int N> struct Inlined {
	__attribute__((always_inline)) void work() const
	{
		for (std::uint64_t i = 0; i < 100000; i++)
			sink += i * N;
	}
};

__attribute__((noinline)) void outer(std::uint64_t ns)
{
	std::uint64_t end = cpu_ns() + ns;
	Inlined<3> inlined;

	while (cpu_ns() < end)
		inlined.work();
}
} /* namespace shapes */

__attribute__((noinline)) static void other(std::uint64_t ns)
{
	std::uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end)
		for (std::uint64_t i = 0; i < 100000; i++)
			sink += i;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? std::atof(argv[1]) : 2;

	for (int i = 0; i < seconds * 100; i++) {
		shapes::outer(7500000);
		other(2500000);
	}
	return 0;
}
