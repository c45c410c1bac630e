// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport

/// A PostgreSQL server of the tests' own, in a temporary folder, on a socket there. It ends with this process, however
/// that ends: its shell reads from a pipe of ours, and takes the pipe's end for the order to stop.
final class PostgresServer: Sendable {
    /// What keeps it from being started here; nil: it can be.
    static let obstacle: String? = {
        folder == nil ? "no server program of PostgreSQL: install the package postgresql" : nil
    }()

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The newest version's programs.
    private static let folder: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.sorted().map { "\(root)/\($0)/bin" }
            .last { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
    }()

    /// The one of this process.
    static let shared = Result { try PostgresServer() }

    private static let script = #"""
        bin=$1; root=$2; port=$3; run=
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$root"
            run="setpriv --reuid=postgres --regid=postgres --init-groups --"
        fi
        cd "$root"
        $run "$bin/initdb" -D "$root/data" -A trust -U tests --no-locale -E UTF8 -N >"$root/initdb.log" 2>&1 || exit 1
        printf '%s\n' 'local all locked scram-sha-256' 'local all all trust' 'host all all 10.0.0.0/8 trust' \
            'host all all 127.0.0.1/32 trust' >"$root/data/pg_hba.conf"
        $run openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=tests \
            -addext subjectAltName=IP:127.0.0.1 -keyout "$root/server.key" -out "$root/server.crt" \
            2>>"$root/initdb.log" || exit 1
        stop() { [ -z "$child" ] || { kill -QUIT "$child"; wait "$child"; child=; }; }
        echo made
        while read -r order ssl address; do
            case $order in
            start)
                $run "$bin/postgres" -D "$root/data" -k "$root" -h "$address" -p "$port" -c fsync=off -c "ssl=$ssl" \
                    -c ssl_cert_file="$root/server.crt" -c ssl_key_file="$root/server.key" \
                    -c max_connections=60 -c shared_buffers=64MB >>"$root/server.log" 2>&1 &
                child=$!
                until "$bin/pg_isready" -q -h "$root" -p "$port"; do kill -0 "$child" || exit 1; sleep 0.02; done ;;
            stop) stop ;;
            esac
            echo "$order"
        done
        stop
        rm -rf "$root"
        """#

    let root: String
    let port = Int.random(in: 20_000..<30_000)
    var certificate: String { root + "/server.crt" }
    var key: String { root + "/server.key" }
    private let input = Pipe()
    private let output = Pipe()

    private init() throws {
        root = "/tmp/on-postgres-\(getpid())-\(UInt16.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", Self.folder ?? "", root, "\(port)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForReading.close()
        try expect("made")
        try start()
    }

    /// Starts it, and returns when it takes connections.
    ///
    /// - Parameters:
    ///   - address: an address for TCP, beside the socket.
    ///   - tls: whether it takes encrypted connections by TCP, with `certificate`, which is for 127.0.0.1.
    func start(address: String = "", tls: Bool = false) throws {
        try order("start \(tls ? "on" : "off") \(address)")
    }

    /// Stops it at once, as a crash would; what it has committed is recovered by the next start.
    func crash() throws { try order("stop") }

    private func order(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
        try expect(String(text.split(separator: " ")[0]))
    }

    private func expect(_ answer: String) throws {
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]), !byte.isEmpty {
            line += byte
        }
        guard line == Data(answer.utf8) else {
            let log = try? String(contentsOfFile: root + "/initdb.log", encoding: .utf8)
            throw Failure(description: "PostgreSQL does not start: \(log ?? "")")
        }
    }

    /// A connection string for its socket.
    func connection(host: String? = nil, port: Int? = nil, user: String = "tests", rest: String = "") -> String {
        "host=\(host ?? root) port=\(port ?? self.port) dbname=postgres user=\(user) \(rest)"
    }

    /// The name of a schema that is not there yet.
    static func freshSchema() -> String {
        "s" + UUID().uuidString.lowercased().filter { $0 != "-" }
    }
}
