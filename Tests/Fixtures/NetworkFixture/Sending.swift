// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking

/// Sends requests one after the other, and exits with 0 when all were answered, by a server or by what is in the cache.
func runSending(_ directory: String, _ text: String, _ methods: ArraySlice<String>) -> Never {
    guard let url = URL(string: text) else { exit(2) }
    URLCache.shared = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory)
    let queue = DispatchQueue(label: "fixture")
    for method in methods {
        var request = URLRequest(url: url)
        request.httpMethod = method
        let operation = HTTPRequestOperation(request: request)
        operation.completionQueue = queue
        operation.responseSerializer = HTTPResponseSerializer()
        operation.start()
        operation.waitUntilFinished()
        if let error = operation.error {
            FileHandle.standardError.write(Data("\(method): \(error)\n".utf8))
            exit(1)
        }
    }
    exit(0)
}
