// SPDX-License-Identifier: MIT

// Every request goes through one method, which gets a new token after a 401 and sends the request again.
import AFNetworking

class TokenClient: AFHTTPSessionManager, @unchecked Sendable {
    private(set) var refreshCount = 0
    var token = "expired"

    override func dataTask(
        with request: URLRequest, uploadProgress: ((Progress) -> Void)?, downloadProgress: ((Progress) -> Void)?,
        completionHandler: ((URLResponse, Any?, Error?) -> Void)?
    ) -> URLSessionDataTask {
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return super.dataTask(
            with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            completionHandler: { response, object, error in
                guard (response as? HTTPURLResponse)?.statusCode == 401, self.token != "fresh" else {
                    completionHandler?(response, object, error)
                    return
                }
                self.refreshCount += 1
                self.token = "fresh"
                self.dataTask(
                    with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
                    completionHandler: completionHandler
                ).resume()
            })
    }
}
