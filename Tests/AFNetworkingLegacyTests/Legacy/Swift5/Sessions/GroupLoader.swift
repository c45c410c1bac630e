// SPDX-License-Identifier: MIT

// Several tasks, and one call when all are there.
import AFNetworking

class GroupLoader {
    let manager: AFHTTPSessionManager

    init(baseURL: URL) {
        manager = AFHTTPSessionManager(baseURL: baseURL)
    }

    func load(_ paths: [String], completion: @escaping ([String: Any], [String: NSError]) -> Void) {
        let group = DispatchGroup()
        var objects: [String: Any] = [:]
        var errors: [String: NSError] = [:]
        for path in paths {
            group.enter()
            manager.get(
                path, parameters: nil, headers: nil, progress: nil,
                success: { _, object in
                    objects[path] = object
                    group.leave()
                },
                failure: { _, error in
                    errors[path] = error as NSError
                    group.leave()
                })
        }
        group.notify(queue: .main) {
            completion(objects, errors)
        }
    }
}
