// SPDX-License-Identifier: MIT

// An image in a form, with a progress bar.
import AFNetworking

class AvatarUploader {
    let manager: AFHTTPSessionManager
    private(set) var fractions: [Double] = []

    init(baseURL: URL) {
        manager = AFHTTPSessionManager(baseURL: baseURL)
    }

    func upload(_ image: Data, user: String, completion: @escaping ([String: Any]?, Error?) -> Void) {
        manager.post(
            "post", parameters: ["user": user], headers: nil,
            constructingBodyWith: { formData in
                formData.appendPart(withFileData: image, name: "avatar", fileName: "avatar.png", mimeType: "image/png")
            },
            progress: { uploadProgress in
                let fraction = uploadProgress.fractionCompleted
                DispatchQueue.main.async {
                    self.fractions.append(fraction)
                }
            },
            success: { _, responseObject in
                completion(responseObject as? [String: Any], nil)
            },
            failure: { _, error in
                completion(nil, error)
            })
    }
}
