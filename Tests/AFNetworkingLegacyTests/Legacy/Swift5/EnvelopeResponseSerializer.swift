// SPDX-License-Identifier: MIT

// A response serializer for a service that puts its own status into the content.
import AFNetworking

let envelopeErrorDomain = "com.example.envelope"
let envelopeResponseObjectKey = "EnvelopeResponseObject"

class EnvelopeResponseSerializer: AFJSONResponseSerializer, @unchecked Sendable {
    override init() {
        super.init()
        acceptableStatusCodes = IndexSet(integersIn: 200..<500)
        removesKeysWithNullValues = true
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        let object = try super.responseObject(for: response, data: data)
        guard let envelope = object as? [String: Any], let status = envelope["status"] as? Int else {
            throw NSError(
                domain: envelopeErrorDomain, code: -1,
                userInfo: [NSLocalizedDescriptionKey: "The answer has no status."])
        }
        if status != 0 {
            var userInfo: [String: Any] = [:]
            userInfo[NSLocalizedDescriptionKey] = envelope["message"] as? String ?? "unknown"
            userInfo[envelopeResponseObjectKey] = envelope
            throw NSError(domain: envelopeErrorDomain, code: status, userInfo: userInfo)
        }
        return envelope["data"]
    }
}
