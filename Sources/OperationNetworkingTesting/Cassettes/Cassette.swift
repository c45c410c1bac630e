// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport
internal import NetworkingTransport
public import OperationNetworking

/// Answers of servers that are kept in a file, and given again by stubs. An HTTP Archive (HAR 1.2), also one that
/// `HTTPArchive` or a browser has written.
///
/// ```swift
/// let cassette = try Cassette(file, mode: .replayOrRecord)
/// cassette.stubs.install(on: manager)
/// // … the test …
/// try cassette.finish()
/// ```
///
/// Each request is a separate exchange, redirects and challenges included. What is recorded goes to the real servers,
/// and into the file with ``finish()``. Values of `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`,
/// and user names and passwords in URLs, are not written; ``Masking`` is for other secrets. Failures without a response
/// are not recorded.
///
/// Content is kept as text where it is UTF-8, else in base 64, and decoded: `Content-Encoding` is left out when it is
/// replayed, as are `Set-Cookie` fields whose values were masked. A part of coded content, and content that does not
/// decode, is kept as it came, and replayed with that field.
public final class Cassette: Sendable {
    /// The treatment of requests.
    public enum Mode: Sendable {
        /// Everything comes from the file. No request is sent.
        case replay
        /// Everything comes from servers, and takes the file's place.
        case record
        /// Answers that are not in the file come from servers, and are added to it. A file need not be there.
        case replayOrRecord
    }

    /// The choice of the exchange in the file that answers a request. Content is the same when its bytes are, or when
    /// it is JSON, by the request's `Content-Type`, with the same values, or a multipart form with the same parts.
    public enum Matching: Sendable {
        /// The first one with the method, URL and, if any was recorded, content that has not answered yet. Then the
        /// last of them again.
        case lenient
        /// The next one of the file, which has to have the method, URL and content. ``Cassette/finish()`` throws when
        /// not all have answered. For requests that are made one after the other.
        case strict
    }

    /// Parts of exchanges that are masked in the file, in addition to those that always are. A request is compared as
    /// it would be written.
    public struct Masking: Sendable {
        /// Names of query items whose values are left out of URLs, also of those in `Location`, `Content-Location` and
        /// `Referer`. None by default.
        public var queryItems: Set<String> = []
        /// Header fields, of requests and responses, whose values are left out. None by default.
        public var headers: Set<String> = []
        /// Changes the content of a request or response, given its `Content-Type`. Nil by default. Called on the
        /// network thread: not to block.
        public var content: (@Sendable (Data, String?) -> Data)?

        /// Masks nothing more than always.
        public init() {}
    }

    /// Stubs that this cassette answers. Rules may be added, which come first.
    public let stubs: HTTPStubs
    private let tape: Tape
    private let file: URL

    /// A cassette of a file.
    ///
    /// - Parameters:
    ///   - file: the archive. Read now, and written by ``finish()``.
    ///   - mode: `.replay` by default.
    ///   - matching: `.lenient` by default.
    ///   - masking: what is not written. By default nothing but what never is.
    /// - Throws: Foundation's error when the file is not there and is wanted; a `DecodingError` when it is no archive.
    public init(
        _ file: URL, mode: Mode = .replay, matching: Matching = .lenient, masking: Masking = Masking()
    ) throws {
        self.file = file
        var exchanges: [ArchivedExchange] = []
        if mode == .replay || (mode == .replayOrRecord && FileManager.default.fileExists(atPath: file.path)) {
            exchanges = try HTTPArchive.exchanges(in: Data(contentsOf: file))
        }
        tape = Tape(exchanges, mode, matching, masking)
        stubs = HTTPStubs(recorder: tape)
    }

    /// The number of exchanges, recorded ones included.
    public var count: Int { tape.exchanges.count }

    /// Method and URL of the exchanges of the file that have not answered a request.
    public var unplayed: [String] { tape.unplayed }

    /// Writes what was recorded, if anything was, and looks at what was not asked. What could not be written is written
    /// by the next call.
    ///
    /// - Throws: ``CassetteError`` when matching is strict and something was not asked; Foundation's error when the
    ///   file cannot be written.
    public func finish() throws {
        if let exchanges = tape.takeRecording() {
            do {
                try HTTPArchive.data(of: exchanges).write(to: file, options: .atomic)
            } catch {
                // Otherwise a later call would write nothing, and say that all is well.
                tape.putRecordingBack()
                throw error
            }
        }
        let unplayed = tape.unplayed
        if tape.matching == .strict, !unplayed.isEmpty { throw CassetteError.unplayed(unplayed) }
    }
}

/// A cassette has no answer to a request, or more answers than requests.
public enum CassetteError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible, _BridgedError {
    /// Nothing in the file answers a request. `expected` is the next exchange, where matching is strict.
    case noExchange(request: String, expected: String?)
    /// These were not asked for.
    case unplayed([String])
    /// The file has no response, but the text of an error.
    case recordedFailure(String)

    /// One line.
    public var description: String {
        switch self {
        case .noExchange(let request, let expected?):
            "the cassette has no answer to \(request): next comes \(expected)"
        case .noExchange(let request, nil):
            "the cassette has no answer to \(request): record it again, with mode .record or .replayOrRecord"
        case .unplayed(let requests):
            "the cassette has answers that nobody asked for: \(requests.joined(separator: ", "))"
        case .recordedFailure(let text):
            "when the cassette was recorded, the request failed: \(text)"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
