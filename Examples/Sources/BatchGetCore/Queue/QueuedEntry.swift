// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking
internal import OperationNetworkingDurable

/// What a queue keeps of an entry beside its request, so that any program that has the queue can tell of it.
struct QueuedEntry: Codable, Sendable {
    private var format = 1
    private let id: String
    private let url: URL
    private let output: String
    private let group: String?

    init(_ entry: ManifestEntry) {
        id = entry.id
        url = entry.url
        output = entry.output
        group = entry.group
    }

    /// The entry of a request; nil: it is none of batchget's.
    static func entry(_ result: DurableRequestResult) -> ManifestEntry? {
        guard let context = result.context, let queued = try? JSONDecoder().decode(QueuedEntry.self, from: context),
            queued.format == 1, let output = try? OutputName.normalized(queued.output)
        else { return nil }
        return ManifestEntry(url: queued.url, output: output, id: queued.id, group: queued.group)
    }

    /// The name of an entry's request: the same for all programs, so that none is added twice. One that has failed gets a
    /// request with the next number, when the entry is asked for again.
    static func requestID(_ entry: ManifestEntry, number: Int) throws -> DurableRequest.ID {
        let digest = entry.checksum?.digest.hexadecimal ?? ""
        return try DurableRequest.ID(
            name: "batchget \(number)\n\(entry.output)\n\(digest)\n\(entry.url.absoluteString)")
    }

    // MARK: Where its file goes

    /// Stored instead of a file's path: the output directory is each program's own.
    static func storedDestination(of entry: ManifestEntry) -> DownloadDestination {
        DownloadDestination(fileURL: URL(fileURLWithPath: "/" + entry.output), sha256: entry.checksum?.digest)
    }

    /// The file of a stored destination; the folders that it needs are made.
    static func destination(_ stored: DownloadDestination, in directory: OutputDirectory) throws -> DownloadDestination
    {
        let path = stored.fileURL.path
        // Whoever writes to the queue is not to choose folders of this machine.
        let output: String
        do throws(OutputName.Failure) {
            output = try OutputName.normalized(
                String(decoding: path.utf8.drop { $0 == UInt8(ascii: "/") }, as: UTF8.self))
        } catch {
            throw QueueFailure("the file name in the queue \(error.message)")
        }
        let entry = ManifestEntry(url: stored.fileURL, output: output)
        if let problem = directory.prepare(for: [entry]).first { throw QueueFailure(problem) }
        return DownloadDestination(fileURL: directory.url(of: entry), sha256: stored.sha256)
    }
}

/// Why something of a queue cannot be had.
struct QueueFailure: LocalizedError {
    let message: String

    init(_ message: String) {
        self.message = message
    }

    var errorDescription: String? { message }
}
