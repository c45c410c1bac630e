// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// When there is a note beside a partial file.
@Suite("DownloadWriter") struct DownloadWriterTests {
    private let directory: TemporaryDirectory
    private let writer: DownloadWriter

    init() throws {
        directory = try TemporaryDirectory()
        let destination = DownloadDestination(fileURL: directory.file("target"))
        let url = URL(string: "http://127.0.0.1/content")
        writer = DownloadWriter(destination, partial: PartialFile(clean: destination, of: url))
        try writer.open()
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()) ?? []
    }

    private func write(_ text: String) throws { try Array(text.utf8).withUnsafeBytes { try writer.write($0) } }

    @Test("Content that comes in one piece needs none")
    func whole() throws {
        try writer.begin(Representation(validator: "\"a\"", source: nil, totalLength: 4, offset: 0))
        try write("four")
        #expect(names == ["target.part"])
        try writer.commit()
        #expect(names == ["target"])
    }

    @Test("There is one before the first piece of several, or of a length that nobody knows", arguments: [8, nil])
    func pieces(total: Int64?) throws {
        try writer.begin(Representation(validator: "\"a\"", source: nil, totalLength: total, offset: 0))
        #expect(names == ["target.part"])
        try write("four")
        #expect(names == ["target.part", "target.part.json"])
        try write("more")
        try writer.commit()
        #expect(names == ["target"])
    }

    @Test("Content that came in one piece, and could not be moved, has one")
    func abandoned() throws {
        try writer.begin(Representation(validator: "\"a\"", source: nil, totalLength: 4, offset: 0))
        try write("four")
        writer.abandon()
        #expect(names == ["target.part", "target.part.json"])
    }

    @Test("One of before goes when other content begins")
    func another() throws {
        try writer.begin(Representation(validator: "\"a\"", source: nil, totalLength: 8, offset: 0))
        try write("four")
        try writer.begin(Representation(validator: "\"b\"", source: nil, totalLength: 4, offset: 0))
        #expect(names == ["target.part"])
        try write("four")
        try writer.commit()
        #expect(names == ["target"])
    }

    @Test("What cannot be continued has none, and goes")
    func unnamed() throws {
        try writer.begin(nil)
        try write("four")
        #expect(names == ["target.part"])
        writer.abandon()
        #expect(names == [])
    }

    @Test("A part that somebody else put in place of this one stays, with its note")
    func replaced() throws {
        try writer.begin(Representation(validator: "\"a\"", source: nil, totalLength: 4, offset: 0))
        try write("four")
        try FileManager.default.removeItem(at: directory.file("target.part"))
        try directory.write("theirs", to: "target.part")
        try directory.write("their note", to: "target.part.json")
        #expect(throws: DownloadError.self) { try writer.commit() }
        writer.abandon()
        #expect(try Data(contentsOf: directory.file("target.part")) == Data("theirs".utf8))
        #expect(try Data(contentsOf: directory.file("target.part.json")) == Data("their note".utf8))
    }
}
