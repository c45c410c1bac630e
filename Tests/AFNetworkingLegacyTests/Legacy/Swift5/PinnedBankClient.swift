// SPDX-License-Identifier: MIT

// A client that talks to one server only: the one with the certificate that the app brings along.
import AFNetworking

class PinnedBankClient: AFHTTPRequestOperationManager, @unchecked Sendable {
    convenience init(baseURL: URL, certificatePath: String, pinsPublicKey: Bool = false) {
        self.init(baseURL: baseURL)
        let policy = AFSecurityPolicy(pinningMode: pinsPublicKey ? .publicKey : .certificate)
        let certificateData = NSData(contentsOfFile: certificatePath)! as Data
        policy.pinnedCertificates = [certificateData]
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = true
        securityPolicy = policy
    }

    func balance(completion: @escaping (Double?, NSError?) -> Void) {
        get(
            "balance", parameters: nil,
            success: { _, responseObject in
                let json = responseObject as? NSDictionary
                completion(json?["balance"] as? Double, nil)
            },
            failure: { _, error in
                completion(nil, error as NSError)
            })
    }
}
