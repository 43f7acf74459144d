#!/bin/bash
# SPDX-License-Identifier: MIT
#
# go: builds and runs a program with goroutines and a child process.
# needs: go
# limit: 150

export GOCACHE=$PWD/cache GOPATH=$PWD/path GO111MODULE=off GOFLAGS=-p=2
cat >a.go <<'END'
package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
)

func main() {
	var group sync.WaitGroup
	sums := make([]int, 50)
	for i := range sums {
		group.Add(1)
		go func(i int) { defer group.Done(); m := map[int]string{}; for j := 0; j < 5000; j++ { m[j] = fmt.Sprint(j * i) }; for _, s := range m { sums[i] += len(s) } }(i)
	}
	group.Wait()
	out, err := exec.Command("seq", "3").Output()
	fmt.Println(sums, string(out), err)
	os.Exit(6)
}
END
CGO_ENABLED=0 go build -o a a.go; echo "build $?"
./a; echo "status $?"
go vet a.go; echo "vet $?"
