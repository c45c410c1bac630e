// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite("Places of protocol classes") struct SessionProtocolPlaceTests {
    @Test("A number's type has that number, and its class", arguments: [1, 2, 3, 4, 5, 77, 1 << 20, Int.max])
    func types(number: Int) {
        let type = NumberTypes.type(for: number)
        #expect(type.number == number)
        #expect(type.protocolClass.number == number)
        #expect(type.protocolClass == NumberTypes.type(for: number).protocolClass)
    }

    @Test("Places that are there at the same time have different classes, which are used again")
    func reuse() {
        var places = (0..<50).map { _ in SessionProtocolPlace() }
        let numbers = places.map(\.protocolClass.number)
        #expect(Set(numbers).count == 50 && !numbers.contains(0))
        for place in places { #expect(SessionProtocolPlace.place(of: place.protocolClass.number) === place) }
        let known = Set(places.map { ObjectIdentifier($0.protocolClass) })
        places = []
        // Others may be made meanwhile.
        let again = (0..<50).map { _ in SessionProtocolPlace() }
        #expect(again.contains { known.contains(ObjectIdentifier($0.protocolClass)) })
    }

    @Test("What has gone is nobody's")
    func gone() {
        let place = SessionProtocolPlace()
        do {
            let session = OperationURLSession(configuration: .ephemeral)
            place.belong(to: session)
            #expect(place.present.session === session)
        }
        #expect(place.present.session == nil && place.present.configuration == nil)
    }

    @Test("Many threads")
    func threads() {
        let session = OperationURLSession(configuration: .ephemeral)
        DispatchQueue.concurrentPerform(iterations: 2000) { _ in
            let place = SessionProtocolPlace()
            place.belong(to: session)
            #expect(SessionProtocolPlace.place(of: place.protocolClass.number)?.present.session === session)
        }
    }
}
