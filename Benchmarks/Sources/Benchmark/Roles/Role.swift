// SPDX-License-Identifier: MIT

/// A measurement that has a process to itself.
enum Role: String {
    case httpLibrary = "http-library"
    case httpURLSession = "http-urlsession"
    case httpAsyncHTTPClient = "http-asynchttpclient"
    case scaleLibrary = "scale-library"
    case scaleFoundation = "scale-foundation"
    case cancel
    case queuedMemory = "queued-memory"
    case soak
    case download
    case streaming
    case upload
    case serialize
    case images
    case imageDecoding = "image-decoding"
    case imageCache = "image-cache"

    func run(_ options: Options) throws -> Figures {
        switch self {
        case .httpLibrary: try LibraryLoad.run(options)
        case .httpURLSession: try URLSessionLoad.run(options)
        case .httpAsyncHTTPClient: try AsyncHTTPClientLoad.run(options)
        case .scaleLibrary: try Scale.runLibrary(options)
        case .scaleFoundation: try Scale.runFoundation(options)
        case .cancel: try Cancellation.run(options)
        case .queuedMemory: try QueuedMemory.run(options)
        case .soak: try Soak.run(options)
        case .download: try Download.run(options)
        case .streaming: try Streaming.run(options)
        case .upload: try Upload.run(options)
        case .serialize: try Serialization.run(options)
        case .images: try ImageDownloads.run(options)
        case .imageDecoding: try ImageDecoding.run(options)
        case .imageCache: try ImageCacheHits.run(options)
        }
    }
}
