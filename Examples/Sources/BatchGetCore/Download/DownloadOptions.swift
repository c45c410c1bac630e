package import Foundation
package import OperationNetworking

/// How downloads are made.
package struct DownloadOptions: Sendable {
    /// Downloads at once.
    package var jobs = 8
    /// Downloads at once from one host; 0: as many as `jobs`.
    package var jobsPerHost = 4
    /// Whether the rest of a group is cancelled when one of it fails.
    package var cancelsGroupOnFailure = false
    /// Seconds without a byte after which a download fails.
    package var timeout: TimeInterval = 60
    /// Sent with every request.
    package var headers: [HeaderField] = []
    /// Roots that are trusted beside the system's, as DER.
    package var anchorCertificates: Set<Data> = []
    /// What requests go through; nil: no proxy.
    package var proxies: ProxyConfiguration?
    /// Whether files that are there already are downloaded again.
    package var replacesExisting = false

    package init() {}
}
