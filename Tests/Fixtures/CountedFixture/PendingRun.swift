// SPDX-License-Identifier: MIT
import AllocationCounter
import Foundation
import OperationNetworking

/// The heap that pending requests take. Resident memory would depend on where the allocator finds room.
enum PendingRun {
    static func bytesEach(_ count: Int) -> Int {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.operationQueue.isSuspended = true
        func make(_ range: Range<Int>) {
            for index in range {
                manager.get(
                    "http://127.0.0.1:8080/items/\(index)?page=1", success: { _, _ in }, failure: { _, _ in })
            }
        }
        // What is made once, and digits: the paths that are counted are of one length.
        make(1_000..<2_000)
        let before = bytes_in_use()
        make(10_000..<10_000 + count)
        let after = bytes_in_use()
        return withExtendedLifetime(manager) { Int(after - before) / count }
    }
}
