#!/bin/bash
# SPDX-License-Identifier: MIT
#
# javac and java: threads, collections, a child process.
# needs: java javac
# limit: 120

cat >A.java <<'END'
import java.util.*; import java.util.stream.*;
public class A { public static void main(String[] a) throws Exception {
List<Thread> t = new ArrayList<>(); long[] s = new long[16];
for (int i = 0; i < 16; i++) { int k = i; Thread x = new Thread(() -> { Map<Integer, String> m = new HashMap<>(); for (int j = 0; j < 20000; j++) m.put(j % 997, "v" + j * k); s[k] = m.values().stream().mapToInt(String::length).sum(); }); t.add(x); x.start(); }
for (Thread x : t) x.join(); System.out.println(Arrays.toString(s));
System.out.println(IntStream.range(0, 1000000).parallel().filter(i -> i % 7 == 0).count()); System.gc();
Process p = new ProcessBuilder("seq", "3").inheritIO().start(); System.out.println(p.waitFor()); System.exit(4); } }
END
javac A.java; echo "javac $?"
java -Xmx256m A; echo "status $?"
java -Xint -Xmx64m -XX:+UseSerialGC A | tail -n 1
