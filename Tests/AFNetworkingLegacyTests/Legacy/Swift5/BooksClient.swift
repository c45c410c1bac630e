// SPDX-License-Identifier: MIT

// A subclassed manager as the client of one service, in a static, as Swift 3 and later spell it.
import AFNetworking

class BooksClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    static var serverURL: URL?

    static let shared = BooksClient(baseURL: BooksClient.serverURL)

    struct Book {
        let title: String
        let pages: Int

        init?(json: [String: Any]) {
            guard let title = json["title"] as? String, let pages = json["pages"] as? Int else { return nil }
            self.title = title
            self.pages = pages
        }
    }

    override init(baseURL url: URL?) {
        super.init(baseURL: url)
        requestSerializer = AFJSONRequestSerializer()
        requestSerializer.timeoutInterval = 20
        requestSerializer.setValue("application/json", forHTTPHeaderField: "Accept")
        requestSerializer.setValue("books/2.1", forHTTPHeaderField: "X-Client")
        responseSerializer = AFJSONResponseSerializer(readingOptions: .allowFragments)
        responseSerializer.acceptableContentTypes = ["application/json", "text/json", "text/html"]
        operationQueue.maxConcurrentOperationCount = 4
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }

    func setToken(_ token: String?) {
        if let token = token {
            requestSerializer.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        } else {
            requestSerializer.clearAuthorizationHeader()
        }
    }

    @discardableResult
    func add(
        title: String, pages: Int, completion: @escaping (Book?, Error?) -> Void
    ) -> AFHTTPRequestOperation? {
        let parameters: [String: Any] = ["title": title, "pages": pages]
        return post(
            "anything/books", parameters: parameters,
            success: { (operation: AFHTTPRequestOperation, responseObject: Any?) in
                let response = responseObject as? [String: Any]
                let json = response?["json"] as? [String: Any]
                completion(json.flatMap { Book(json: $0) }, nil)
            },
            failure: { (operation: AFHTTPRequestOperation?, error: Error) in
                completion(nil, error)
            })
    }

    func search(_ text: String, page: Int, completion: @escaping ([String: Any]?, NSError?) -> Void) {
        get(
            "get", parameters: ["q": text, "page": page],
            success: { _, responseObject in
                let response = responseObject as! [String: Any]
                completion(response["args"] as? [String: Any], nil)
            },
            failure: { _, error in
                completion(nil, error as NSError)
            })
    }

    func headers(completion: @escaping ([String: String]?) -> Void) {
        get(
            "headers", parameters: nil,
            success: { operation, responseObject in
                completion((responseObject as? [String: Any])?["headers"] as? [String: String])
            }
        ) { operation, error in
            completion(nil)
        }
    }

    func remove(id: Int, completion: @escaping (Bool) -> Void) {
        delete(
            "anything/books/\(id)", parameters: nil,
            success: { operation, _ in
                completion(operation.response?.statusCode == 200)
            }, failure: { _, _ in completion(false) })
    }
}
