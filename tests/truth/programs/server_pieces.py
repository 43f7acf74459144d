# SPDX-License-Identifier: MIT
# A server that sends each answer by three calls: the last piece stays in the kernel until the client has acknowledged the first.
# first: held_answers
import serving


def answer_in_pieces(handle, connection):
    with connection, connection.makefile("rb") as lines:
        while request := lines.readline():
            while lines.readline().strip():
                pass
            body = request.split()[1]
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            connection.sendall(b"Content-Length: %d\r\n\r\n" % len(body))
            connection.sendall(body)


serving.answer_by_thread = answer_in_pieces
serving.serve_threads(None, 60, 2)
