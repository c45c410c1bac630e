// SPDX-License-Identifier: MIT

// The one client of an app, as a singleton.
import AFNetworking

class BooksAPIClient: AFHTTPSessionManager, @unchecked Sendable {
    static let shared = BooksAPIClient(baseURL: URL(string: "http://127.0.0.1/")!)

    convenience init(baseURL: URL) {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 15
        configuration.httpAdditionalHeaders = ["X-Client": "books/1.0"]
        self.init(baseURL: baseURL, sessionConfiguration: configuration)
    }

    override init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
        super.init(baseURL: url, sessionConfiguration: configuration)
        requestSerializer = AFJSONRequestSerializer()
        requestSerializer.setValue("application/json", forHTTPHeaderField: "Accept")
        responseSerializer = AFJSONResponseSerializer()
        responseSerializer.acceptableContentTypes = ["application/json", "text/json"]
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }

    func books(completion: @escaping ([String]?, Error?) -> Void) -> URLSessionDataTask? {
        return get(
            "books", parameters: ["page": 1], headers: nil, progress: nil,
            success: { task, responseObject in
                let books = responseObject as? [[String: Any]]
                completion(books?.compactMap { $0["title"] as? String }, nil)
            },
            failure: { task, error in
                completion(nil, error)
            })
    }

    func add(title: String, completion: @escaping (Int?, Error?) -> Void) {
        post(
            "books", parameters: ["title": title], progress: nil,
            success: { task, responseObject in
                completion((task.response as? HTTPURLResponse)?.statusCode, nil)
            }
        ) { task, error in
            completion((task?.response as? HTTPURLResponse)?.statusCode, error)
        }
    }
}
