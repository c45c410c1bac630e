// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(2))) struct PauseResumeTests {
    private static let content = Data.random(60_000)
    private static let date = "Tue, 15 Nov 1994 12:45:26 GMT"

    /// The response to the request with that number, cut short where the operation is to be paused.
    private static func cut(
        _ response: ScriptedResponse, _ index: Int, _ lengths: [Int], chunked: Bool = false
    ) -> ScriptedResponse {
        index < lengths.count ? response.ending(.stall, afterBodyBytes: lengths[index]) : response
    }

    @Test("Five pauses against a server with a strong entity tag", arguments: PauseRun.Place.allCases, [false, true])
    func strongTag(place: PauseRun.Place, isInQueue: Bool) async throws {
        let run = PauseRun(place: place, pauses: [1, 1000, 20_000, 20_001, 59_999], isInQueue: isInQueue)
        let outcome = try await run.run { _, index in
            Self.cut(.ranged(Self.content, etag: "\"one\""), index, [1, 999, 19_000, 1, 39_998])
        }
        #expect(outcome.operation.error == nil)
        #expect(outcome.content == Self.content)
        #expect(
            outcome.ranges == [
                nil, "bytes=1-", "bytes=1000-", "bytes=20000-", "bytes=20001-", "bytes=59999-",
            ])
        #expect(outcome.ifRanges == [nil] + Array(repeating: "\"one\"", count: 5))
        #expect(outcome.progressStaysBelowTotal)
        #expect(outcome.progress.last?.total == 60_000 && outcome.progress.last?.expected == 60_000)
        #expect(outcome.operation.request.value(forHTTPHeaderField: "Range") == nil)
    }

    @Test("A date is a validator too, where there is no entity tag", arguments: PauseRun.Place.allCases)
    func lastModified(place: PauseRun.Place) async throws {
        let outcome = try await PauseRun(place: place, pauses: [5000, 6000]).run { _, index in
            Self.cut(.ranged(Self.content, lastModified: Self.date), index, [5000, 1000])
        }
        #expect(outcome.content == Self.content)
        #expect(outcome.ranges == [nil, "bytes=5000-", "bytes=6000-"])
        #expect(outcome.ifRanges == [nil, Self.date, Self.date])
    }

    @Test("A date of the very second in which the answer was made is none", arguments: PauseRun.Place.allCases)
    func weakDate(place: PauseRun.Place) async throws {
        let outcome = try await PauseRun(place: place, pauses: [5000]).run { _, index in
            Self.cut(.ranged(Self.content, lastModified: Self.date).adding(header: "Date", Self.date), index, [5000])
        }
        #expect(outcome.operation.error == nil && outcome.content == Self.content)
        #expect(outcome.ranges == [nil, nil] && outcome.ifRanges == [nil, nil])
    }

    @Test(
        "A weak entity tag, or no validator, means from the beginning", arguments: PauseRun.Place.allCases,
        ["W/\"w\"", nil])
    func weakTag(place: PauseRun.Place, tag: String?) async throws {
        let outcome = try await PauseRun(place: place, pauses: [5000, 7000]).run { _, index in
            Self.cut(.ranged(Self.content, etag: tag, lastModified: tag == nil ? nil : Self.date), index, [5000, 7000])
        }
        #expect(outcome.operation.error == nil)
        #expect(outcome.content == Self.content)
        #expect(outcome.ranges == [nil, nil, nil])
        #expect(outcome.progressStaysBelowTotal)
    }

    @Test(
        "A server that ignores Range sends all of it, which replaces what was there", arguments: PauseRun.Place.allCases
    )
    func ignoresRange(place: PauseRun.Place) async throws {
        let outcome = try await PauseRun(place: place, pauses: [5000, 7000]).run { _, index in
            Self.cut(
                ScriptedResponse(headers: [("ETag", "\"one\"")], body: .data(Self.content)), index, [5000, 7000])
        }
        #expect(outcome.operation.error == nil)
        #expect(outcome.content == Self.content)
        #expect(outcome.ranges == [nil, "bytes=5000-", "bytes=7000-"])
        #expect(outcome.progressStaysBelowTotal)
    }

    @Test(
        "Content that changed meanwhile replaces what was there; a stream fails clearly",
        arguments: PauseRun.Place.allCases)
    func changed(place: PauseRun.Place) async throws {
        let other = Data.random(40_000, seed: 8)
        let outcome = try await PauseRun(place: place, pauses: [50_000]).run { _, index in
            index == 0 ? Self.cut(.ranged(Self.content, etag: "\"one\""), 0, [50_000]) : .ranged(other, etag: "\"two\"")
        }
        #expect(outcome.ranges == [nil, "bytes=50000-"])
        #expect(outcome.progressStaysBelowTotal, "\(outcome.progress)")
        if place == .stream {
            #expect(outcome.errorText.contains("downloadDestination"), "\(outcome.errorText)")
        } else {
            #expect(outcome.content == other)
        }
    }

    @Test("Content that changed into something longer fails for a stream when the difference shows")
    func changedStream() async throws {
        let other = Data.random(80_000, seed: 8)
        let outcome = try await PauseRun(place: .stream, pauses: [50_000]).run { _, index in
            index == 0 ? Self.cut(.ranged(Self.content, etag: "\"one\""), 0, [50_000]) : .ranged(other, etag: "\"two\"")
        }
        #expect(outcome.content == nil)
        #expect(outcome.errorText.contains("other content"), "\(outcome.errorText)")
    }

    @Test("A stream that is paused again while the beginning is repeated goes on comparing")
    func repetitionPaused() async throws {
        // The second response repeats 3000 of 5000 bytes, the third is a range of what was never compared as a whole.
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let index = Tally()
        let reached = Gate()
        server.respondToOthers { _ in
            switch index.increment() {
            case 1: .ranged(Self.content, etag: "\"one\"").ending(.stall, afterBodyBytes: 5000)
            case 2:
                ScriptedResponse(headers: [("ETag", "\"two\"")], body: .data(Self.content))
                    .with { $0.pieceSize = 1500 }.inserting([.open(reached)], at: .betweenPieces)
                    .ending(.stall, afterBodyBytes: 3000)
            default: .ranged(Self.content, etag: "\"two\"")
            }
        }
        let operation = HTTPRequestOperation.make(server.url())
        let progress = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in progress.append(total) }
        operation.outputStream = OutputStream(url: directory.file("x"), append: false)
        operation.start()
        try await eventually { progress.last == 5000 }
        operation.pause()
        progress.removeAll()
        operation.resume()
        await reached.wait()
        try await eventually { progress.count > 0 }
        operation.pause()
        operation.resume()
        await operation.completed()
        #expect(operation.error == nil, "\(String(describing: operation.error))")
        #expect(try Data(contentsOf: directory.file("x")) == Self.content)
    }

    @Test(
        "A 206 that begins elsewhere, is of another total, or of another tag is not appended",
        arguments: [
            ("bytes 100-59999/60000", "\"one\"", nil), ("bytes 5000-69999/70000", "\"one\"", nil),
            ("bytes 5000-59999/60000", "\"two\"", nil), ("bytes 5000-59999", "\"one\"", nil),
            ("items 5000-59999/60000", "\"one\"", nil), (nil, "\"one\"", nil),
            ("bytes 5000-59999/60000", nil, "Wed, 16 Nov 1994 12:45:26 GMT"),
        ] as [(String?, String?, String?)])
    func wrongRange(range: String?, tag: String?, date: String?) async throws {
        let outcome = try await PauseRun(place: .memory, pauses: [5000]).run { request, _ in
            if request["Range"] != nil {
                var headers: [ScriptedResponse.Header] = []
                if let range { headers.append(("Content-Range", range)) }
                if let tag { headers.append(("ETag", tag)) }
                if let date { headers.append(("Last-Modified", date)) }
                return ScriptedResponse(status: 206, headers: headers, body: .data(Data.random(55_000, seed: 3)))
            }
            let full = ScriptedResponse.ranged(
                Self.content, etag: tag == nil ? nil : "\"one\"", lastModified: Self.date)
            return request.connection == 1 ? full.ending(.stall, afterBodyBytes: 5000) : full
        }
        #expect(outcome.operation.error == nil)
        #expect(outcome.content == Self.content)
        #expect(outcome.ranges == [nil, "bytes=5000-", nil])
    }

    @Test("A 206 that ends before the end is followed by another request", arguments: PauseRun.Place.allCases)
    func shortRange(place: PauseRun.Place) async throws {
        let outcome = try await PauseRun(place: place, pauses: [5000]).run { request, index in
            guard let range = request["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return Self.cut(.ranged(Self.content, etag: "\"one\""), index, [5000])
            }
            let end = min(start + 20_000, Self.content.count)
            return ScriptedResponse(
                status: 206, headers: [("Content-Range", "bytes \(start)-\(end - 1)/60000"), ("ETag", "\"one\"")],
                body: .data(Self.content[start..<end]))
        }
        #expect(outcome.operation.error == nil)
        #expect(outcome.content == Self.content)
        #expect(outcome.ranges == [nil, "bytes=5000-", "bytes=25000-", "bytes=45000-"])
    }

    @Test(
        "A range that is shorter than it says is followed by another request, also where nobody knows the whole",
        arguments: PauseRun.Place.allCases)
    func cutRange(place: PauseRun.Place) async throws {
        let outcome = try await PauseRun(place: place, pauses: [5000]).run { request, index in
            guard let range = request["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return ScriptedResponse(headers: [("ETag", "\"one\"")], body: .chunked([Self.content]))
                    .ending(.stall, afterBodyBytes: 5000)
            }
            let end = min(start + 30_000, Self.content.count)
            return ScriptedResponse(
                status: 206,
                headers: [("Content-Range", "bytes \(start)-\(Self.content.count - 1)/*"), ("ETag", "\"one\"")],
                body: .data(Self.content[start..<end]))
        }
        #expect(outcome.operation.error == nil)
        #expect(outcome.content == Self.content)
        #expect(outcome.ranges == [nil, "bytes=5000-", "bytes=35000-"])
    }

    @Test(
        "416 with the length that is there already is the end; with another length it is not",
        arguments: PauseRun.Place.allCases, [true, false])
    func unsatisfiable(place: PauseRun.Place, isComplete: Bool) async throws {
        let total = isComplete ? Self.content.count : Self.content.count + 1
        let served = isComplete ? Self.content : Self.content + [1]
        let outcome = try await PauseRun(place: place, pauses: [Self.content.count]).run { request, index in
            if index == 0 {
                // Complete but for the last chunk, so that the client cannot know.
                return ScriptedResponse(headers: [("ETag", "\"one\"")], body: .chunked([Self.content]))
                    .ending(.stall, afterBodyBytes: Self.content.count)
            }
            guard request["Range"] != nil else { return .ranged(served, etag: "\"one\"") }
            return ScriptedResponse(status: 416, headers: [("Content-Range", "bytes */\(total)")])
        }
        #expect(outcome.operation.error == nil, "\(outcome.errorText)")
        #expect(outcome.content == served)
        #expect(outcome.operation.response?.statusCode == 200)
        #expect(outcome.ranges.count == (isComplete ? 2 : 3))
    }

    @Test("416 for content that shrank to just what is there is not the end")
    func shrunk() async throws {
        let other = Data.random(5000, seed: 9)
        let outcome = try await PauseRun(place: .memory, pauses: [5000]).run { request, index in
            if index == 0 { return .ranged(Self.content, etag: "\"one\"").ending(.stall, afterBodyBytes: 5000) }
            if request["Range"] != nil {
                return ScriptedResponse(status: 416, headers: [("Content-Range", "bytes */5000")])
            }
            return .ranged(other, etag: "\"two\"")
        }
        #expect(outcome.content == other)
    }

    @Test("Coded content cannot be continued: it comes again", arguments: PauseRun.Place.allCases)
    func gzip(place: PauseRun.Place) async throws {
        let coded = Self.content.gzipped
        // A stream and a file get it coded, and count what came.
        let total: Int64 = place == .memory ? 19_990 : 20_005
        let outcome = try await PauseRun(place: place, pauses: [1], totals: [total]).run { _, index in
            Self.cut(
                ScriptedResponse(headers: [("Content-Encoding", "gzip"), ("ETag", "\"z\"")], body: .data(coded)), index,
                [20_005])
        }
        #expect(outcome.operation.error == nil, "\(outcome.errorText)")
        #expect(outcome.content == Self.content)
        #expect(outcome.ranges == [nil, nil])
        #expect(outcome.progressStaysBelowTotal)
    }

    @Test("A Range of the user's own is sent as it is, every time")
    func ownRange() async throws {
        let outcome = try await PauseRun(place: .memory, pauses: [500]).run {
            $0.setValue("bytes=1000-1999", forHTTPHeaderField: "Range")
        } respond: { _, index in
            Self.cut(.ranged(Self.content, etag: "\"one\""), index, [500])
        }
        #expect(outcome.operation.error == nil)
        #expect(outcome.operation.response?.statusCode == 206)
        #expect(outcome.content == Self.content[1000..<2000])
        #expect(outcome.ranges == ["bytes=1000-1999", "bytes=1000-1999"])
        #expect(outcome.ifRanges == [nil, nil])
    }

    @Test("The error response of a resumed transfer is the result", arguments: PauseRun.Place.allCases)
    func errorAfterResume(place: PauseRun.Place) async throws {
        let outcome = try await PauseRun(place: place, pauses: [5000]).run { _, index in
            index == 0
                ? Self.cut(.ranged(Self.content, etag: "\"one\""), 0, [5000])
                : ScriptedResponse(status: 503, body: .text("busy"))
        }
        #expect(outcome.operation.response?.statusCode == 503)
        #expect(outcome.operation.responseString == "busy")
        #expect(outcome.operation.error is ResponseSerializationError)
        #expect(outcome.content == nil)
    }
}

extension PauseRun.Outcome {
    /// What the error says, with those underneath.
    var errorText: String {
        var texts: [String] = []
        var error = operation.error as NSError?
        while let present = error {
            texts.append("\(present.domain) \(present.code) \(present.localizedDescription)")
            error = present.underlying
        }
        return texts.joined(separator: " / ")
    }
}
