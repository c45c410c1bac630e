// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// One `Set-Cookie` response, or several, and what the next request carries.
struct CookieCase: Sendable, CustomTestStringConvertible {
    let what: String
    let fields: [[UInt8]]
    /// Where they come from.
    let origin: String
    /// Where the next request goes.
    let target: String
    /// Its `Cookie` field.
    let sent: String?

    static let page = "https://www.example.com/dir/page"

    init(_ what: String, _ fields: String..., from origin: String = page, to target: String? = nil, sends sent: String?)
    {
        self.init(what, bytes: fields.map { Array($0.utf8) }, from: origin, to: target, sends: sent)
    }

    init(_ what: String, bytes: [[UInt8]], from origin: String = page, to target: String? = nil, sends sent: String?) {
        self.what = what
        self.fields = bytes
        self.origin = origin
        self.target = target ?? origin
        self.sent = sent
    }

    var testDescription: String { what }

    func check() throws {
        let storage = try HTTPCookieStorage.inMemory()
        try storage.take(fields, from: origin)
        let field = storage.cookieField(for: try #require(URL(string: target)))
        #expect(field.map { Array($0.value.utf8) } == sent.map { Array($0.utf8) }, "\(field?.value ?? "none")")
    }
}

extension HTTPCookieStorage {
    static func inMemory() throws -> HTTPCookieStorage {
        try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    }

    /// Takes fields as from responses, each on its own.
    func take(_ fields: [[UInt8]], from origin: String) throws {
        let location = try #require(URL(string: origin).flatMap { CookieLocation($0) })
        for bytes in fields {
            guard let field = SetCookieField(bytes) else { continue }
            change { $0.take(field, from: location) }
        }
    }

    func take(_ fields: String..., from origin: String) throws {
        try take(fields.map { Array($0.utf8) }, from: origin)
    }

    func field(for url: String) throws -> String? { cookieField(for: try #require(URL(string: url)))?.value }

    /// Names, in an order of their own.
    var names: [String] { (cookies ?? []).map(\.name).sorted() }
}
