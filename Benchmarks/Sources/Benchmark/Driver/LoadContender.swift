// SPDX-License-Identifier: MIT

/// One of those who send the same requests in turns, and how it is measured.
struct LoadContender {
    let name: String
    let measure: (Driver) throws -> Figures
}

extension LoadContender {
    static let raw = "raw libcurl"
    static let library = "library"
    static let asyncHTTPClient = "AsyncHTTPClient"
    static let urlSession = "URLSession"

    /// Those who can all send requests for `page`, which has 1 KiB, so many at a time; over TLS with the certificate
    /// authority in the file `authority`.
    static func all(
        _ page: String, atATime count: Int, isHTTP2: Bool = false, authority: String? = nil, warmUp: Double,
        seconds: Double
    ) -> [LoadContender] {
        var load: [String: any CustomStringConvertible] = [
            "url": page, "connections": count, "length": 1_024, "warmup": warmUp, "seconds": seconds,
        ]
        if isHTTP2 { load["version"] = 2 }
        if let authority { load["ca"] = authority }
        let rawArguments =
            [page, "\(count)", "\(warmUp)", "\(seconds)", "1024", isHTTP2 ? "2" : "1"] + (authority.map { [$0] } ?? [])
        return [
            LoadContender(name: raw) { try $0.run(try $0.options.string("raw"), rawArguments) },
            LoadContender(name: library) { [load] in
                try $0.measure(.httpLibrary, load.merging(["tasks": 1]) { $1 })
            },
            LoadContender(name: asyncHTTPClient) { [load] in try $0.measure(.httpAsyncHTTPClient, load) },
        ]
    }
}
