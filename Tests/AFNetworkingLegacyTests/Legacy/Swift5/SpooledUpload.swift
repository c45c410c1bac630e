// SPDX-License-Identifier: MIT

// A form that is written to a file first, and sent from there.
import AFNetworking

class SpooledUpload {
    private(set) var problem: NSError?

    func send(_ text: String, to urlString: String, by file: URL, completion: @escaping (Int?) -> Void) {
        let serializer = AFHTTPRequestSerializer()
        let form = serializer.multipartFormRequestWithMethod(
            "POST", URLString: urlString, parameters: ["kind": "spooled"],
            constructingBodyWithBlock: { formData in
                formData.appendPartWithFormData(text.data(using: .utf8)!, name: "text")
            })
        let contentType = form.value(forHTTPHeaderField: "Content-Type")
        _ = serializer.requestWithMultipartFormRequest(form, writingStreamContentsToFile: file) { error in
            DispatchQueue.main.async {
                if let error = error {
                    self.problem = error
                    return completion(nil)
                }
                let request = NSMutableURLRequest(url: URL(string: urlString)!)
                request.httpMethod = "POST"
                request.setValue(contentType, forHTTPHeaderField: "Content-Type")
                request.httpBodyStream = InputStream(url: file)
                let operation = AFHTTPRequestOperation(request: request)
                operation.setCompletionBlockWithSuccess(
                    { operation, _ in
                        completion(operation.response?.statusCode)
                    }, failure: { operation, _ in completion(operation.response?.statusCode) })
                operation.start()
            }
        }
    }
}
