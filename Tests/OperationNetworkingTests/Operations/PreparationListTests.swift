// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Preparations", .timeLimit(.minutes(1)))
struct PreparationListTests {
    @Test("What is left is in order of addition, whatever was removed")
    func order() {
        let upstreams = (0..<40).map { _ in HTTPRequestOperation.make() }
        var (list, model) = (PreparationList(), [HTTPRequestOperation]())
        for upstream in upstreams + upstreams.prefix(20) {
            list.append(Preparation(upstream: upstream) { _, _ in })
            model.append(upstream)
        }
        for index in [3, 39, 0, 3] + Array(5..<35) {
            let removed = list.remove(from: upstreams[index])
            #expect(removed.count == model.filter { $0 === upstreams[index] }.count)
            model.removeAll { $0 === upstreams[index] }
            #expect(list.all.map(\.upstream) == model && list.count == model.count)
            if index == 20 {
                list.append(Preparation(upstream: upstreams[3]) { _, _ in })
                model.append(upstreams[3])
            }
        }
        for upstream in upstreams { _ = list.remove(from: upstream) }
        #expect(list.isEmpty && list.all.isEmpty)
    }

    @Test("8 000 dependencies with blocks are added and removed in linear time")
    func many() {
        let operation = HTTPRequestOperation.make()
        let upstreams = (0..<8_000).map { _ in HTTPRequestOperation.make() }
        let seconds = processorSeconds {
            for upstream in upstreams { operation.addDependency(upstream) { _, _ in } }
            for upstream in upstreams { operation.removeDependency(upstream) }
        }
        // It took time quadratic in the number: 4 000 twelve seconds.
        #expect(seconds < 5)
        #expect(operation.dependencies.isEmpty && operation.isReady)
    }
}
