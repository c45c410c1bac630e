// SPDX-License-Identifier: MIT

// A service that wants its parameters in its own notation.
import AFNetworking

class SearchClient {
    let manager: AFHTTPRequestOperationManager

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.requestSerializer.setQueryStringSerializationWith { request, parameters, error in
            guard let dictionary = parameters as? [String: Any] else {
                error?.pointee = NSError(domain: "com.example.search", code: 3, userInfo: nil)
                return nil
            }
            let terms = dictionary.map { name, value in "\(name):\(value)" }.sorted()
            return "q=" + AFPercentEscapedStringFromString(terms.joined(separator: " AND "))
        }
        manager.requestSerializer.httpMethodsEncodingParametersInURI = ["GET", "HEAD", "DELETE", "POST"]
    }

    func search(_ parameters: Any?, completion: @escaping (String?, NSError?) -> Void) {
        manager.get(
            "get", parameters: parameters,
            success: { (operation: AFHTTPRequestOperation, object: Any) in
                let args = (object as? NSDictionary)?["args"] as? NSDictionary
                completion(args?["q"] as? String, nil)
            },
            failure: { (operation: AFHTTPRequestOperation?, error: Error) in
                completion(nil, error as NSError)
            })
    }
}
