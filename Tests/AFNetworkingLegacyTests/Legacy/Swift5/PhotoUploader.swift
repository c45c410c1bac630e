// SPDX-License-Identifier: MIT

// A form with files, with progress.
import AFNetworking

class PhotoUploader {
    let manager = AFHTTPRequestOperationManager()
    var uploaded: Int64 = 0
    var expected: Int64 = 0

    func upload(
        photo: Data, thumbnail: URL, caption: String, to urlString: String,
        success: @escaping ([String: Any]) -> Void, failure: @escaping (String) -> Void
    ) {
        let parameters = ["caption": caption, "album": "2015"]
        let operation = manager.post(
            urlString, parameters: parameters,
            constructingBodyWith: { formData in
                formData.appendPart(withFileData: photo, name: "photo", fileName: "photo.jpg", mimeType: "image/jpeg")
                try? formData.appendPart(withFileURL: thumbnail, name: "thumbnail")
                formData.appendPart(withForm: "yes".data(using: .utf8)!, name: "public")
            },
            success: { operation, responseObject in
                success(responseObject as? [String: Any] ?? [:])
            },
            failure: { operation, error in
                failure(operation?.responseString ?? error.localizedDescription)
            })
        operation?.setUploadProgressBlock({ bytesWritten, totalBytesWritten, totalBytesExpectedToWrite in
            self.uploaded = totalBytesWritten
            self.expected = totalBytesExpectedToWrite
        })
    }

    func uploadStream(_ data: Data, to urlString: String, completion: @escaping (Any?, Error?) -> Void) {
        let serializer = AFHTTPRequestSerializer()
        var error: NSError?
        let request = serializer.multipartFormRequest(
            withMethod: "PUT", urlString: urlString, parameters: nil,
            constructingBodyWith: { formData in
                formData.appendPart(
                    with: InputStream(data: data), name: "video", fileName: "video.mp4", length: Int64(data.count),
                    mimeType: "video/mp4")
                formData.throttleBandwidth(
                    withPacketSize: kAFUploadStream3GSuggestedPacketSize, delay: 0.001)
            }, error: &error)
        let operation = manager.httpRequestOperation(
            with: request as URLRequest,
            success: { _, object in
                completion(object, nil)
            },
            failure: { _, error in
                completion(nil, error)
            })
        manager.operationQueue.addOperation(operation)
    }
}
