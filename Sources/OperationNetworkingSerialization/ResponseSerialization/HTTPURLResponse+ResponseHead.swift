// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

extension HTTPURLResponse {
    /// Returns true if the content of both responses is the same, as far as heads tell.
    package func describesSame(as other: HTTPURLResponse) -> Bool {
        let names = ["ETag", "Last-Modified", "Content-Type", "Content-Encoding", "Content-Length", "Content-Range"]
        return statusCode == other.statusCode
            && names.allSatisfy { name in
                value(forHTTPHeaderField: name).hasOctets(of: other.value(forHTTPHeaderField: name))
            }
    }
}

extension ResponseHead {
    /// The fields in the order received; those that came several times joined by ", " under their first spelling. Names
    /// are ASCII tokens, so that comparing, hashing and folding them takes linear time.
    package var joinedFields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(16)
        // Where each is, by its name in lower case, once there are many: a head may hold tens of thousands.
        var places: [String: Int] = [:]
        forEachField { name, value in
            let place: Int?
            if fields.count < Self.manyFields {
                place = fields.firstIndex { $0.name.isFieldName(name) }
            } else {
                if places.isEmpty {
                    for (index, field) in fields.enumerated() {
                        places[field.name.lowercased()] = index  // checked: a token
                    }
                }
                place = places[name.lowercased()]  // checked: a token
            }
            if let place {
                fields[place].value.append(", " + value)
            } else {
                if !places.isEmpty { places[name.lowercased()] = fields.count }  // checked: a token
                fields.append((name, value))
            }
        }
        return fields
    }

    private static let manyFields = 32
}
