// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// JSON both ways and query strings, beside Foundation's own, in MB of text per second of processor time.
enum Serialization {
    static func run(_ options: Options) throws -> Figures {
        let seconds = try options.number("seconds")
        let records = try options.count("records")
        let tree = sample(records: records)
        let fields = sampleFields(count: records)
        guard let url = URL(string: "http://127.0.0.1/"),
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": "application/json"])
        else { throw BenchmarkError("no response") }
        let text = try JSONSerialization.data(withJSONObject: tree)
        var post = URLRequest(url: url)
        post.httpMethod = "POST"
        let request = post
        let requests = JSONRequestSerializer()
        let responses = JSONResponseSerializer()

        let cases: [(name: String, step: () throws -> Int)] = [
            (
                "jsonRequestLibrary",
                { try requests.request(bySerializing: request, withParameters: tree).httpBody?.count ?? 0 }
            ),
            ("jsonRequestFoundation", { try JSONSerialization.data(withJSONObject: tree).count }),
            (
                "jsonResponseLibrary",
                {
                    _ = try responses.responseObject(for: response, data: text)
                    return text.count
                }
            ),
            (
                "jsonResponseFoundation",
                {
                    _ = try JSONSerialization.jsonObject(with: text)
                    return text.count
                }
            ),
            ("queryLibrary", { queryString(from: fields).utf8.count }),
            (
                "queryFoundation",
                {
                    var components = URLComponents()
                    components.queryItems = fields.sorted { $0.key < $1.key }.map {
                        URLQueryItem(name: $0.key, value: $0.value)
                    }
                    return components.percentEncodedQuery?.utf8.count ?? 0
                }
            ),
        ]
        var figures: Figures = [:]
        for (name, step) in cases {
            guard try step() > 0 else { throw BenchmarkError("\(name) gives nothing") }
            var bytes = 0
            let start = monotonicSeconds()
            // One thread that waits for nothing: its processor time, which other work on the machine does not stretch.
            let startCPU = ProcessUsage.cpuSeconds
            repeat { bytes += try step() } while monotonicSeconds() - start < seconds
            figures[name + "MBps"] = Double(bytes) / (ProcessUsage.cpuSeconds - startCPU) / 1e6
        }
        return figures
    }

    /// What an API might return: records with text, numbers, nesting and some non-ASCII characters.
    private static func sample(records: Int) -> [String: Any] {
        let items = (0..<records).map { index -> [String: Any] in
            [
                "id": index, "name": "Record number \(index)", "score": Double(index) * 1.25, "active": index % 2 == 0,
                "tags": ["alpha", "beta", "größe", "\"quoted\""],
                "owner": ["name": "Zoë \(index)", "mail": "user\(index)@example.com", "path": "/a/b/c"],
                "comment": "A line of text that is long enough to matter, with a line\nbreak and a tab\tin it.",
            ]
        }
        return ["items": items, "total": records]
    }

    /// A flat form, so that `URLComponents` can say the same.
    private static func sampleFields(count: Int) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map { ("field\($0)", "value & more = \($0), größer / \"quoted\"") })
    }
}
