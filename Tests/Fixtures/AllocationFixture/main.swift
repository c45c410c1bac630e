// SPDX-License-Identifier: MIT

// Counts how often the library asks for memory: GETs of the URL, one after the other, on a connection that is there.
//
//   AllocationFixture URL   prints the number for one request; 0: a sanitizer has the allocator
import AllocationCounter
import Foundation
import OperationNetworking

let count = 1000
let manager = HTTPRequestOperationManager(baseURL: nil)
manager.responseSerializer = HTTPResponseSerializer()
manager.completionQueue = DispatchQueue(label: "completion")

func get(_ url: String, times: Int) throws {
    for _ in 0..<times {
        let isDone = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var failure: (any Error)?
        manager.get(
            url, success: { _, _ in isDone.signal() },
            failure: { _, error in
                failure = error
                isDone.signal()
            })
        isDone.wait()
        if let failure { throw failure }
    }
}

let url = CommandLine.arguments[1]
try get(url, times: 200)
let before = allocation_count()
try get(url, times: count)
print(Int(allocation_count() - before) / count)
