// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("Limits and groups", .timeLimit(.minutes(1))) struct LimitTests {
    private let server: FileServer
    private let folder: Folder

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
    }

    private func start(_ manifest: String, _ options: [String]) throws -> Child {
        let path = try folder.write(manifest, to: "list.txt")
        return try Child(["-o", folder.path("out")] + options + [path], in: folder)
    }

    @Test("A host has --per-host downloads at once, and leaves the other places of --jobs to other hosts")
    func perHost() async throws {
        let near = (0..<5).map { server.serve("near-\($0)", content(100), released: 0) }
        let far = server.serve("far", content(100), released: 0)
        let urls = near.indices.map { server.url("near-\($0)") } + [server.url("far", host: "127.0.0.2")]
        let child = try start(urls.joined(separator: "\n"), ["--jobs", "3", "--per-host", "2"])
        // Last in the manifest: with three of the other host under way it would never be asked for.
        try await server.waitForRequests(for: "far")
        try await server.waitForRequests(for: "near-0")
        try await server.waitForRequests(for: "near-1")
        for resource in near + [far] { resource.release() }
        #expect(try await child.wait().code == 0)
        #expect(server.peak(host: "127.0.0.1") == 2)
        #expect(server.peak(host: "127.0.0.2") == 1)
    }

    @Test("No more than --jobs downloads at once; without a limit for hosts, as many of one")
    func jobs() async throws {
        let files = (0..<8).map { server.serve("\($0)", content(100), released: 0) }
        let child = try start(
            files.indices.map { server.url("\($0)") }.joined(separator: "\n"), ["-j", "5", "--per-host", "0"])
        for (index, file) in files.enumerated() {
            try await server.waitForRequests(for: "\(min(index + 4, 7))")
            file.release()
        }
        #expect(try await child.wait().code == 0)
        #expect(server.peak(host: "127.0.0.1") == 5)
    }

    @Test("Downloads begin in the order of the manifest, whatever their groups")
    func order() async throws {
        let names = (0..<12).map { "\($0)" }
        for name in names { server.serve(name, content(10)) }
        let lines = names.enumerated().map { "\(server.url($1))\($0 % 4 == 3 ? "" : " group=g\($0 % 4)")" }
        let child = try start(lines.joined(separator: "\n"), ["-j", "1"])
        #expect(try await child.wait().code == 0)
        #expect(server.log.value.map(\.path) == names.map { "/" + $0 })
    }

    @Test("With --cancel-group-on-failure the group of what fails is cancelled, and nothing else")
    func cancellingGroup() async throws {
        // Nothing of these two ever comes: without being cancelled, the run would not end.
        server.serve("active", content(100), released: 10)
        server.serve("first", content(100), released: 0)
        server.serve("bad", Data(), status: 503)
        let other = server.serve("other", content(100), released: 0)
        let gate = server.serve("gate", content(1), released: 0)
        let child = try start(
            """
            \(server.url("active")) group=g
            \(server.url("first")) group=g
            \(server.url("waiting")) group=g after=first
            \(server.url("outside")) after=active
            \(server.url("gate"))
            \(server.url("bad")) group=g id=culprit after=gate
            \(server.url("other")) group=h
            """, ["--cancel-group-on-failure", "--json", "--max-tries", "1"])
        for name in ["active", "first", "gate", "other"] { try await server.waitForRequests(for: name) }
        gate.release()
        try await server.waitForRequests(for: "bad")
        other.release()
        let outcome = try await child.wait()
        #expect(outcome.code == 1)
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        let states = Dictionary(uniqueKeysWithValues: report.downloads.map { ($0.output, $0) })
        for name in ["active", "first", "waiting"] {
            #expect(states[name]?.reason == "group" && states[name]?.cause == "culprit", "\(name)")
        }
        #expect(states["outside"]?.reason == "dependency" && states["outside"]?.cause == "active")
        #expect(states["bad"]?.state == "failed" && states["bad"]?.status == 503)
        #expect(states["other"]?.state == "done" && states["gate"]?.state == "done")
        #expect(folder.files.contains("out/active.part"), "what was there stays")
        #expect(server.requests(for: "waiting").isEmpty && server.requests(for: "outside").isEmpty)
    }

    @Test("Without it the others go on")
    func keepingGroup() async throws {
        let good = server.serve("good", content(100), released: 0)
        let child = try start(
            """
            \(server.url("good")) group=g
            \(server.url("bad")) group=g
            \(server.url("last")) group=h after=good
            """, ["--json"])
        server.serve("last", content(10))
        try await server.waitForRequests(for: "good")
        try await server.waitForRequests(for: "bad")
        good.release()
        let outcome = try await child.wait()
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.downloads.map(\.state) == ["done", "failed", "done"])
    }
}
