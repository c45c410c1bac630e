// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import OperationNetworkingCore

extension DurableRequestQueue {
    /// Adds a request. When this returns it is in the store, and survives a power cut.
    ///
    /// - Parameters:
    ///   - request: the request, without secrets and without a body stream.
    ///   - group: for cancelling and counting. Nil by default.
    ///   - upstreams: requests that have to succeed first; otherwise this one is skipped.
    ///   - others: requests that have to end first, in whatever way.
    ///   - priority: among the requests that may be sent. `.normal` by default.
    ///   - destination: the file for the response's content. Nil by default: it goes into the store.
    /// - Returns: the request's name in the store.
    /// - Throws: ``DurableRequestError`` for a request that cannot be stored; ``RequestStoreError``.
    @discardableResult
    public func add(
        _ request: URLRequest, group: String? = nil, after upstreams: [DurableRequest.ID] = [],
        inAnyCaseAfter others: [DurableRequest.ID] = [], priority: Operation.QueuePriority = .normal,
        destination: URL? = nil
    ) async throws -> DurableRequest.ID {
        var new = DurableRequest(request)
        new.group = group
        new.dependencies =
            upstreams.map { .init($0, .ifSucceeded) } + others.map { .init($0, .inAnyCase) }
        new.priority = priority
        new.destination = destination.map { DownloadDestination(fileURL: $0) }
        try await add([new])
        return new.id
    }

    /// Adds requests in one transaction, all or none. Those whose ID is in the store already are left as they are, so
    /// that an addition may be repeated.
    ///
    /// - Returns: the number of requests that were not there yet.
    /// - Throws: ``DurableRequestError`` for a request that cannot be stored; ``RequestStoreError``, also for
    ///   dependencies that are in a cycle or not in the store.
    @discardableResult
    public func add(_ requests: [DurableRequest]) async throws -> Int {
        let losses = configuration.maximumLosses
        return try await store.add(requests.map { try RequestContent.stored($0, maximumLosses: losses) })
    }

    // MARK: Results

    /// The result of a request. Nil: it is not in the store, or no longer.
    ///
    /// One that is still open has the result of its last attempt that failed, if there was one.
    public func result(of id: DurableRequest.ID) async throws -> DurableRequestResult? {
        try await store.record(of: id).map(DurableRequestResult.init)
    }

    /// The content of a request's response, if it is in the store.
    public func content(of id: DurableRequest.ID) async throws -> Data? { try await store.content(of: id) }

    /// A page of requests with their results, in the order of their addition.
    ///
    /// - Parameters:
    ///   - group: nil: those of all groups, and of none.
    ///   - previous: the last one of the page before. Nil, the default: the first page.
    ///   - limit: the largest number. 1000 by default.
    public func requests(
        inGroup group: String?, after previous: DurableRequest.ID? = nil, limit: Int = 1000
    ) async throws -> [DurableRequestResult] {
        try await store.records(inGroup: group, after: previous, limit: limit).map(DurableRequestResult.init)
    }

    /// The numbers of requests in each state.
    ///
    /// - Parameter group: nil, the default: those of all groups, and of none.
    public func counts(inGroup group: String? = nil) async throws -> RequestCounts {
        try await store.counts(inGroup: group)
    }
}

extension DurableRequestResult {
    /// The result that a store has.
    init(_ record: RequestRecord) throws {
        let summary = try record.summary.map { data in
            do { return try JSONDecoder().decode(ResultSummary.self, from: data) } catch {
                throw DurableRequestError(
                    .unreadable, "the stored result cannot be read: it is damaged, or of a later version",
                    advice: "use the version of the library that recorded it")
            }
        }
        self.init(
            id: record.id, group: record.group, state: record.state, failures: record.failures,
            statusCode: summary?.status, fields: summary?.fields ?? [:], url: summary?.url,
            content: summary?.content ?? .none, failure: record.reason.map { Failure($0) } ?? summary?.failure,
            context: try RequestContent.decode(record.content).context)
    }
}

extension DurableRequestResult.Failure {
    /// An error as it is stored: one line.
    init(_ error: any Error) {
        let object = error as NSError
        self.init(domain: object.domain, code: object.code, description: error.localizedDescription)
    }

    init(_ reason: StoreEndReason) {
        self.init(
            domain: "OperationNetworking.StoreEndReason", code: reason.rawValue,
            description: reason == .deadline
                ? "the deadline was over before the request succeeded; give it more time, or more workers"
                : "the workers that sent the request were lost too often: killed, or cut off from the store; "
                    + "look at what the response does to them")
    }
}
