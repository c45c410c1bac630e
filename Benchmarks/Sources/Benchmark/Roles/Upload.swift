// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// A multipart form with one large file.
enum Upload {
    static func run(_ options: Options) throws -> Figures {
        let url = try options.string("url")
        let file = URL(fileURLWithPath: try options.string("file"))
        guard let idleURL = URL(string: url) else { throw BenchmarkError("url= is no URL") }
        // After one small request, so that the engine is there: what is measured is what the upload adds.
        _ = try Transferring.run(HTTPRequestOperation(request: URLRequest(url: idleURL)))

        let request = try HTTPRequestSerializer().multipartFormRequest(
            withMethod: "POST", urlString: url, parameters: nil,
            constructingBodyWith: { try $0.appendPart(withFileURL: file, name: "file") })
        var figures = try Transferring.run(HTTPRequestOperation(request: request))
        figures["bytes"] = Double(try options.count("length"))
        return figures
    }
}
