// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What a subject wants of a cache, and whether it got that.
final class CachedSubject {
    let cache: ResponseCache
    private let kind: CachedResources.Kind
    private let url: String
    private let isWriter: Bool
    private let policy: URLRequest.CachePolicy
    private let onlyIfCached: Bool
    private let selecting: String
    private let scheduler: Scheduler
    private let resources: CachedResources
    private let writes: Writes
    /// When it began.
    private var begun: (step: Int, time: Double)?

    /// The writes to resources that ended, in all.
    final class Writes {
        fileprivate var ended: [String: [(step: Int, version: Int)]] = [:]
        /// URLs that somebody was reading during a write, who may store later what he got before.
        var disturbed: Set<String> = []
    }

    init(
        kind: CachedResources.Kind, url: String, isWriter: Bool, cache: ResponseCache, scheduler: Scheduler,
        resources: CachedResources, writes: Writes
    ) {
        self.kind = kind
        self.url = url
        self.isWriter = isWriter
        self.cache = cache
        self.scheduler = scheduler
        self.resources = resources
        self.writes = writes
        let policies: [URLRequest.CachePolicy] = [
            .useProtocolCachePolicy, .useProtocolCachePolicy, .useProtocolCachePolicy, .returnCacheDataElseLoad,
            .returnCacheDataDontLoad, .reloadRevalidatingCacheData, .reloadIgnoringLocalCacheData,
        ]
        policy = isWriter ? .useProtocolCachePolicy : policies[scheduler.random.below(policies.count)]
        onlyIfCached = !isWriter && scheduler.random.chance(10)
        selecting = ["a", "b"][scheduler.random.below(2)]
    }

    var listing: String { " policy(\(policy.rawValue)\(onlyIfCached ? ", only-if-cached" : "")) kind \(selecting)" }

    func reads(_ url: String) -> Bool { !isWriter && url == self.url }

    func apply(to request: inout URLRequest) {
        request.cachePolicy = policy
        request.setValue(selecting, forHTTPHeaderField: CachedResources.selectingField)
        if onlyIfCached { request.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control") }
    }

    var hasBegun: Bool { begun != nil }

    func didBegin() {
        if begun == nil { begun = (scheduler.steps, scheduler.now) }
    }

    func didFinish(error: (any Error)?) {
        guard isWriter, error == nil else { return }
        writes.ended[url, default: []].append((scheduler.steps, resources.written(url)))
    }

    private var mustNotAsk: Bool {
        policy == .returnCacheDataDontLoad
            || onlyIfCached && policy != .reloadIgnoringLocalCacheData
    }

    /// What is wrong with a response.
    func problem(with operation: HTTPRequestOperation, content: Data) -> String? {
        let name = operation.name ?? ""
        if isWriter { return nil }
        if mustNotAsk, resources.askers.contains(name) { return "\(name) asked the server, and must not" }
        guard operation.error == nil, let begun else { return nil }
        guard let tag = operation.response?.value(forHTTPHeaderField: "ETag"),
            let version = Int(tag.drop { !$0.isNumber }.prefix { $0.isNumber })
        else { return "\(name) succeeded without a validator" }
        if content != Data(CachedResources.content(of: url, tag: tag)) {
            return "\(name) has \(content.count) bytes that are not \(tag)'s"
        }
        guard let told = resources.told(tag, of: url) else { return "\(name) has \(tag), which nobody sent" }
        if kind == .varied, !tag.hasSuffix(selecting + "\"") {
            return "\(name) has \(tag), and is of kind \(selecting)"
        }
        let isUnlimited = policy == .returnCacheDataElseLoad || policy == .returnCacheDataDontLoad
        let allowance = policy == .reloadIgnoringLocalCacheData ? 0 : kind.allowance
        if !isUnlimited, told + allowance < begun.time {
            return "\(name) has \(tag), told of at \(told) s, and began at \(begun.time) s"
        }
        if !writes.disturbed.contains(url),
            let write = writes.ended[url]?.last(where: { $0.step < begun.step }), version < write.version
        {
            return "\(name) has \(tag), and began after version \(write.version) had been written"
        }
        return nil
    }
}
