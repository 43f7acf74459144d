#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Go with cgo: a dynamic program whose children are recorded beside it.
# needs: go gcc
# limit: 150

export GOCACHE=$PWD/cache GOPATH=$PWD/path GO111MODULE=off GOFLAGS=-p=2
cat >a.go <<'END'
package main

// #include <stdlib.h>
import "C"
import (
	"fmt"
	"os/exec"
)

func main() {
	for i := 0; i < 1000; i++ { C.free(C.malloc(C.size_t(i))) }
	for i := 0; i < 3; i++ {
		out, err := exec.Command("perl", "-e", "print 6*7").Output()
		fmt.Println(string(out), err)
	}
}
END
CGO_ENABLED=1 go build -o a a.go; echo "build $?"
./a; echo "status $?"
