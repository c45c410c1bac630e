// SPDX-License-Identifier: MIT

// A form with a field and files, which are read from disk while they are sent, with progress.
//
//   swift run --package-path Examples MultipartUpload http://127.0.0.1:8000 FILE...    (an httpbin server)
internal import OperationNetworking
internal import Synchronization

guard CommandLine.arguments.count >= 3, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: MultipartUpload BASE-URL FILE...")
    exit(64)
}

let files = CommandLine.arguments.dropFirst(2).map { URL(fileURLWithPath: $0) }
let manager = HTTPRequestOperationManager(baseURL: baseURL)

do {
    let operation = try manager.makeOperation(
        method: "POST", "post", parameters: ["title": "Quarterly report"],
        constructingBodyWith: { form in
            for (index, file) in files.enumerated() {
                // With the file's own name, and the media type of its extension.
                try form.appendPart(withFileURL: file, name: "file\(index + 1)")
            }
            form.appendPart(
                withFileData: Data("Made in memory.".utf8), name: "note", fileName: "note.txt", mimeType: "text/plain")
        },
        success: { _, object in
            // httpbin answers with what it got: text as it is, other files in base64.
            let echo = object as? [String: Any]
            let fields = echo?["form"] as? [String: String] ?? [:]
            let received = echo?["files"] as? [String: String] ?? [:]
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) { print("field \(name): \(value)") }
            for (name, text) in received.sorted(by: { $0.key < $1.key }) {
                print("\(name): the server got \(text.utf8.count) bytes")
            }
            // The files, and the note.
            exit(received.count == files.count + 1 ? 0 : 1)
        },
        failure: { _, error in
            print("failed: \(error.localizedDescription)")
            exit(1)
        })
    let tenths = Mutex<Int64>(-1)
    operation.setUploadProgressBlock { _, sent, total in
        guard total > 0 else { return }
        let reached = sent * 10 / total
        if tenths.withLock({ previous in
            defer { previous = reached }
            return reached > previous
        }) {
            print("sent \(reached * 10) % of \(total) bytes")
        }
    }
    manager.enqueue(operation)
} catch {
    // A file that cannot be read is found when the form is made.
    print("failed: \(error.localizedDescription)")
    exit(1)
}

// The blocks run on the main queue, which a program without an async main has to run itself.
dispatchMain()
