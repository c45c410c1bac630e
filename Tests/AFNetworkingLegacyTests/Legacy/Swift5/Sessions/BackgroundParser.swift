// SPDX-License-Identifier: MIT

// Takes its responses off the main queue, and comes back to it with the result.
import AFNetworking

class BackgroundParser {
    let manager = AFHTTPSessionManager()
    let queue = DispatchQueue(label: "com.example.parser")
    private let key = DispatchSpecificKey<Bool>()
    private(set) var wasOnQueue = false

    init() {
        queue.setSpecific(key: key, value: true)
        manager.completionQueue = queue
        manager.responseSerializer = AFHTTPResponseSerializer()
    }

    func wordCount(_ url: URL, completion: @escaping (Int?) -> Void) {
        manager.get(
            url.absoluteString, parameters: nil, headers: nil, progress: nil,
            success: { _, object in
                let onQueue = DispatchQueue.getSpecific(key: self.key) == true
                let text = (object as? Data).flatMap { String(data: $0, encoding: .utf8) }
                let count = text?.split(separator: " ").count
                DispatchQueue.main.async {
                    self.wasOnQueue = onQueue
                    completion(count)
                }
            },
            failure: { _, _ in
                DispatchQueue.main.async { completion(nil) }
            })
    }
}
