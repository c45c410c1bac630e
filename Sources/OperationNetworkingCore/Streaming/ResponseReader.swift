// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// The access of a sequence to an operation's response: while one of these exists, content is kept for it.
final class ResponseStreamAccess: Sendable {
    let operation: URLConnectionOperation
    let stream: ResponseStream

    init(_ operation: URLConnectionOperation) {
        self.operation = operation
        stream = operation.responseStream()
    }

    deinit { stream.removeReader() }
}

/// The reader of an operation's response: what the iterators have in common. When it goes away before the end, the
/// operation is cancelled.
///
/// Used by one task at a time.
final class ResponseReader {
    private enum Phase { case fresh, reading, over }

    private let access: ResponseStreamAccess
    private var phase = Phase.fresh
    private var operation: URLConnectionOperation { access.operation }
    private var stream: ResponseStream { access.stream }

    init(_ access: ResponseStreamAccess) {
        self.access = access
    }

    deinit {
        if phase == .reading { operation.cancel() }
    }

    /// The response's next bytes; nil at its end, once the operation has finished.
    ///
    /// - Throws: the operation's error, `ResponseStreamError`, or `OperationDependencyError`.
    func next() async throws -> Data? {
        try begin()
        while phase == .reading {
            if Task.isCancelled { operation.cancel() }
            if operation.isCancelled {
                try await end(readingRest: false)
                break
            }
            switch stream.read() {
            case .content(let data): return data
            case .wait: await suspend()
            case .end: return try await end(readingRest: true)
            }
        }
        return nil
    }

    /// Reads no more: the operation is cancelled, unless it has ended.
    func stop() {
        guard phase == .reading else { return }
        phase = .over
        operation.cancel()
    }

    private func begin() throws {
        guard phase == .fresh else { return }
        phase = .over
        guard !operation.hasPlaceForContent else { throw ResponseStreamError.contentGoesElsewhere }
        // Nothing is begun when an upstream can never end.
        let chain = try operation.unclaimedChain()
        guard stream.claim() else { throw ResponseStreamError.alreadyRead }
        phase = .reading
        URLConnectionOperation.start(chain)
    }

    /// Waits for something to read. Cancelling the task cancels the operation, whose end is something.
    private func suspend() async {
        let (operation, stream) = (operation, stream)
        let runtime = operation.runtime
        await withCancellation(on: runtime) {
            await withCheckedContinuation { continuation in
                if !stream.wait({ continuation.resumeUnlocked(on: runtime) }) { continuation.resume() }
            }
        } by: {
            operation.cancel()
        }
    }

    /// Waits for the operation's end, if it has not come, and throws its error.
    @discardableResult
    private func end(readingRest: Bool) async throws -> Data? {
        let operation = operation
        await operation.waitUntilEnded()
        phase = .over
        if let error = operation.error { throw error }
        guard readingRest else { return nil }
        if stream.isOpen {
            // A response that might have been followed by another attempt was kept from the stream until now.
            guard let data = operation.responseData else { return nil }
            guard stream.forgetUnread() else { throw URLError.lost(at: operation.request.url) }
            return data.isEmpty ? nil : data
        }
        // The operation had received its content before a stream was asked for.
        guard !operation.hasPlaceForContent else { throw ResponseStreamError.contentGoesElsewhere }
        guard let data = operation.responseData, !data.isEmpty else { return nil }
        return data
    }
}
