// SPDX-License-Identifier: MIT

// User and password in three ways: a header field, a credential, and a block that is asked.
import AFNetworking

class BasicAuthClient {
    let manager: AFHTTPRequestOperationManager
    private(set) var challengeCount = 0
    private(set) var realms: [String] = []

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    }

    func logInWithHeader(_ path: String, user: String, password: String, completion: @escaping (Int?) -> Void) {
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername(user, password: password)
        manager.get(
            path, parameters: nil,
            success: { operation, _ in
                completion(operation.response?.statusCode)
            },
            failure: { operation, _ in
                completion(operation?.response?.statusCode)
            })
        manager.requestSerializer.clearAuthorizationHeader()
    }

    func logInWithCredential(_ path: String, user: String, password: String, completion: @escaping (Int?) -> Void) {
        manager.shouldUseCredentialStorage = false
        manager.credential = URLCredential(user: user, password: password, persistence: .none)
        manager.get(
            path, parameters: nil,
            success: { operation, _ in
                completion(operation.response?.statusCode)
            },
            failure: { operation, _ in
                completion(operation?.response?.statusCode)
            })
    }

    func logInWithBlock(
        _ url: URL, user: String, passwords: [String], completion: @escaping (Any?, Error?) -> Void
    ) {
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.shouldUseCredentialStorage = false
        operation.responseSerializer = AFJSONResponseSerializer()
        operation.setWillSendRequestForAuthenticationChallenge { connection, challenge in
            self.challengeCount += 1
            self.realms.append(challenge.protectionSpace.realm ?? "")
            if challenge.previousFailureCount < passwords.count {
                let password = passwords[challenge.previousFailureCount]
                let credential = URLCredential(user: user, password: password, persistence: .none)
                challenge.sender?.use(credential, for: challenge)
            } else {
                challenge.sender?.cancel(challenge)
            }
        }
        operation.setCompletionBlockWithSuccess(
            { _, object in
                completion(object, nil)
            },
            failure: { _, error in
                completion(nil, error)
            })
        manager.operationQueue.addOperation(operation)
    }

    /// Asks later, as with an alert; a nil password: the user does not answer.
    func logInWithQuestion(
        _ url: URL, credential: URLCredential?, ask: @escaping (@escaping (String?) -> Void) -> Void,
        completion: @escaping (Int?) -> Void
    ) {
        let operation = AFHTTPRequestOperation(request: NSURLRequest(url: url))
        operation.shouldUseCredentialStorage = false
        operation.credential = credential
        operation.setWillSendRequestForAuthenticationChallengeBlock { (connection, challenge) -> Void in
            DispatchQueue.main.async {
                ask { password in
                    guard let password = password else { return }
                    if password.isEmpty {
                        challenge.sender?.continueWithoutCredential(for: challenge)
                    } else {
                        let answer = URLCredential(user: "user", password: password, persistence: .none)
                        challenge.sender?.use(answer, for: challenge)
                    }
                }
            }
        }
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(operation.response?.statusCode)
            },
            failure: { operation, _ in
                completion(operation.response?.statusCode)
            })
        operation.start()
    }
}
