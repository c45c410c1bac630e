// SPDX-License-Identifier: MIT

// A request serializer that signs what another one makes, and adds parameters to each request.
import AFNetworking

class SignedRequestSerializer: AFHTTPRequestSerializer, @unchecked Sendable {
    var key = ""
    var sharedParameters: [String: Any] = [:]

    override func request(
        withMethod method: String, urlString URLString: String, parameters: Any?
    ) throws -> URLRequest {
        var all = sharedParameters
        for (name, value) in parameters as? [String: Any] ?? [:] {
            all[name] = value
        }
        return try super.request(withMethod: method, urlString: URLString, parameters: all)
    }

    override func request(bySerializing request: URLRequest, withParameters parameters: Any?) throws -> URLRequest {
        let serialized = try super.request(bySerializing: request, withParameters: parameters)
        let mutableRequest = (serialized as NSURLRequest).mutableCopy() as! NSMutableURLRequest
        let text = AFQueryStringFromParameters(parameters ?? [:])
        mutableRequest.setValue(signature(of: text), forHTTPHeaderField: "X-Signature")
        return mutableRequest as URLRequest
    }

    func signature(of text: String) -> String {
        // FNV-1a: a stand-in for an HMAC.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in Array((key + text).utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }
}
