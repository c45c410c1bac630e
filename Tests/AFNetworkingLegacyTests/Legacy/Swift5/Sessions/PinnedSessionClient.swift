// SPDX-License-Identifier: MIT

// Talks to the server with the app's certificate only, and asks before it trusts another.
import AFNetworking

class PinnedSessionClient: AFHTTPSessionManager, @unchecked Sendable {
    private(set) var questions = 0

    func pin(_ certificate: Data) {
        let policy = AFSecurityPolicy(pinningMode: .certificate)
        policy.pinnedCertificates = [certificate]
        policy.allowInvalidCertificates = true
        securityPolicy = policy
    }

    func trustEverything() {
        setSessionDidReceiveAuthenticationChallenge { session, challenge, credential in
            self.questions += 1
            guard let trust = challenge.protectionSpace.untrustedServer else { return .performDefaultHandling }
            credential?.pointee = URLCredential.accepting(trust)
            return .useCredential
        }
    }

    func balance(completion: @escaping (Int?, NSError?) -> Void) {
        get(
            "balance", parameters: nil, headers: nil, progress: nil,
            success: { _, responseObject in
                completion((responseObject as? [String: Any])?["balance"] as? Int, nil)
            },
            failure: { _, error in
                completion(nil, error as NSError)
            })
    }
}
