// SPDX-License-Identifier: MIT

// User and password when the server asks, in the two ways of AFNetworking 3 and 4.
import AFNetworking

class LoginSession {
    let manager: AFHTTPSessionManager
    private(set) var challenges = 0

    init(baseURL: URL) {
        let configuration = URLSessionConfiguration.ephemeral
        manager = AFHTTPSessionManager(baseURL: baseURL, sessionConfiguration: configuration)
    }

    func answerByBlock(user: String, password: String) {
        manager.setTaskDidReceiveAuthenticationChallenge {
            (session, task, challenge, credential) -> URLSession.AuthChallengeDisposition in
            self.challenges += 1
            if challenge.previousFailureCount > 0 {
                return .cancelAuthenticationChallenge
            }
            credential?.pointee = URLCredential(user: user, password: password, persistence: .none)
            return .useCredential
        }
    }

    func answerByHandler(user: String?, password: String, error: NSError) {
        manager.setAuthenticationChallengeHandler { session, task, challenge, completionHandler -> Any? in
            self.challenges += 1
            guard challenge.previousFailureCount == 0, let user = user else { return error }
            return URLCredential(user: user, password: password, persistence: .none)
        }
    }

    func answerLater(user: String, password: String) {
        manager.setAuthenticationChallengeHandler { session, task, challenge, completionHandler -> Any? in
            DispatchQueue.main.async {
                completionHandler(.useCredential, URLCredential(user: user, password: password, persistence: .none))
            }
            return nil
        }
    }

    func logIn(_ path: String, completion: @escaping (Any?, NSError?) -> Void) {
        manager.get(
            path, parameters: nil, headers: nil, progress: nil,
            success: { _, object in
                completion(object, nil)
            },
            failure: { _, error in
                completion(nil, error as NSError)
            })
    }
}
