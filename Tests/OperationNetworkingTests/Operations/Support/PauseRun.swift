// SPDX-License-Identifier: MIT
import Foundation
import TestServer

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Downloads something with pauses at given places, and collects what can be known about it.
struct PauseRun {
    enum Place: CaseIterable, Sendable {
        case memory, stream, file
    }

    var place: Place
    /// Received bytes at which the operation is paused, one for each pause.
    var pauses: [Int]
    /// What the progress is then.
    var totals: [Int64]?
    var isInQueue = false

    struct Outcome {
        let operation: HTTPRequestOperation
        /// What the operation made of the content; nil when it failed.
        let content: Data?
        let progress: [(total: Int64, expected: Int64)]
        let requests: [RecordedRequest]

        var ranges: [String?] { requests.map { $0["Range"] } }
        var ifRanges: [String?] { requests.map { $0["If-Range"] } }
        var progressStaysBelowTotal: Bool { progress.allSatisfy { $0.expected < 0 || $0.total <= $0.expected } }
    }

    /// - Parameters:
    ///   - edit: changes the request.
    ///   - respond: the answer to the request with that number, from 0. All but the last are cut short by the run.
    func run(
        edit: (inout URLRequest) -> Void = { _ in },
        respond: @escaping @Sendable (_ request: RecordedRequest, _ index: Int) -> ScriptedResponse
    ) async throws -> Outcome {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let index = Tally()
        server.respondToOthers { respond($0, index.increment() - 1) }
        var request = URLRequest(url: server.url("/content"))
        edit(&request)
        let operation = HTTPRequestOperation(request: request)
        let blocks = DispatchQueue(label: "pause")
        operation.completionQueue = blocks
        let progress = Recorder<(total: Int64, expected: Int64)>()
        operation.setDownloadProgressBlock { _, total, expected in progress.append((total, expected)) }
        let target = directory.file("content")
        switch place {
        case .memory: break
        case .stream: operation.outputStream = OutputStream(url: target, append: false)
        case .file: operation.downloadDestination = DownloadDestination(fileURL: target)
        }
        let queue = isInQueue ? RequestOperationQueue() : nil
        if let queue { queue.addOperation(operation) } else { operation.start() }
        for (number, total) in (totals ?? pauses.map(Int64.init)).enumerated() {
            try await eventually("progress \(total) before pause \(number), is \(progress.values)") {
                progress.last?.total == total || operation.isFinished
            }
            // A stream can be continued from where it has compared what came again, which is done beside the network thread.
            try await eventually("\(total) written before pause \(number)") {
                place != .stream || operation.isCoded || operation.writtenBytes == total || operation.isFinished
            }
            operation.pause()
            progress.append((0, 0))
            operation.resume()
        }
        await operation.completed()
        // An operation without a completion block does not wait for its progress block.
        await withCheckedContinuation { continuation in blocks.async { continuation.resume() } }
        var content: Data?
        if operation.error == nil {
            content = place == .memory ? operation.responseData : FileManager.default.contents(atPath: target.path)
        }
        return Outcome(
            operation: operation, content: content, progress: progress.values, requests: server.requests)
    }
}

extension HTTPRequestOperation {
    /// Coded content is not continued, and its progress counts what came.
    fileprivate var isCoded: Bool { response?.value(forHTTPHeaderField: "Content-Encoding") != nil }

    /// What the present response's sink has handed on; nil: there is none.
    fileprivate var writtenBytes: Int64? {
        lock.withLock { _content?.sink }?.bytesDecoded
    }
}
