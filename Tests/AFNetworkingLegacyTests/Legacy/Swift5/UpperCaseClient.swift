// SPDX-License-Identifier: MIT

// The spelling of Swift 1 and 2: upper-case verbs, and the types of Objective-C.
import AFNetworking

class UpperCaseClient: NSObject {
    let manager = AFHTTPRequestOperationManager(baseURL: NSURL(string: UpperCaseClient.baseURLString))
    static var baseURLString = ""

    override init() {
        super.init()
        manager.requestSerializer = AFHTTPRequestSerializer()
        manager.requestSerializer.setValue("old", forHTTPHeaderField: "X-Style")
        manager.responseSerializer = AFJSONResponseSerializer()
        manager.responseSerializer.acceptableContentTypes =
            NSSet(array: ["text/html", "application/json"]) as? Set<String>
    }

    func get(_ completion: @escaping (NSDictionary?, NSError?) -> Void) {
        manager.GET(
            "get", parameters: ["style": "old"],
            success: {
                (operation: AFHTTPRequestOperation!, responseObject: AnyObject!) -> Void in
                completion(responseObject as? NSDictionary, nil)
            },
            failure: { (operation: AFHTTPRequestOperation!, error: NSError!) -> Void in
                completion(nil, error)
            })
    }

    func send(_ method: String, _ parameters: NSDictionary, completion: @escaping (String?) -> Void) {
        func done(_ responseObject: AnyObject?) {
            let answer = responseObject as? NSDictionary
            completion(answer?["method"] as? String)
        }
        switch method {
        case "POST":
            manager.POST(
                "anything", parameters: parameters,
                success: { (operation, responseObject) in
                    done(responseObject)
                }
            ) { (operation, error) -> Void in
                completion(nil)
            }
        case "PUT":
            manager.PUT(
                "anything", parameters: parameters,
                success: {
                    (operation: AFHTTPRequestOperation, responseObject: AnyObject) in
                    done(responseObject)
                },
                failure: { (operation: AFHTTPRequestOperation?, error: NSError) in
                    completion(nil)
                })
        case "PATCH":
            manager.PATCH(
                "anything", parameters: parameters,
                success: { operation, responseObject in
                    done(responseObject)
                }, failure: nil)
        case "DELETE":
            manager.DELETE(
                "anything", parameters: parameters,
                success: { operation, responseObject in
                    done(responseObject)
                }, failure: nil)
        default:
            manager.HEAD(
                "anything", parameters: parameters,
                success: { (operation: AFHTTPRequestOperation!) in
                    completion(operation.request.httpMethod)
                }, failure: nil)
        }
    }

    func upload(_ data: NSData, completion: @escaping (AnyObject?) -> Void) {
        manager.POST(
            "post", parameters: ["kind": "old"],
            constructingBodyWithBlock: {
                (formData: AFMultipartFormData!) -> Void in
                formData.appendPartWithFileData(
                    data as Data, name: "file", fileName: "old.bin", mimeType: "application/octet-stream")
                formData.appendPartWithFormData("1".data(using: String.Encoding.utf8)!, name: "one")
            },
            success: { (operation: AFHTTPRequestOperation!, responseObject: AnyObject!) -> Void in
                completion(responseObject)
            },
            failure: { (operation: AFHTTPRequestOperation!, error: NSError!) -> Void in
                completion(nil)
            })
    }

    func run(_ path: String, completion: @escaping (Int, String?) -> Void) {
        let URLString = NSURL(string: path, relativeTo: manager.baseURL)!.absoluteString
        let request = manager.requestSerializer.requestWithMethod("GET", URLString: URLString, parameters: nil)
        request.setValue("yes", forHTTPHeaderField: "X-Mutable")
        let operation = manager.HTTPRequestOperationWithRequest(
            request,
            success: {
                (operation: AFHTTPRequestOperation!, responseObject: AnyObject!) -> Void in
                completion(operation.response!.statusCode, operation.responseString)
            },
            failure: { (operation: AFHTTPRequestOperation!, error: NSError!) -> Void in
                completion(error.code, operation.responseString)
            })
        OperationQueue.main.addOperation(operation)
    }
}
