// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("IdentityList", .timeLimit(.minutes(1)))
struct IdentityListTests {
    private final class Item {}

    @Test("The list is what an array would be, whatever is added and removed", arguments: [5, 17, 60, 400])
    func model(size: Int) {
        var random = SystemRandomNumberGenerator()
        let items = (0..<size).map { _ in Item() }
        var list = IdentityList<Item>()
        var array: [Item] = []
        for step in 0..<4000 {
            let item = items[Int.random(in: 0..<size, using: &random)]
            let place = array.firstIndex { $0 === item }
            #expect(list.contains(item) == (place != nil))
            // Mostly filling, then mostly emptying.
            if Int.random(in: 0..<10, using: &random) < (step / 1000 % 2 == 0 ? 7 : 3) {
                list.append(item)
                if place == nil { array.append(item) }
            } else {
                #expect((list.remove(item) != nil) == (place != nil))
                if let place { array.remove(at: place) }
            }
            #expect(list.count == array.count && list.isEmpty == array.isEmpty)
        }
        #expect(list.map(ObjectIdentifier.init) == array.map(ObjectIdentifier.init))
        let all = list.removeAll()
        #expect(all.count == array.count && list.isEmpty && !list.contains(items[0]))
    }

    @Test("A removed object is released, and so is a list's")
    func releases() {
        var list = IdentityList<Item>()
        weak var weakItem: Item?
        do {
            let items = (0..<40).map { _ in Item() }
            for item in items { list.append(item) }
            weakItem = items[20]
        }
        #expect(weakItem != nil)
        if let item = weakItem { _ = list.remove(item) }
        #expect(weakItem == nil && list.count == 39)
    }

    @Test("Many dependencies on one operation, or of one, are removed in linear time, also of one in a queue")
    func removal() {
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        let (first, last) = (InstantOperation(), InstantOperation())
        let between = (0..<20_000).map { _ in InstantOperation() }
        let seconds = processorSeconds {
            for operation in between {
                operation.addDependency(first)
                last.addDependency(operation)
            }
            queue.addOperation(last)
            for operation in between.reversed() { operation.removeDependency(first) }
            for operation in between.shuffled() { last.removeDependency(operation) }
        }
        // Some tenths; a search for each through all of them took more than a minute.
        #expect(seconds < 10)
        #expect(last.isReady && between.allSatisfy(\.isReady))
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(last.isFinished)
    }
}
