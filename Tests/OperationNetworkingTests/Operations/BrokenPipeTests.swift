// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Responses into pipes", .timeLimit(.minutes(1)), .serialized) struct BrokenPipeTests {
    /// Signals that came on threads other than the test server's, which is told of its clients' leaving by them.
    private static let signals = Tally()

    private static let count: @convention(c) (Int32) -> Void = { _ in
        var name: UInt32 = 0
        let comm = Glibc.open("/proc/thread-self/comm", O_RDONLY | O_CLOEXEC)
        read(comm, &name, MemoryLayout<UInt32>.size)
        close(comm)
        let isServer = withUnsafeBytes(of: name) { $0.elementsEqual("NIO-".utf8) }
        if !isServer { signals.increment() }
    }

    @Test("A pipe whose reader leaves is an error of the operation, and no signal", arguments: [false, true])
    func brokenPipe(leavesBefore: Bool) async throws {
        let before = signal(SIGPIPE, Self.count)
        defer { signal(SIGPIPE, before) }
        let directory = try TemporaryDirectory()
        let fifo = directory.file("fifo").path
        try #require(mkfifo(fifo, 0o600) == 0)
        let reader = Glibc.open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader >= 0)
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 4_000_000)) }
        let stream = try #require(OutputStream(toFileAtPath: fifo, append: true))
        stream.open()
        if leavesBefore { Glibc.close(reader) }
        let operation = HTTPRequestOperation.make(server.url())
        operation.outputStream = stream
        operation.start()
        if !leavesBefore {
            var byte: UInt8 = 0
            try await eventually("the first byte") { read(reader, &byte, 1) == 1 }
            Glibc.close(reader)
        }
        await operation.completed()
        #expect(operation.errorCode == URLError.cannotWriteToFile.rawValue && Self.signals.value == 0)
    }

    @Test("A download to what a link leads to, a pipe or a device, is refused")
    func linkedDevice() async throws {
        let directory = try TemporaryDirectory()
        let link = directory.file("link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "/dev/null")
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        operation.downloadDestination = DownloadDestination(fileURL: link)
        await operation.run()
        #expect(operation.errorCode == URLError.cannotCreateFile.rawValue)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "/dev/null")
    }
}
