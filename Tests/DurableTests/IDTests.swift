// SPDX-License-Identifier: MIT
@testable import OperationNetworkingDurable
import Testing

struct IDTests {
    @Test func namesGiveTheSameIDs() throws {
        let id = try DurableRequest.ID(name: "GET http://example.com/a")
        #expect(try DurableRequest.ID(name: "GET http://example.com/a") == id)
        #expect(try DurableRequest.ID(name: "GET http://example.com/b") != id)
        #expect(id.description.dropFirst(14).first == "8")
        #expect(DurableRequest.ID(bytes: id.bytes) == id)
        #expect(DurableRequest.ID(bytes: id.bytes.dropLast()) == nil)
    }

    @Test func newIDsAreInTheOrderOfTheirTime() {
        let (first, second) = (
            DurableRequest.ID(milliseconds: 1, chance: .max, .max), DurableRequest.ID(milliseconds: 2, chance: 0, 0)
        )
        #expect(first.bytes.lexicographicallyPrecedes(second.bytes))
        #expect(first.description.dropFirst(14).first == "7")
    }
}
