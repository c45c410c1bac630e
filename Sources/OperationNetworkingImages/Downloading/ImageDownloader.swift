// SPDX-License-Identifier: MIT
public import Dispatch
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
public import OperationNetworking

/// Downloads images, each of them once however many ask for it. AF 3: `AFImageDownloader`.
///
/// A request that is equal to one under way (URL, method, cache policy, header fields, body, and size of the thumbnail)
/// joins it: there is one transfer, and each caller has its own blocks and receipt. The transfer is cancelled with the
/// last of them. Images that are in ``imageCache`` are not asked for again. In tests a request joins only those that
/// the same stubs answer.
///
/// ```swift
/// let receipt = ImageDownloader.default().downloadImage(
///     for: URLRequest(url: url),
///     success: { _, _, image in print(image.width, image.height) })
/// ```
///
/// Safe to be used from any thread. A downloader stays until its requests have ended.
// Sendable because all mutable state is behind `state`.
open class ImageDownloader: @unchecked Sendable {
    /// A block that is called with the caller's own request, the response and the image. The response is `nil` when the
    /// image was in the memory cache.
    public typealias Success = @Sendable (URLRequest, HTTPURLResponse?, Image) -> Void
    /// Called with the caller's own request, the response if there was one, and the error. −999 after a cancel.
    public typealias Failure = @Sendable (URLRequest, HTTPURLResponse?, any Error) -> Void

    /// The properties by which two requests are one download.
    struct Key: Hashable, Sendable {
        let request: URLRequest
        let thumbnailSize: Int?
        /// The runtime of the surroundings in which the image was first asked for: a test's stubs. The transfer may begin in
        /// others.
        var runtime: (any OperationRuntime)?

        static func == (left: Key, right: Key) -> Bool {
            // What another test's stubs answer, or a server, is another image.
            guard left.runtime?.identity == right.runtime?.identity else { return false }
            return (left.request.url?.absoluteString).hasOctets(of: right.request.url?.absoluteString)
                && left.request.httpMethod.hasOctets(of: right.request.httpMethod)
                && left.request.cachePolicy == right.request.cachePolicy
                && (left.request.allHTTPHeaderFields ?? [:]).hasOctets(of: right.request.allHTTPHeaderFields ?? [:])
                && left.request.httpBody == right.request.httpBody
                // It cannot be known whether two streams give the same.
                && left.request.httpBodyStream === right.request.httpBodyStream
                && left.thumbnailSize == right.thumbnailSize
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(octetsOf: request.url?.absoluteString)
            hasher.combine(octetsOf: request.httpMethod)
            hasher.combine(request.httpBodyStream.map { ObjectIdentifier($0) })
            hasher.combine(thumbnailSize)
            hasher.combine(runtime?.identity)
        }
    }

    /// A caller that waits for an image.
    struct Caller: Sendable {
        let request: URLRequest
        /// The one on the caller's receipt.
        let receiptID: UUID
        /// Nil: on the thread that knows.
        let queue: DispatchQueue?
        let success: Success?
        let failure: Failure?

        func tell(_ result: Result<ImageTransferResult, any Error>) {
            let work: @Sendable () -> Void = { [self] in
                switch result {
                case .success(let result):
                    success?(request, result.response, result.image)
                case .failure(let error):
                    let response = (error as? ResponseSerializationError)?.response as? HTTPURLResponse
                    failure?(request, response, error)
                }
            }
            guard let queue else { return work() }
            queue.async(execute: work)
        }
    }

    struct State {
        var machine: ImageDownloadMachine<Key>
        var callers: [ImageDownloadMachine<Key>.Ticket: Caller] = [:]
        var transfers: [ImageDownloadMachine<Key>.Download: any ImageTransfer] = [:]
        var completionQueue: DispatchQueue?

        init(_ prioritization: ImageDownloadPrioritization, _ maximumActiveDownloads: Int) {
            machine = ImageDownloadMachine(
                prioritization: prioritization, maximumActiveDownloads: maximumActiveDownloads)
        }
    }

    /// The cache that images are looked for in first, and put into. Nil: nowhere. AF: `imageCache`.
    public let imageCache: (any ImageRequestCache)?
    /// Set in initializers only.
    private var transport: any ImageTransport
    let state: Locked<State>

    /// Makes a downloader that uses the tasks of a session manager. It takes over session, settings, and the serializer
    /// if that is an ``ImageResponseSerializer``. AF:
    /// `initWithSessionManager:downloadPrioritization:maximumActiveDownloads:imageCache:`.
    ///
    /// - Parameters:
    ///   - sessionManager: what makes the requests. By default one with ``defaultURLCache()``.
    ///   - downloadPrioritization: in what order those begin that have to wait; `.fifo` by default.
    ///   - maximumActiveDownloads: how many transfers there are at a time, also while some are being cancelled; 4 by
    ///     default, 1 at least.
    ///   - imageCache: where images are looked for first, and put; an ``AutoPurgingImageCache`` by default.
    public init(
        sessionManager: HTTPSessionManager = ImageDownloader.makeSessionManager(),
        downloadPrioritization: ImageDownloadPrioritization = .fifo, maximumActiveDownloads: Int = 4,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        transport = SessionImageTransport(manager: sessionManager)
        self.imageCache = imageCache
        state = Locked(State(downloadPrioritization, maximumActiveDownloads))
    }

    /// A session manager with ``defaultURLCache()`` and an ``ImageResponseSerializer``.
    public static func makeSessionManager() -> HTTPSessionManager {
        let manager = HTTPSessionManager(baseURL: nil, sessionConfiguration: defaultURLSessionConfiguration())
        manager.responseSerializer = ImageResponseSerializer()
        return manager
    }

    /// A session configuration with ``defaultURLCache()``. AF: `defaultURLSessionConfiguration`.
    public static func defaultURLSessionConfiguration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = defaultURLCache()
        return configuration
    }

    /// The session manager whose tasks the downloader uses. `nil` when it uses operations. AF: `sessionManager`.
    public var sessionManager: HTTPSessionManager? { (transport as? SessionImageTransport)?.manager }

    /// An `OperationURLCache` with 20 MiB in memory and 150 MiB on disk, in a folder of the user's caches. One for the
    /// process. AF: `defaultURLCache`.
    public static func defaultURLCache() -> URLCache { sharedURLCache }

    private static let sharedURLCache: URLCache = {
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        let folder = caches?.appendingPathComponent("OperationNetworking.images").path
        return OperationURLCache(
            memoryCapacity: 20 << 20, diskCapacity: folder == nil ? 0 : 150 << 20, diskPath: folder)
    }()

    /// Makes a downloader that uses the operations of a manager. It takes over queue, settings, and the serializer if
    /// that is an ``ImageResponseSerializer``. Other parameters are as with a session manager.
    ///
    /// - Parameters:
    ///   - manager: what makes the requests.
    ///   - downloadPrioritization: in what order those begin that have to wait; `.fifo` by default.
    ///   - maximumActiveDownloads: how many transfers there are at a time, also while some are being cancelled; 4 by
    ///     default, 1 at least.
    ///   - imageCache: where images are looked for first, and put; an ``AutoPurgingImageCache`` by default.
    public init(
        manager: HTTPRequestOperationManager,
        downloadPrioritization: ImageDownloadPrioritization = .fifo, maximumActiveDownloads: Int = 4,
        imageCache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) {
        transport = OperationImageTransport(manager: manager)
        self.imageCache = imageCache
        state = Locked(State(downloadPrioritization, maximumActiveDownloads))
    }

    /// A downloader with another transport. Not designated: a designated initializer that is not public would keep
    /// other modules from subclassing the class.
    convenience init(
        transport: any ImageTransport, downloadPrioritization: ImageDownloadPrioritization,
        maximumActiveDownloads: Int, imageCache: (any ImageRequestCache)?
    ) {
        self.init(
            manager: HTTPRequestOperationManager(), downloadPrioritization: downloadPrioritization,
            maximumActiveDownloads: maximumActiveDownloads, imageCache: imageCache)
        self.transport = transport
    }

    private static let shared = ImageDownloader()

    /// The downloader of the process. AF: `defaultInstance`.
    public static func `default`() -> ImageDownloader { shared }

    /// The order in which those downloads begin that have to wait, for requests from now on. AF:
    /// `downloadPrioritization`.
    public var downloadPrioritization: ImageDownloadPrioritization {
        get { state.withLock { $0.machine.prioritization } }
        set { state.withLock { $0.machine.prioritization = newValue } }
    }

    /// The number of transfers that there are at a time.
    public var maximumActiveDownloads: Int { state.withLock { $0.machine.maximumActiveDownloads } }

    /// The queue for the blocks of requests from now on. Nil by default: the main queue, which the program must run.
    public var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set { state.withLock { $0.completionQueue = newValue } }
    }

    /// Downloads an image, or finds it in ``imageCache``.
    ///
    /// - Parameters:
    ///   - request: what to ask for. The cache is looked at for a GET whose policy is `useProtocolCachePolicy`,
    ///     `returnCacheDataElseLoad` or `returnCacheDataDontLoad`; with the last, what is not there is an error
    ///     (−1008).
    ///   - receiptID: an identifier for the receipt; a new one by default.
    ///   - thumbnailSize: pixels that the longer side is to have at most; nil by default: as large as it is. Each size
    ///     is a separate download, and a separate entry of the cache.
    ///   - success: called on ``completionQueue``, or the main queue, with request, response and image.
    ///   - failure: likewise, with the error.
    /// - Returns: what cancels this request; nil when there is nothing to cancel: the image was in the cache, or the
    ///   request cannot be made.
    ///
    /// AF: `downloadImageForURLRequest:withReceiptID:success:failure:`.
    @preconcurrency @discardableResult
    open func downloadImage(
        for request: URLRequest, receiptID: UUID = UUID(), thumbnailSize: Int? = nil, success: Success? = nil,
        failure: Failure? = nil
    ) -> ImageDownloadReceipt? {
        let caller = Caller(
            request: request, receiptID: receiptID, queue: state.withLock { $0.completionQueue } ?? .images,
            success: success, failure: failure)
        return download(for: caller, thumbnailSize: thumbnailSize)
    }

    /// Cancels one request. Its failure block is called with −999. Others for the same image go on. Has no effect when
    /// the request has ended, or was another downloader's. AF: `cancelTaskForImageDownloadReceipt:`.
    open func cancelTask(for receipt: ImageDownloadReceipt) {
        let (caller, transfer) = state.withLock { state -> (Caller?, (any ImageTransfer)?) in
            // Tickets alone are the same in every downloader.
            guard state.callers[receipt.ticket]?.receiptID == receipt.receiptID else { return (nil, nil) }
            switch state.machine.cancel(receipt.ticket) {
            case .stale: return (nil, nil)
            case .cancelled: return (state.callers.removeValue(forKey: receipt.ticket), nil)
            case .cancelledLast(let download):
                return (state.callers.removeValue(forKey: receipt.ticket), state.transfers[download])
            }
        }
        transfer?.cancel()
        caller?.tell(.failure(Self.cancelled(caller?.request.url)))
    }

    func download(for caller: Caller, thumbnailSize: Int?) -> ImageDownloadReceipt? {
        let request = caller.request
        guard let url = request.url else {
            caller.tell(.failure(URLError(.badURL, url: nil, reason: "the image request has no URL")))
            return nil
        }
        if let image = cachedImage(for: request, thumbnailSize: thumbnailSize) {
            caller.tell(.success(ImageTransferResult(image: image, response: nil)))
            return nil
        }
        guard request.cachePolicy != .returnCacheDataDontLoad || transport.hasCache else {
            caller.tell(
                .failure(
                    URLError(
                        .resourceUnavailable, url: url,
                        reason: "the image is in no cache, and the request may not be sent",
                        advice: "use another cachePolicy")))
            return nil
        }
        let runtime = InstalledRuntimes.mayExist ? InstalledRuntimes.ambient : nil
        let key = Key(request: request, thumbnailSize: thumbnailSize, runtime: runtime)
        let (ticket, start) = state.withLock { state in
            let (ticket, start) = state.machine.request(key)
            state.callers[ticket] = caller
            return (ticket, start)
        }
        if let start { begin(start) }
        return ImageDownloadReceipt(receiptID: caller.receiptID, ticket: ticket)
    }

    /// Begins a transfer that the machine has given room to. One that no caller wants any more is begun, too, and
    /// cancelled, so that its end takes the same way.
    private func begin(_ download: ImageDownloadMachine<Key>.Download) {
        guard let key = state.withLock({ $0.machine.key(of: download) }) else { return }
        let transfer =
            InstalledRuntimes.mayExist
            ? InstalledRuntimes.with(key.runtime) { makeTransfer(download, key) } : makeTransfer(download, key)
        let isWanted = state.withLock { state in
            state.transfers[download] = transfer
            return state.machine.isWanted(download)
        }
        if !isWanted { transfer.cancel() }
        transfer.start()
    }

    private func makeTransfer(_ download: ImageDownloadMachine<Key>.Download, _ key: Key) -> any ImageTransfer {
        transport.makeTransfer(for: key.request, thumbnailSize: key.thumbnailSize) { [self] result in
            end(download, key, result)
        }
    }

    private func end(
        _ download: ImageDownloadMachine<Key>.Download, _ key: Key, _ result: Result<ImageTransferResult, any Error>
    ) {
        if case .success(let result) = result { cache(result.image, for: key) }
        let (callers, start, transfer) = state.withLock { state in
            let (tickets, start) = state.machine.finished(download)
            let callers = tickets.compactMap { state.callers.removeValue(forKey: $0) }
            return (callers, start, state.transfers.removeValue(forKey: download))
        }
        withExtendedLifetime(transfer) {}
        for next in start { begin(next) }
        for caller in callers { caller.tell(result) }
    }

    private static func cancelled(_ url: URL?) -> URLError {
        URLError(.cancelled, url: url, reason: "the image request was cancelled")
    }
}

extension DispatchQueue {
    /// The main queue, as one object: on Linux `DispatchQueue.main` makes another each time.
    static let images = DispatchQueue.main
}
