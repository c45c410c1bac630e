// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

extension URLRequest {
    /// Returns true if both are sent alike. Compares part by part: on Linux requests are equal whatever their fields
    /// are. Streams are not compared.
    func isSent(like other: URLRequest) -> Bool {
        url == other.url && httpMethod == other.httpMethod
            && (allHTTPHeaderFields ?? [:]).hasOctets(of: other.allHTTPHeaderFields ?? [:])
            && httpBody == other.httpBody
            && timeoutInterval == other.timeoutInterval && cachePolicy == other.cachePolicy
    }
}
