# SPDX-License-Identifier: MIT
# usage: grpc_server.py: a gRPC server and, as a process of its own, the client that asks it. Prints what the client got.
# Messages are bytes, so that no generated code is needed.
import concurrent.futures
import subprocess
import sys

import grpc

METHODS = {"Upper": 40, "Lower": 25, "Fail": 5}


class Servicer:
    def Upper(self, request, context):
        return request.upper()

    def Lower(self, request, context):
        return request.lower()

    def Fail(self, request, context):
        raise ValueError("a request that is wrong")

    def Count(self, request, context):
        for number in range(int(request)):
            yield str(number).encode()


def handlers(servicer):
    methods = {name: grpc.unary_unary_rpc_method_handler(getattr(servicer, name)) for name in METHODS}
    methods["Count"] = grpc.unary_stream_rpc_method_handler(servicer.Count)
    return grpc.method_handlers_generic_handler("tests.Texts", methods)


def ask(port):
    got = dict.fromkeys(METHODS, 0)
    with grpc.insecure_channel("127.0.0.1:" + port) as channel:
        for name, count in METHODS.items():
            call = channel.unary_unary("/tests.Texts/" + name)
            for number in range(count):
                try:
                    answer = call(b"Text %d" % number, timeout=120, wait_for_ready=True)
                except grpc.RpcError as error:
                    answer = str(error.code()).encode()
                got[name] += answer in (b"TEXT %d" % number, b"text %d" % number, b"StatusCode.UNKNOWN")
        parts = channel.unary_stream("/tests.Texts/Count")(b"7", timeout=120)
        got["Count"] = len(list(parts))
    print(got)


def main():
    if len(sys.argv) > 1:
        return ask(sys.argv[1])
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=4))
    server.add_generic_rpc_handlers((handlers(Servicer()),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    status = subprocess.run([sys.executable, __file__, str(port)]).returncode
    server.stop(None).wait()
    return status


if __name__ == "__main__":
    sys.exit(main())
