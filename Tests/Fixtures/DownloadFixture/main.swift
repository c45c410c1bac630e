// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

// A program that tests start and kill in the middle of a download.
//
//   DownloadFixture download <url> <target>
//   DownloadFixture archive <url> <archive> [<target>]
//
// The second pauses when 150 000 bytes are there, and writes the paused operation to the archive.

let arguments = CommandLine.arguments
guard arguments.count >= 4, let url = URL(string: arguments[2]) else {
    print("usage: DownloadFixture download|archive <url> <file> [<target>]")
    exit(2)
}

let operation = HTTPRequestOperation(request: URLRequest(url: url))
operation.completionQueue = DispatchQueue(label: "fixture")
operation.completionBlock = { exit(1) }
if arguments[1] == "download" {
    operation.downloadDestination = DownloadDestination(fileURL: URL(fileURLWithPath: arguments[3]))
} else {
    if arguments.count > 4 {
        operation.downloadDestination = DownloadDestination(fileURL: URL(fileURLWithPath: arguments[4]))
    }
    operation.setDownloadProgressBlock { _, total, _ in
        guard total >= 150_000, !operation.isPaused else { return }
        operation.pause()
        let archive = try? NSKeyedArchiver.archivedData(withRootObject: operation, requiringSecureCoding: true)
        try? archive?.write(to: URL(fileURLWithPath: arguments[3]), options: .atomic)
    }
}
operation.start()
RunLoop.main.run()
