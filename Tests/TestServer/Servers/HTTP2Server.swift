// SPDX-License-Identifier: MIT
package import Foundation

/// An HTTP/2 server without TLS, for clients with prior knowledge, that ends streams and connections as a request's path
/// says. The protocol's other side is h2's.
///
/// - `/refuse-once`: REFUSED_STREAM for the first request to that path, an answer to the next. `/refuse/N`: for the first N.
/// - `/reset`: INTERNAL_ERROR. `/half`: a part of the content, then CANCEL.
/// - `/goaway`: GOAWAY that names this stream as the last, then the answer, then the end of the connection.
/// - `/goaway-before`: GOAWAY that names no stream, for the first request to that path.
/// - `/ten`: an answer to the first request on a connection at once, to the others when there have been ten.
/// - `/hints`: 103 with a `link` field before the answer, and the field `checksum` twice after it.
/// - Everything else: 200 with the number of the connection.
package final class HTTP2Server: Sendable {
    package let port: Int
    private let process: ServerProcess
    private let directory: TemporaryDirectory

    package static func start() throws -> HTTP2Server {
        try ServerProcess.retrying(ports: 1) { try HTTP2Server(port: $0[0]) }
    }

    private init(port: Int) throws {
        let directory = try TemporaryDirectory()
        let script = try directory.write(Self.script, to: "server.py")
        process = try ServerProcess(
            ExternalProgram(path: HTTPBinServer.environmentPath + "/bin/python"),
            [script.path, "\(port)", directory.file("log").path], directory: directory, ports: [port])
        self.directory = directory
        self.port = port
    }

    package func url(_ path: String = "/") -> URL { loopbackURL("http", port, path) }

    /// One line per request: method, path and the number of the connection.
    package var log: [String] {
        let text = (try? String(contentsOf: directory.file("log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    package func stop() { process.stop() }

    private static let script = """
        import socket, sys, threading
        import h2.config, h2.connection, h2.errors, h2.events

        seen, refusals, lock, connections = set(), {}, threading.Lock(), 0

        def first(path):
            with lock:
                if path in seen:
                    return False
                seen.add(path)
                return True

        def refuses(path):
            if not path.startswith("/refuse/"):
                return path == "/refuse-once" and first(path)
            with lock:
                refusals[path] = refusals.get(path, 0) + 1
                return refusals[path] <= int(path[8:])

        def respond(connection, stream, text):
            connection.send_headers(stream, [(":status", "200"), ("content-length", str(len(text)))])
            connection.send_data(stream, text.encode(), end_stream=True)

        def serve(client, number):
            config = h2.config.H2Configuration(client_side=False)
            connection = h2.connection.H2Connection(config=config)
            connection.initiate_connection()
            client.sendall(connection.data_to_send())
            paths, ten = {}, []
            while True:
                data = client.recv(65536)
                if not data:
                    return
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        fields = {name.decode(): value.decode() for name, value in event.headers}
                        paths[event.stream_id] = fields[":path"]
                        with lock, open(sys.argv[2], "a") as log:
                            log.write("%s %s %d\\n" % (fields[":method"], fields[":path"], number))
                    elif isinstance(event, h2.events.DataReceived):
                        connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, h2.events.StreamEnded):
                        stream, path = event.stream_id, paths[event.stream_id]
                        if refuses(path):
                            connection.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
                        elif path == "/reset":
                            connection.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
                        elif path == "/half":
                            connection.send_headers(stream, [(":status", "200"), ("content-length", "10")])
                            connection.send_data(stream, b"half")
                            connection.reset_stream(stream, h2.errors.ErrorCodes.CANCEL)
                        elif path == "/goaway":
                            respond(connection, stream, "last")
                            connection.close_connection(last_stream_id=stream)
                            client.sendall(connection.data_to_send())
                            return
                        elif path == "/goaway-before" and first(path):
                            connection.close_connection(last_stream_id=0)
                            client.sendall(connection.data_to_send())
                            return
                        elif path == "/ten":
                            ten.append(stream)
                            if len(ten) == 1:
                                respond(connection, stream, str(number))
                            elif len(ten) == 10:
                                for waiting in ten[1:]:
                                    respond(connection, waiting, str(number))
                        elif path == "/hints":
                            connection.send_headers(stream, [(":status", "103"), ("link", "</a.css>; rel=preload")])
                            connection.send_headers(stream, [(":status", "200")])
                            connection.send_data(stream, b"content")
                            connection.send_headers(
                                stream, [("checksum", "1"), ("checksum", "2")], end_stream=True)
                        else:
                            respond(connection, stream, str(number))
                client.sendall(connection.data_to_send())

        def run(client, number):
            try:
                serve(client, number)
            except OSError:
                pass
            finally:
                client.close()

        listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=128)
        while True:
            client, _ = listener.accept()
            connections += 1
            threading.Thread(target=run, args=(client, connections), daemon=True).start()
        """
}
