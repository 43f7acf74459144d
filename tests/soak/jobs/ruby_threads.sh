#!/bin/bash
# SPDX-License-Identifier: MIT
#
# ruby: threads, a fork, garbage collection.
# needs: ruby
# case: languages

ruby -e 't = 8.times.map { |i| Thread.new { (1..20000).sum { |x| x.to_s.size * i } } }; puts t.map(&:value).inspect
r, w = IO.pipe; pid = fork { r.close; w.write("child"); exit 4 }; w.close; puts r.read; Process.wait(pid); puts $?.exitstatus
a = Array.new(100000) { |i| "s#{i}" }; GC.start; GC.compact if GC.respond_to?(:compact); puts a.map(&:size).sum; puts `echo shell`'
