// SPDX-License-Identifier: MIT
package import Foundation
package import OperationNetworking
internal import OperationNetworkingDurable

/// How downloads are made.
package struct DownloadOptions: Sendable {
    /// What `split` may be.
    package static let splits: ClosedRange<Int64> = 1...64

    /// Requests at once.
    package var jobs = 8
    /// Requests at once to one host; 0: as many as `jobs`.
    package var jobsPerHost = 4
    /// Whether the rest of a group is cancelled when one of it fails.
    package var cancelsGroupOnFailure = false
    /// Seconds without a byte after which a request fails.
    package var timeout: TimeInterval = 60
    /// Attempts in all for a request; 0: any number.
    package var maximumTries = 5
    /// Seconds before the second attempt, at most; twice as many before each further one.
    package var retryWait: TimeInterval = 1
    /// Ranges of one file at once; nil: one for each of its places.
    package var split: Int?
    /// Bytes that a range has at least.
    package var minimumSplitSize: Int64 = 20 << 20
    /// Bytes a second altogether; 0: any number.
    package var rateLimit: Int64 = 0
    /// Bytes a second from one host; 0: any number.
    package var rateLimitPerHost: Int64 = 0
    /// Sent with every request.
    package var headers: [HeaderField] = []
    /// Roots that are trusted beside the system's, as DER.
    package var anchorCertificates: Set<Data> = []
    /// What requests go through; nil: no proxy.
    package var proxies: ProxyConfiguration?
    /// Whether files that are there already are downloaded again.
    package var replacesExisting = false

    package init() {}

    /// What counts for one entry: its own settings, else these.
    func settings(of entry: ManifestEntry) -> DownloadPlan.Settings {
        let own = entry.settings
        let tries = own.maximumTries ?? maximumTries
        return DownloadPlan.Settings(
            split: own.split ?? split ?? entry.sources.count,
            minimumSplitSize: own.minimumSplitSize ?? minimumSplitSize,
            maximumTries: tries == 0 ? .max : tries, size: entry.size, hasChecksum: entry.checksum != nil)
    }

    /// When a request is sent again.
    func retryPolicy(of entry: ManifestEntry) -> RetryPolicy {
        let tries = entry.settings.maximumTries ?? maximumTries
        let wait = entry.settings.retryWait ?? retryWait
        return RetryPolicy(
            maximumAttempts: tries == 0 ? .max : tries,
            backoff: .exponential(initial: wait, factor: 2, maximum: max(wait, Self.longestWait)))
    }

    /// When a request of a queue is sent again. A queue is patient: it waits for a `Retry-After` of up to an hour.
    func durableRetryPolicy(of entry: ManifestEntry) -> DurableRetryPolicy {
        let tries = entry.settings.maximumTries ?? maximumTries
        let wait = entry.settings.retryWait ?? retryWait
        return DurableRetryPolicy(
            maximumAttempts: tries == 0 ? .max : tries, initialDelay: wait, maximumDelay: max(wait, Self.longestWait))
    }

    /// What makes the operations of a run.
    func makeManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.timeoutInterval = timeout
        // Like a downloader, not like a browser: nothing is kept from one run to the next.
        manager.requestSerializer.httpShouldHandleCookies = false
        manager.urlCache = nil
        // A file is kept as it is: its length is known then, and its rest can be asked for.
        manager.requestSerializer.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for field in headers {
            manager.requestSerializer.setValue(field.value, forHTTPHeaderField: field.name)
        }
        manager.proxyConfiguration = proxies
        if !anchorCertificates.isEmpty { manager.securityPolicy.anchorCertificates = anchorCertificates }
        return manager
    }

    /// The queue's limits are the ones that count: an operation that it started is not to wait once more.
    func limitConnections() {
        NetworkEngine.maximumConnectionsPerHost = jobsPerHost > 0 ? min(jobs, jobsPerHost) : jobs
    }

    /// Seconds to which waits grow, and the longest `Retry-After` that is waited for.
    private static let longestWait: TimeInterval = 120
}
