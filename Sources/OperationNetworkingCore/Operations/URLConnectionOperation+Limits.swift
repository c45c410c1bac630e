// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

extension URLConnectionOperation {
    /// The number of bytes of decoded content that a response may have. More ends the operation with
    /// `URLError.dataLengthExceedsMaximum` (−1103).
    ///
    /// Nil by default: 268 435 456 (256 MiB) for content that is collected in memory, and any number for content that
    /// goes to `outputStream` or `downloadDestination`. Counted after decompression, and with what was received before
    /// a pause. A value below 0 counts as 0. Taken as it is when the response begins; for a download, when the
    /// operation begins.
    public var maximumResponseBodySize: Int64? {
        get { lock.withLock { _configuration.value.limits.maximumResponseBodySize } }
        set { lock.withLock { _mutableConfiguration.limits.maximumResponseBodySize = newValue.map { max(0, $0) } } }
    }

    /// The seconds without any progress after which the operation ends with `URLError.timedOut` (−1001). It is the
    /// request's `timeoutInterval`, without making a request by hand.
    ///
    /// The request's by default, which is the manager's request serializer's or else 60. Has no effect once the
    /// operation was started.
    public var timeoutInterval: TimeInterval {
        get { lock.withLock { _request.timeoutInterval } }
        set {
            lock.withLock {
                guard !_machine.hasBegun else { return }
                _request.timeoutInterval = newValue
            }
        }
    }

    /// The seconds that the operation may take in all. Then it ends with `URLError.timedOut` (−1001), whose description
    /// names what the operation was doing.
    ///
    /// Nil by default: no limit, as for a value that is not positive. The time runs from `start()`, by a queue or by
    /// hand, until the content has been received and written, over redirects, challenges, your blocks, interceptors,
    /// retries and the time before them. It stands while the operation is paused and while it waits for a connection,
    /// or a queue's slot. Parsing is not counted. ``timeoutInterval`` is another limit: the time without any progress.
    /// Has no effect once the operation was started.
    ///
    /// ```swift
    /// operation.totalTimeout = 30
    /// ```
    public var totalTimeout: TimeInterval? {
        get { lock.withLock { _configuration.value.limits.totalTimeout } }
        set { lock.withLock { _mutableConfiguration.limits.totalTimeout = newValue } }
    }
}

extension URLConnectionOperation.Configuration {
    /// The number of bytes that are collected in memory unless the user says otherwise.
    private static let usualMemoryLimit: Int64 = 256 << 20

    /// Bytes of content that may be collected in memory.
    package var memoryLimit: Int { Int(clamping: limits.maximumResponseBodySize ?? Self.usualMemoryLimit) }
}
