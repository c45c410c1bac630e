// SPDX-License-Identifier: MIT

// How large a file is, before it is fetched.
import AFNetworking

class SizeProbe {
    private let manager = AFHTTPRequestOperationManager()

    func size(of urlString: String, completion: @escaping (Int64?) -> Void) {
        manager.responseSerializer = AFHTTPResponseSerializer()
        manager.HEAD(
            urlString, parameters: nil,
            success: { (operation: AFHTTPRequestOperation!) -> Void in
                completion(operation.response?.expectedContentLength)
            },
            failure: { (operation: AFHTTPRequestOperation!, error: NSError!) -> Void in
                completion(nil)
            })
    }
}
