#!/bin/bash
# SPDX-License-Identifier: MIT
#
# G++ compiles templates, threads and exceptions, and the program runs.
# needs: g++
# limit: 90

cat >a.cpp <<'END'
#include <algorithm>
#include <future>
#include <iostream>
#include <map>
#include <regex>
#include <thread>
#include <vector>
int main()
{
	std::map<std::string, std::vector<int>> m;
	for (int i = 0; i < 20000; i++)
		m[std::to_string(i % 997)].push_back(i);
	std::vector<std::future<long>> parts;
	for (int t = 0; t < 4; t++)
		parts.push_back(std::async(std::launch::async, [&m, t] { long s = 0; for (auto &e : m) s += e.second.size() * t; return s; }));
	long sum = 0;
	for (auto &part : parts)
		sum += part.get();
	std::cout << sum << std::regex_match("abc123", std::regex("[a-z]+[0-9]+")) << "\n";
	try { m.at("none"); } catch (const std::out_of_range &) { std::cout << "caught\n"; }
	std::thread([] { throw 3; }).join();
}
END
g++ -O1 -pthread a.cpp -o a && { ./a; } 2>/dev/null; echo "status $?"
sha256sum <a
