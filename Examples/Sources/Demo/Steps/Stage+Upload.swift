// SPDX-License-Identifier: MIT
internal import OperationNetworking
internal import Synchronization

extension Stage {
    /// A form with a file, streamed from disk, and a plain body.
    func upload() async throws {
        console.heading("2. Upload a file in a form, and a plain body")
        let text = (1...40000).map { "line \($0) of the report\n" }.joined()
        let file = directory.appendingPathComponent("report.txt")
        try Data(text.utf8).write(to: file)

        let request = try api.requestSerializer.multipartFormRequest(
            withMethod: "POST", urlString: URL(string: "post", relativeTo: api.baseURL)?.absoluteString ?? "",
            parameters: ["title": "Quarterly report"]
        ) { form in
            try form.appendPart(withFileURL: file, name: "report")
        }
        let operation = api.httpRequestOperation(with: request)
        let progress = Mutex((calls: 0, sent: Int64(0), total: Int64(0)))
        operation.setUploadProgressBlock { [console] _, sent, total in
            progress.withLock { $0 = ($0.calls + 1, sent, total) }
            console.bar(Int(sent), of: Int(total), "report.txt")
        }
        api.enqueue(operation)
        let echo = try await operation.decoded(Echo.self)
        console.endBar()
        try expect(echo.files["report"] == text, "the server should have got the file as it is")
        try expect(echo.form["title"] == "Quarterly report", "the server should have got the field")
        // Progress is delivered on the main queue: it may still be on its way when the operation has finished.
        try await waitFor("the progress of the upload") { progress.withLock { $0.sent == $0.total && $0.total > 0 } }
        let sent = progress.withLock { $0 }
        console.result(
            "POST /post", "\(sent.total) bytes of form, \(sent.calls) progress call\(sent.calls == 1 ? "" : "s")")

        let body = String(repeating: "0123456789abcdef", count: 4096)
        var plain = URLRequest(url: request.url ?? file)
        plain.url = URL(string: "put", relativeTo: api.baseURL)?.absoluteURL
        plain.httpMethod = "PUT"
        plain.httpBody = Data(body.utf8)
        plain.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        let put = api.httpRequestOperation(with: plain)
        api.enqueue(put)
        try expect(try await put.decoded(Echo.self).data == body, "the server should have got the body as it is")
        console.result("PUT  /put", "\(body.utf8.count) bytes of text/plain")
    }

    /// Waits until a condition holds that the main queue brings about; throws after ten seconds.
    func waitFor(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition() {
            guard ContinuousClock.now < deadline else { throw DemoFailure("waited in vain for \(what)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
