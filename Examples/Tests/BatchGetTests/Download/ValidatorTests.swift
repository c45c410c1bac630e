// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import OperationNetworking
import Testing

@Suite("What tells that ranges are of one file") struct ValidatorTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    /// Of `modified`.
    private static let time = 784_111_777.0

    private func validator(_ fields: [String: String], now: Double = time + 1000) throws -> String? {
        let url = try #require(URL(string: "http://h/a"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
        return RangeRequest.validator(of: response, now: Date(timeIntervalSince1970: now))
    }

    @Test("A strong entity tag, and nothing in the place of a weak one")
    func tags() throws {
        #expect(try validator(["ETag": "\"a\"", "Last-Modified": Self.modified]) == "\"a\"")
        #expect(try validator(["ETag": "W/\"a\"", "Last-Modified": Self.modified]) == nil)
        #expect(try validator(["ETag": "\"\"", "Last-Modified": Self.modified]) == nil)
    }

    @Test("A leap second is the second after it")
    func leapSecond() throws {
        let leap = "Sat, 31 Dec 2016 23:59:60 GMT"
        #expect(try validator(["Last-Modified": leap, "Date": "Sun, 01 Jan 2017 00:00:01 GMT"]) == leap)
        #expect(try validator(["Last-Modified": leap, "Date": "Sun, 01 Jan 2017 00:00:00 GMT"]) == nil)
        #expect(try validator(["Last-Modified": "Sat, 31 Dec 2016 23:59:61 GMT"]) == nil)
    }

    @Test("A date counts a second later: by the server's clock, or by ours with a minute to spare")
    func dates() throws {
        #expect(
            try validator(["Last-Modified": Self.modified, "Date": "Sun, 06 Nov 1994 08:49:38 GMT"]) == Self.modified)
        #expect(try validator(["Last-Modified": Self.modified, "Date": Self.modified]) == nil)
        #expect(try validator(["Last-Modified": Self.modified], now: Self.time + 60) == Self.modified)
        #expect(try validator(["Last-Modified": Self.modified], now: Self.time + 59) == nil)
        #expect(try validator(["Last-Modified": "yesterday"]) == nil)
        #expect(try validator(["Last-Modified": Self.modified + "x"]) == nil)
    }
}
