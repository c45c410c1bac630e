// SPDX-License-Identifier: MIT
import Foundation

/// A PostgreSQL server on a socket in a temporary folder. It ends with this object, and with this process.
final class Database: Sendable {
    /// The newest version's programs; nil: there are none.
    static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.sorted().map { "\(root)/\($0)/bin" }
            .last { FileManager.default.isExecutableFile(atPath: $0 + "/postgres") }
    }()

    // The end of its input, which comes with that of this process, is the order to stop.
    private static let script = #"""
        bin=$1; root=$2; run=
        if [ "$(id -u)" = 0 ]; then
            chown postgres "$root"
            run="setpriv --reuid=postgres --regid=postgres --init-groups --"
        fi
        cd "$root"
        $run "$bin/initdb" -D "$root/data" -A trust -U tests --no-locale -E UTF8 -N >"$root/log" 2>&1 || exit 1
        $run "$bin/postgres" -D "$root/data" -k "$root" -h "" -c fsync=off >>"$root/log" 2>&1 &
        until "$bin/pg_isready" -q -h "$root"; do kill -0 $! || exit 1; sleep 0.02; done
        echo ready
        read -r _
        kill -QUIT $!
        wait
        rm -rf "$root"
        """#

    private let root = "/tmp/batchget-postgres-\(getpid())-\(UInt16.random(in: 0...(.max)))"
    private let input = Pipe()

    init() throws {
        guard let programs = Self.programs else { throw TestFailure("PostgreSQL is not installed") }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", Self.script, "sh", programs, root]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForReading.close()
        guard try output.fileHandleForReading.read(upToCount: 6) == Data("ready\n".utf8) else {
            throw TestFailure(
                "PostgreSQL does not start: \((try? String(contentsOfFile: root + "/log", encoding: .utf8)) ?? "")")
        }
    }

    deinit { try? input.fileHandleForWriting.close() }

    var url: String { "postgresql://tests@/postgres?host=\(root)" }
}
