// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

/// Loads `file:` and `data:` URLs (RFC 8089, RFC 2397).
// Sendable because `state` is behind a lock, and the URL is immutable.
final class SessionLocalLoader: SessionTaskLoader {
    private let url: URL
    private let isStopped = Locked(false)
    /// Bytes of one piece of a file.
    private static let pieceLength = 1 << 18
    /// Pieces that are in memory for a delegate that has not taken them.
    private static let burst = 16

    /// Nil for other URLs.
    init?(_ url: URL) {
        // As bytes: Foundation takes the URL apart for its scheme.
        let beginning = url.absoluteString.utf8.prefix(5)
        guard beginning.equalsIgnoringCase("file:") || beginning.equalsIgnoringCase("data:") else { return nil }
        self.url = url
    }

    func begin(_ task: SessionTask) {
        Runtime.current.onBlockThread { [self] in
            if url.isFileURL { loadFile(task) } else { loadData(task) }
        }
    }

    // What is here takes no time to speak of.
    func pause() {}
    func proceed() {}
    func stop() { isStopped.withLock { $0 = true } }

    private func loadData(_ task: SessionTask) {
        guard let content = DataURL(url.absoluteString) else {
            return task.finishLoading(URLError(.badURL, url: url, reason: "the data URL cannot be read"))
        }
        let response = URLResponse(
            url: url, mimeType: content.mediaType, expectedContentLength: content.data.count,
            textEncodingName: content.charset)
        task.receive(response) { [self] in
            guard !isStopped.withLock({ $0 }) else { return }
            if !content.data.isEmpty { task.receive(content.data) }
            task.finishLoading(nil)
        }
    }

    private func loadFile(_ task: SessionTask) {
        let path = url.path
        // Of what a link leads to: Foundation looks at the link itself.
        let target = url.resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: target) else {
            return task.finishLoading(URLError(.fileDoesNotExist, url: url, reason: "there is no file \(path)"))
        }
        guard attributes[.type] as? FileAttributeType != .typeDirectory else {
            return task.finishLoading(URLError(.fileIsDirectory, url: url, reason: "\(path) is a folder"))
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let file = try? FileHandle(forReadingFrom: url)
        else {
            return task.finishLoading(
                URLError(.noPermissionsToReadFile, url: url, reason: "the file \(path) cannot be read"))
        }
        let length = (attributes[.size] as? NSNumber)?.intValue ?? -1
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: length, textEncodingName: nil)
        task.receive(response) { [self] in
            Runtime.current.onBlockThread { [self] in read(file, task) }
        }
    }

    private func read(_ file: FileHandle, _ task: SessionTask) {
        do {
            for _ in 0..<Self.burst {
                // What was read so far is not the file: the cancellation is the end.
                guard !isStopped.withLock({ $0 }) else { return close(file) }
                guard let piece = try file.read(upToCount: Self.pieceLength), !piece.isEmpty else {
                    task.finishLoading(nil)
                    return close(file)
                }
                task.receive(piece)
            }
            // After these.
            task.client.perform(for: task) { [self] in
                Runtime.current.onBlockThread { [self] in read(file, task) }
            }
        } catch {
            task.finishLoading(
                URLError(.cannotOpenFile, url: url, reason: "the file \(url.path) cannot be read", underlying: error))
            close(file)
        }
    }

    private func close(_ file: FileHandle) { try? file.close() }
}

/// The content of a `data:` URL (RFC 2397), with its type.
struct DataURL: Equatable {
    let mediaType: String
    let charset: String?
    let data: Data

    /// Nil if the text is no valid `data:` URL.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count > 5, bytes[..<5].equalsIgnoringCase("data:"),
            let comma = bytes.firstIndex(of: UInt8(ascii: ","))
        else { return nil }
        var type = bytes[5..<comma]
        let last = type.lastIndex(of: UInt8(ascii: ";"))
        let isBase64 = last.map { type[($0 + 1)...].trimmingBlanks.equalsIgnoringCase("base64") } ?? false
        if isBase64, let last { type = type[..<last] }
        if type.first.map({ $0 == UInt8(ascii: ";") }) ?? true { type = "text/plain".utf8 + type }
        guard let parsed = MediaType(type), parsed.essence.utf8.contains(UInt8(ascii: "/")),
            !parsed.essence.utf8.contains(UInt8(ascii: "%"))
        else { return nil }
        mediaType = parsed.essence
        // Without one it would be US-ASCII; Foundation names none, and programs look for that.
        charset = parsed.charset
        guard let decoded = Self.percentDecoded(bytes[(comma + 1)...].prefix { $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        guard isBase64 else {
            data = Data(decoded)
            return
        }
        guard let content = Data(base64Encoded: Data(decoded), options: .ignoreUnknownCharacters) else { return nil }
        data = content
    }

    private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                index += 1
                continue
            }
            guard bytes.endIndex - index > 2, let high = bytes[index + 1].hexDigitValue,
                let low = bytes[index + 2].hexDigitValue
            else { return nil }
            result.append(high << 4 | low)
            index += 3
        }
        return result
    }
}
