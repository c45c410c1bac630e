// SPDX-License-Identifier: MIT

// Logs in, and once more when the token is no longer good: the request that was refused is sent again.
import AFNetworking

class SessionClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    var user = ""
    var password = ""
    private(set) var loginCount = 0
    private(set) var waiting: [() -> Void] = []
    private var isLoggingIn = false

    func logIn(completion: @escaping (Bool) -> Void) {
        let parameters = ["user": user, "password": password]
        post(
            "login", parameters: parameters,
            success: { _, responseObject in
                self.loginCount += 1
                guard let json = responseObject as? [String: Any], let token = json["token"] as? String else {
                    return completion(false)
                }
                self.requestSerializer.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                completion(true)
            },
            failure: { _, _ in
                completion(false)
            })
    }

    func load(
        _ path: String, retry: Bool = true,
        success: @escaping (Any?) -> Void, failure: @escaping (AFHTTPRequestOperation?, Error) -> Void
    ) {
        get(
            path, parameters: nil,
            success: { _, responseObject in
                success(responseObject)
            },
            failure: { operation, error in
                guard retry, operation?.response?.statusCode == 401 else {
                    return failure(operation, error)
                }
                self.waiting.append { self.load(path, retry: false, success: success, failure: failure) }
                guard !self.isLoggingIn else { return }
                self.isLoggingIn = true
                self.logIn { ok in
                    self.isLoggingIn = false
                    let actions = self.waiting
                    self.waiting = []
                    if ok {
                        actions.forEach { $0() }
                    } else {
                        failure(operation, error)
                    }
                }
            })
    }
}
