// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

/// The command line.
struct Options {
    static let usage = """
        usage: demo [--base-url URL]

          --base-url URL   an httpbin server to use instead of the embedded one
          --help           this text
        """

    var baseURL: URL?
    var wantsHelp = false

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                wantsHelp = true
            case "--base-url":
                guard let value = rest.popFirst() else { throw DemoFailure("--base-url needs a URL") }
                baseURL = try Self.url(value)
            case _ where argument.hasPrefix("--base-url="):
                baseURL = try Self.url(String(argument.dropFirst("--base-url=".count)))
            default:
                throw DemoFailure("unknown argument: \(argument)")
            }
        }
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(escaping: text), url.scheme == "http" || url.scheme == "https", url.host != nil else {
            throw DemoFailure("not an http or https URL: \(text)")
        }
        return url
    }
}
