// SPDX-License-Identifier: MIT

// All verbs, in the spelling of AFNetworking 3.
import AFNetworking

class NotesAPI: AFHTTPSessionManager, @unchecked Sendable {
    func all(_ completion: @escaping (Any?, Error?) -> Void) {
        get(
            "anything/notes", parameters: ["limit": 10],
            progress: { progress in
                _ = progress.fractionCompleted
            }, success: { _, object in completion(object, nil) }, failure: { _, error in completion(nil, error) })
    }

    func create(_ text: String, _ completion: @escaping (Any?, Error?) -> Void) {
        post(
            "anything/notes", parameters: ["text": text], progress: nil,
            success: { _, object in
                completion(object, nil)
            }, failure: { _, error in completion(nil, error) })
    }

    func replace(_ text: String, _ completion: @escaping (Any?, Error?) -> Void) {
        put(
            "anything/notes/1", parameters: ["text": text],
            success: { _, object in
                completion(object, nil)
            }, failure: { _, error in completion(nil, error) })
    }

    func change(_ text: String, _ completion: @escaping (Any?, Error?) -> Void) {
        patch(
            "anything/notes/1", parameters: ["text": text],
            success: { _, object in
                completion(object, nil)
            }, failure: { _, error in completion(nil, error) })
    }

    func remove(_ completion: @escaping (Any?, Error?) -> Void) {
        delete(
            "anything/notes/1", parameters: ["force": true], headers: ["X-Reason": "test"],
            success: { _, object in
                completion(object, nil)
            }, failure: { _, error in completion(nil, error) })
    }

    func exists(_ completion: @escaping (Bool) -> Void) {
        head(
            "anything/notes/1", parameters: nil,
            success: { task in
                completion((task.response as? HTTPURLResponse)?.statusCode == 200)
            }, failure: { _, _ in completion(false) })
    }
}
