// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import OperationNetworkingImages

/// Many images from one server, `active=` at a time, through an `ImageDownloader`, or as plain transfers with `raw=true`.
enum ImageDownloads {
    static func run(_ options: Options) throws -> Figures {
        let text = try options.string("url")
        let count = try options.count("images")
        let active = try options.count("active")
        let requests = (0..<count).compactMap { URL(string: "\(text)?\($0)") }.map { URLRequest(url: $0) }
        NetworkEngine.maximumConnectionsPerHost = active
        let manager = HTTPRequestOperationManager()
        manager.urlCache = nil
        manager.completionQueue = DispatchQueue(label: "benchmark.completion")
        manager.operationQueue.maxConcurrentOperationCount = active
        let downloader = ImageDownloader(manager: manager, maximumActiveDownloads: active)
        downloader.completionQueue = manager.completionQueue
        manager.responseSerializer = HTTPResponseSerializer()
        let countdown = Countdown(count)
        let cpu = ProcessUsage.cpuSeconds
        let start = monotonicSeconds()
        for request in requests {
            if options.flag("raw") {
                let operation = manager.httpRequestOperation(
                    with: request, success: { _, _ in countdown.count() }, failure: { fatal($1) })
                manager.enqueue(operation)
            } else {
                downloader.downloadImage(
                    for: request, success: { _, _, _ in countdown.count() }, failure: { _, _, error in fatal(error) })
            }
        }
        guard countdown.wait(seconds: 120) else { throw BenchmarkError("no end after 120 s") }
        return ["seconds": monotonicSeconds() - start, "cpuSeconds": ProcessUsage.cpuSeconds - cpu]
    }

    /// Ends the measurement, which is worth nothing.
    private static func fatal(_ error: any Error) {
        FileHandle.standardError.write(Data("benchmark: \(error)\n".utf8))
        exit(1)
    }
}

/// The serializer's time for one image, without a network.
enum ImageDecoding {
    static func run(_ options: Options) throws -> Figures {
        let data = try Data(contentsOf: URL(fileURLWithPath: try options.string("file")))
        let count = try options.count("images")
        let serializer = ImageResponseSerializer()
        guard let url = URL(string: "http://localhost/"),
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "image/png"])
        else { throw BenchmarkError("no response") }
        _ = try serializer.responseObject(for: response, data: data)
        let start = monotonicSeconds()
        for _ in 0..<count { _ = try serializer.responseObject(for: response, data: data) }
        return ["seconds": (monotonicSeconds() - start) / Double(count)]
    }
}

/// Look-ups in a full cache, by eight threads at a time.
enum ImageCacheHits {
    static func run(_ options: Options) throws -> Figures {
        let threads = 8
        let count = try options.count("hits")
        let cache = AutoPurgingImageCache()
        let image = try Image(width: 16, height: 16, pixels: Data(count: 16 * 16 * 4))
        let names = (0..<1_000).map { "image \($0)" }
        for name in names { cache.add(image, withIdentifier: name) }
        let start = monotonicSeconds()
        let found = Countdown(threads)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            let hits = (0..<count / threads).count {
                cache.image(withIdentifier: names[($0 * 7 + thread) % 1_000]) != nil
            }
            if hits == count / threads { found.count() }
        }
        guard found.wait(seconds: 0) else { throw BenchmarkError("an image was not found") }
        return ["hits": Double(count), "seconds": monotonicSeconds() - start]
    }
}
