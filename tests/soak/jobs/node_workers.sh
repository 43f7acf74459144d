#!/bin/bash
# SPDX-License-Identifier: MIT
#
# node: worker threads, child processes, streams, compression.
# needs: node
# limit: 60

cat >a.js <<'END'
const { Worker, isMainThread, parentPort, workerData } = require("worker_threads");
if (!isMainThread) { let s = 0; for (let i = 0; i < 1e6; i++) s += i % workerData; parentPort.postMessage(s); } else {
const cp = require("child_process"), zlib = require("zlib"), crypto = require("crypto");
Promise.all([3, 5, 7, 11].map(n => new Promise(r => new Worker(__filename, { workerData: n }).on("message", r)))).then(v => {
console.log(v); console.log(cp.execSync("seq 3").toString()); console.log(cp.spawnSync("sh", ["-c", "exit 5"]).status);
const a = Buffer.alloc(3e6, "abc"); console.log(zlib.gunzipSync(zlib.gzipSync(a)).equals(a), crypto.createHash("sha256").update(a).digest("hex"));
process.exitCode = 4; }); }
END
node a.js; echo "status $?"
