// SPDX-License-Identifier: MIT

// Tries again, with a copy of the operation, as long as the server is busy.
import AFNetworking

class PatientClient {
    private(set) var attempts = 0

    func run(
        _ operation: AFHTTPRequestOperation, triesLeft: Int = 3, completion: @escaping (String?, Int) -> Void
    ) {
        attempts += 1
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(operation.responseString, operation.response?.statusCode ?? 0)
            },
            failure: { operation, error in
                let statusCode = operation.response?.statusCode ?? 0
                guard statusCode == 503, triesLeft > 1, let again = operation.copy() as? AFHTTPRequestOperation else {
                    return completion(nil, statusCode)
                }
                self.run(again, triesLeft: triesLeft - 1, completion: completion)
            })
        operation.start()
    }
}
