// SPDX-License-Identifier: MIT

// As code was written for Swift 2.
import AFNetworking

class OldSpelling {
    let manager: AFHTTPSessionManager

    init(baseURL: URL) {
        manager = AFHTTPSessionManager(baseURL: baseURL)
    }

    func load(_ path: String, completion: @escaping (NSDictionary?, NSError?) -> Void) -> URLSessionDataTask? {
        return manager.GET(
            path, parameters: nil,
            success: { (task: URLSessionDataTask!, responseObject: AnyObject!) in
                completion(responseObject as? NSDictionary, nil)
            },
            failure: { (task: URLSessionDataTask!, error: NSError!) in
                completion(nil, error)
            })
    }

    func send(_ text: String, completion: @escaping (NSDictionary?, NSError?) -> Void) {
        manager.POST(
            "post", parameters: ["text": text],
            constructingBodyWithBlock: { formData in
                formData.appendPartWithFormData(text.data(using: .utf8)!, name: "again")
            },
            success: { task, responseObject in
                completion(responseObject as? NSDictionary, nil)
            },
            failure: { task, error in
                completion(nil, error)
            })
    }

    func raw(_ url: URL, completion: @escaping (Int, NSError?) -> Void) {
        let task = manager.dataTaskWithRequest(
            URLRequest(url: url),
            completionHandler: { response, object, error in
                completion((response as? HTTPURLResponse)?.statusCode ?? 0, error)
            })
        task.resume()
    }

    func download(_ url: URL, to file: URL, completion: @escaping (URL?, Progress?) -> Void) {
        var progress: Progress?
        let task = manager.downloadTaskWithRequest(
            URLRequest(url: url), progress: &progress,
            destination: { _, _ in
                return file
            },
            completionHandler: { [progress] _, filePath, _ in
                completion(filePath, progress)
            })
        task.resume()
    }
}
