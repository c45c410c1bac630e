// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import TestServer
import Testing

@testable import OperationNetworkingCore

/// A note goes while the partial file has its name and is locked: from then on a note there may be another download's.
@Suite struct PartialNoteOrderTests {
    private let directory: TemporaryDirectory
    private let destination: DownloadDestination
    private let url = URL(string: "http://127.0.0.1/content")

    init() throws {
        directory = try TemporaryDirectory()
        destination = DownloadDestination(fileURL: directory.file("target"))
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()) ?? []
    }

    /// A writer that has written content and a note.
    private func makeWriter(_ existingFile: DownloadDestination.ExistingFile = .replace) throws -> DownloadWriter {
        let destination = DownloadDestination(fileURL: directory.file("target"), existingFile: existingFile)
        let writer = DownloadWriter(destination, partial: PartialFile(clean: destination, of: url))
        try writer.open()
        try writer.begin(Representation(validator: "\"a\"", source: nil, totalLength: 8, offset: 0))
        for text in ["four", "more"] { try Array(text.utf8).withUnsafeBytes { try writer.write($0) } }
        #expect(names == ["target.part", "target.part.json"])
        return writer
    }

    /// The names that went from the directory during a call, in order.
    private func gone(_ work: () throws -> Void) throws -> [String] {
        let watch = inotify_init()
        defer { close(watch) }
        try #require(watch >= 0 && inotify_add_watch(watch, directory.url.path, Self.movedFrom | Self.deleted) >= 0)
        try work()
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { read(watch, $0.baseAddress, $0.count) }
        var names: [String] = []
        var place = 0
        while place + Self.headSize <= count {
            let end = place + Self.headSize
            let length: Int = buffer[end - 4..<end].reversed().reduce(0) { $0 << 8 | Int($1) }
            let name = buffer[end...].prefix(length).prefix { $0 != 0 }
            names.append(String(decoding: name, as: UTF8.self))
            place = end + length
        }
        return names
    }

    /// `IN_MOVED_FROM` and `IN_DELETE`.
    private static let movedFrom: UInt32 = 0x40
    private static let deleted: UInt32 = 0x200
    /// Bytes of an event before its name; the last four are the name's length, on a little-endian machine.
    private static let headSize = 16

    @Test("Before the file is moved to the target; it is there again if that fails")
    func committed() throws {
        let refused = try makeWriter(.refuse)
        try directory.write("old", to: "target")
        #expect(throws: (any Error).self) { try refused.commit() }
        refused.abandon()
        #expect(names == ["target", "target.part", "target.part.json"])

        let partial = PartialFile(destination, of: url)
        #expect(partial.representation?.offset == 8)
        let writer = DownloadWriter(destination, partial: partial)
        try writer.open()
        let order = try gone { try writer.commit() }
        #expect(order == ["target.part.json", "target.part"])
        #expect(names == ["target"])
    }

    @Test("Before the file is removed")
    func removed() throws {
        let writer = try makeWriter()
        writer.abandon()
        #expect(names == ["target.part", "target.part.json"])
        let partial = PartialFile(destination, of: url)
        #expect(partial.representation?.offset == 8)
        let order = try gone { partial.discard() }
        #expect(order == ["target.part.json", "target.part"])
        #expect(names == [])
    }
}
