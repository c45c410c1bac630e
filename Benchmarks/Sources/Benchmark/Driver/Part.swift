// SPDX-License-Identifier: MIT

/// The parts of the benchmark, in the order they run; the names are what `only=` takes.
enum Part: String, CaseIterable {
    case http
    case faces
    case cache
    case http2
    case latency
    case tls
    case http2tls = "http2-tls"
    case scale
    case memory
    case download
    case streaming
    case upload
    case serialize
    case images

    func measure(with driver: Driver) throws -> Section {
        switch self {
        case .http: try driver.measureHTTP()
        case .faces: try driver.measureFaces()
        case .cache: try driver.measureCache()
        case .http2: try driver.measureHTTP2()
        case .latency: try driver.measureLatency()
        case .tls: try driver.measureTLS()
        case .http2tls: try driver.measureHTTP2TLS()
        case .scale: try driver.measureScale()
        case .memory: try driver.measureMemory()
        case .download: try driver.measureDownload()
        case .streaming: try driver.measureStreaming()
        case .upload: try driver.measureUpload()
        case .serialize: try driver.measureSerialization()
        case .images: try driver.measureImages()
        }
    }
}
