// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingImages

@MainActor
private final class View: ImageDisplaying, ButtonImageDisplaying {
    var shown: [String] = []
    func display(_ image: Image?) { shown.append("\(image?.width ?? 0)") }
    func display(_ image: Image?, for state: ButtonState) {
        shown.append("\(state) \(image?.width ?? 0)")
    }
    func displayBackground(_ image: Image?, for state: ButtonState) {
        shown.append("\(state) background \(image?.width ?? 0)")
    }
}

@MainActor
@Suite("Images in views", .timeLimit(.minutes(1)))
struct ImageBindingTests {
    private let transport = ScriptedTransport()
    private let downloader: ImageDownloader
    private let view = View()

    init() {
        downloader = ImageDownloader(
            transport: transport, downloadPrioritization: .fifo, maximumActiveDownloads: 10,
            imageCache: AutoPurgingImageCache())
    }

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: "http://example.com/\(path)"))
    }

    private func end(_ index: Int, width: Int) throws {
        transport.transfers[index].end(
            .success(ImageTransferResult(image: try .plain(width, 1), response: nil)))
    }

    /// Waits until what the main queue has by now has run.
    private func settle() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.images.async { continuation.resume() }
        }
    }

    @Test("The placeholder is shown, then the image; the next time the image at once")
    func placeholder() async throws {
        let binding = ImageViewBinding(view, imageDownloader: downloader)
        binding.setImage(with: try url("a"), placeholderImage: try .plain(99, 1))
        #expect(view.shown == ["99"] && binding.activeRequest?.url?.lastPathComponent == "a")
        #expect(binding.activeRequest?.value(forHTTPHeaderField: "Accept") == "image/*")
        try end(0, width: 5)
        await settle()
        #expect(view.shown == ["99", "5"] && binding.activeRequest == nil)
        binding.setImage(with: try url("a"), placeholderImage: try .plain(99, 1))
        #expect(view.shown == ["99", "5", "5"])
    }

    @Test(
        "Another request takes its place: what comes of the first is dropped, and its failure block is not called"
    )
    func stale() async throws {
        let binding = ImageViewBinding(view, imageDownloader: downloader)
        var told: [String] = []
        binding.setImage(with: URLRequest(url: try url("a")), failure: { _, _, _ in told.append("a") })
        binding.setImage(with: try url("b"))
        #expect(transport.transfers[0].isCancelled)
        try end(1, width: 7)
        await settle()
        #expect(view.shown == ["7"] && told.isEmpty)
        binding.setImage(with: URLRequest(url: try url("c")), failure: { _, _, _ in told.append("c") })
        binding.cancelImageDownloadTask()
        await settle()
        #expect(told.isEmpty && transport.transfers[2].isCancelled && binding.activeRequest == nil)
    }

    @Test("An image that was on its way when another request came is not shown")
    func late() async throws {
        let binding = ImageViewBinding(view, imageDownloader: downloader)
        binding.setImage(with: try url("a"))
        try end(0, width: 3)
        // The block is in the main queue by now.
        binding.setImage(with: try url("b"))
        try end(1, width: 4)
        await settle()
        #expect(view.shown == ["4"])
    }

    @Test("A request for the same URL joins, and all its callers are told")
    func same() async throws {
        let binding = ImageViewBinding(view, imageDownloader: downloader)
        var told: [String] = []
        let request = URLRequest(url: try url("a"))
        for name in ["1", "2"] {
            binding.setImage(
                with: request, success: { _, _, image in told.append("\(name) \(image.width)") })
        }
        binding.setImage(with: request)
        #expect(transport.transfers.count == 1)
        try end(0, width: 6)
        await settle()
        #expect(told == ["1 6", "2 6"] && view.shown == ["6"])
    }

    @Test("Failures are told; a request without URL fails at once")
    func failures() async throws {
        let binding = ImageViewBinding(view, imageDownloader: downloader)
        var codes: [Int] = []
        binding.setImage(
            with: URLRequest(url: try url("a")),
            failure: { codes.append(($2 as NSError).code + ($1 == nil ? 0 : 1)) })
        transport.transfers[0].end(.failure(URLError(.timedOut)))
        await settle()
        #expect(codes == [-1001])
        var nowhere = URLRequest(url: try url("a"))
        nowhere.url = nil
        binding.setImage(
            with: nowhere, placeholderImage: try .plain(9, 1),
            failure: { codes.append(($2 as NSError).code) })
        #expect(codes == [-1001, -1000] && view.shown == ["9"])
    }

    @Test("A view that has gone is shown nothing")
    func gone() async throws {
        var view: View? = View()
        let binding = ImageViewBinding(try #require(view), imageDownloader: downloader)
        binding.setImage(with: try url("a"))
        weak let known = view
        view = nil
        try end(0, width: 3)
        await settle()
        #expect(known == nil)
    }

    @Test("A button has a place for each state, and as many backgrounds")
    func button() async throws {
        let binding = ButtonBinding(view, imageDownloader: downloader)
        for (index, state) in ButtonState.allCases.enumerated() {
            binding.setImage(for: state, with: URLRequest(url: try url("\(index)")))
            binding.setBackgroundImage(for: state, with: URLRequest(url: try url("\(index)-background")))
        }
        #expect(transport.transfers.count == 8)
        binding.cancelImageDownloadTask(for: .highlighted)
        binding.cancelBackgroundImageDownloadTask(for: .disabled)
        #expect(transport.transfers.filter(\.isCancelled).count == 2)
        binding.setImage(for: .normal, with: URLRequest(url: try url("other")))
        for (index, transfer) in transport.transfers.enumerated() where transfer.isRunning {
            try end(index, width: index + 1)
        }
        await settle()
        #expect(
            view.shown == [
                "normal background 2", "highlighted background 4", "selected 5", "selected background 6",
                "disabled 7",
                "normal 9",
            ])
    }
}
