// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking

/// A place for one image: knows the request whose result belongs there.
///
/// | what happens                       | with the request under way          | what is shown                  |
/// |------------------------------------|-------------------------------------|--------------------------------|
/// | a request for the same URL         | goes on; both callers get a result  | –                              |
/// | another request, in the cache      | cancelled; no block is called       | the image, before the return   |
/// | another request                    | cancelled; no block is called       | the placeholder, if there is   |
/// | cancel                             | cancelled; no block is called       | –                              |
/// | the result of the current request  | over                                | the image                      |
/// | the result of an earlier request   | goes on                             | –                              |
@MainActor
final class ImageRequestSlot {
    typealias Success = @MainActor (URLRequest, HTTPURLResponse?, Image) -> Void
    typealias Failure = @MainActor (URLRequest, HTTPURLResponse?, any Error) -> Void

    private struct Active {
        let number: UInt64
        let request: URLRequest
        let downloader: ImageDownloader
        var receipt: ImageDownloadReceipt?
        var callers: [(success: Success, failure: Failure?)]
    }

    private var active: Active?
    private var lastNumber: UInt64 = 0

    nonisolated init() {}

    /// The request under way.
    var activeRequest: URLRequest? { active?.request }

    func load(
        _ request: URLRequest, from downloader: ImageDownloader, showPlaceholder: @MainActor () -> Void,
        success: @escaping Success, failure: Failure?
    ) {
        guard let url = request.url else {
            cancel()
            showPlaceholder()
            failure?(request, nil, URLError(.badURL))
            return
        }
        if active?.request.url?.absoluteString == url.absoluteString {
            active?.callers.append((success, failure))
            return
        }
        cancel()
        if let image = downloader.cachedImage(for: request, thumbnailSize: nil) {
            success(request, nil, image)
            return
        }
        showPlaceholder()
        lastNumber += 1
        let number = lastNumber
        active = Active(
            number: number, request: request, downloader: downloader, receipt: nil,
            callers: [(success, failure)])
        let caller = ImageDownloader.Caller(
            request: request, receiptID: UUID(), queue: .images,
            success: { [weak self] _, response, image in
                MainActor.assumeIsolated { self?.end(number) { $0.success(request, response, image) } }
            },
            failure: { [weak self] _, response, error in
                MainActor.assumeIsolated { self?.end(number) { $0.failure?(request, response, error) } }
            })
        active?.receipt = downloader.download(for: caller, thumbnailSize: nil)
    }

    func cancel() {
        guard let cancelled = active else { return }
        active = nil
        if let receipt = cancelled.receipt { cancelled.downloader.cancelTask(for: receipt) }
    }

    private func end(_ number: UInt64, tell: ((success: Success, failure: Failure?)) -> Void) {
        guard let ended = active, ended.number == number else { return }
        active = nil
        for caller in ended.callers { tell(caller) }
    }
}
