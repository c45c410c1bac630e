// SPDX-License-Identifier: MIT

// A download that survives the end of the program, even by SIGKILL: the next run continues it. What has come is in
// FILE.part meanwhile; FILE appears when it is complete and has the digest. The server has to tell by a strong ETag or a
// Last-Modified field that it still has the same content; otherwise the download starts again.
//
//   swift run --package-path Examples ResumableDownload URL FILE [SHA-256]        (the digest as sha256sum prints it)
internal import OperationNetworking
internal import Synchronization

/// The 32 bytes of a digest; nil when the text is none.
func digest(_ text: String) -> Data? {
    guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else { return nil }
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    return bytes.count == 32 ? Data(bytes) : nil
}

let arguments = CommandLine.arguments
let wantedDigest = arguments.count == 4 ? digest(arguments[3]) : nil
guard arguments.count == 3 || wantedDigest != nil else {
    print("usage: ResumableDownload URL FILE [SHA-256]")
    exit(64)
}

let manager = HTTPRequestOperationManager()
manager.responseSerializer = HTTPResponseSerializer()

do {
    let operation = try manager.makeOperation(method: "GET", arguments[1])
    operation.downloadDestination = DownloadDestination(
        fileURL: URL(fileURLWithPath: arguments[2]), sha256: wantedDigest)
    // Totals include what an earlier run received.
    let tenths = Mutex<Int64>(-1)
    operation.setDownloadProgressBlock { _, received, expected in
        guard expected > 0 else { return }
        let reached = received * 10 / expected
        if tenths.withLock({ previous in
            defer { previous = reached }
            return reached > previous
        }) {
            print("\(reached * 10) %")
        }
    }
    manager.enqueue(operation)
    _ = try await operation.value()

    let received = operation.metrics?.bytesReceived ?? 0
    // 206: Partial Content.
    print(operation.response?.statusCode == 206 ? "continued: the missing \(received) bytes" : "all \(received) bytes")
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
