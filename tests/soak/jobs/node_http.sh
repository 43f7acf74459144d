#!/bin/bash
# SPDX-License-Identifier: MIT
#
# node: a server and a client in one.
# needs: node
# limit: 60

cat >a.js <<'END'
const http = require("http"); let n = 0;
const s = http.createServer((q, r) => { n++; r.end("hello " + q.url); }).listen(0, "127.0.0.1", async () => {
const get = i => new Promise(r => http.get({ port: s.address().port, host: "127.0.0.1", path: "/" + i }, m => { let d = ""; m.on("data", c => d += c).on("end", () => r(d)); }));
console.log((await Promise.all([...Array(200).keys()].map(get))).join().length, n); s.close(); });
END
node a.js; echo "status $?"
