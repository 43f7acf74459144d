#!/bin/bash
# SPDX-License-Identifier: MIT
#
# rustc builds and runs a program with threads and a child process.
# needs: rustc
# limit: 90

cat >a.rs <<'END'
use std::{collections::HashMap, process::Command, thread};
fn main() {
    let threads: Vec<_> = (0..8u64).map(|t| thread::spawn(move || { let mut m = HashMap::new(); for i in 0..20000u64 { *m.entry(i % 101).or_insert(0) += i * t; } m.values().sum::<u64>() })).collect();
    println!("{:?}", threads.into_iter().map(|t| t.join().unwrap()).collect::<Vec<_>>());
    println!("{:?}", Command::new("seq").arg("3").output().unwrap().stdout);
    println!("{}", std::panic::catch_unwind(|| panic!("on purpose")).is_err());
    std::process::exit(5);
}
END
rustc -O a.rs -o a; echo "build $?"
./a 2>/dev/null; echo "status $?"
