// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

extension NetworkReachabilityManager {
    /// The reachability of a target, and the kind of network. AF: `AFNetworkReachabilityStatus`.
    public enum Status: Int, Sendable {
        /// Not known yet, or the kernel cannot be asked.
        case unknown = -1
        /// There is no route to the target.
        case notReachable = 0
        /// Over a mobile network.
        case reachableViaWWAN = 1
        /// Reachable over anything else, such as WLAN, a cable, a tunnel, or the loopback.
        case reachableViaWiFi = 2

        /// A text for the user, in the table `AFNetworking` of the main bundle. In English when the table has no text.
        /// AF: `AFStringFromNetworkReachabilityStatus`.
        public var localizedString: String {
            switch self {
            case .unknown: Self.localized("Unknown")
            case .notReachable: Self.localized("Not Reachable")
            case .reachableViaWWAN: Self.localized("Reachable via WWAN")
            case .reachableViaWiFi: Self.localized("Reachable via WiFi")
            }
        }

        private static func localized(_ text: String) -> String {
            RunningProgram.bundle?.localizedString(forKey: text, value: text, table: "AFNetworking") ?? text
        }
    }
}

extension Notification.Name {
    /// Posted on the main queue when a manager's status became known or changed. The object is the manager, and the
    /// user info has the status's `rawValue` under ``NetworkingReachabilityNotificationStatusItem``.
    ///
    /// AF: `AFNetworkingReachabilityDidChangeNotification`.
    public static let networkingReachabilityDidChange = Notification.Name(
        "com.alamofire.networking.reachability.change")
}

// The name is AFNetworking's without its prefix, as those of the error keys.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The key of the status's `rawValue` as a number, in the user info of `networkingReachabilityDidChange`. AF:
/// `AFNetworkingReachabilityNotificationStatusItem`.
public let NetworkingReachabilityNotificationStatusItem = "AFNetworkingReachabilityNotificationStatusItem"
