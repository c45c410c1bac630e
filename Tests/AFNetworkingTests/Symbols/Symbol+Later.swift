// SPDX-License-Identifier: MIT
import AFNetworking

// What AFNetworking 3 and 4 have added to the types of AFNetworking 2.

extension Symbol {
    static var later: [Symbol] {
        laterFunctions + laterMembers
    }

    private static var laterFunctions: [Symbol] {
        [
            available("AFPercentEscapedStringFromString", "AFPercentEscapedStringFromString(_:)") {
                (text: String) in
                _ = typed(String.self, AFPercentEscapedStringFromString(text))
            },
            available("AFQueryStringFromParameters", "AFQueryStringFromParameters(_:)") {
                (parameters: [String: Any]) in
                _ = typed(String.self, AFQueryStringFromParameters(parameters))
            },
            available(
                "AFJSONObjectByRemovingKeysWithNullValues", "AFJSONObjectByRemovingKeysWithNullValues(_:_:)"
            ) {
                (object: Any) in _ = AFJSONObjectByRemovingKeysWithNullValues(object, [])
            },
        ]
    }

    private static var laterMembers: [Symbol] {
        typealias Activity = AFNetworkActivityIndicatorManager
        return [
            available(
                "+[AFSecurityPolicy certificatesInBundle:]", "certificatesInBundle(_:)", "certificates(in:)"
            ) { (bundle: Bundle) in
                _ = AFSecurityPolicy.certificatesInBundle(bundle)
                _ = typed(Set<Data>.self, AFSecurityPolicy.certificates(in: bundle))
            },
            available(
                "+[AFSecurityPolicy policyWithPinningMode:withPinnedCertificates:]",
                "init(pinningMode:pinnedCertificates:)",
                note: "In Swift it was init(pinningMode:withPinnedCertificates:)."
            ) { (pins: Set<Data>) in
                _ = AFSecurityPolicy(pinningMode: .publicKey, pinnedCertificates: pins)
                _ = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: pins)
            },
            available("+[AFNetworkReachabilityManager manager]", "manager()", "init()") { (_: Void) in
                _ = [AFNetworkReachabilityManager.manager(), AFNetworkReachabilityManager()]
            },
            available("AFNetworkActivityIndicatorManager.activationDelay", "activationDelay") {
                (manager: Activity) in manager.activationDelay = 1
            },
            available("AFNetworkActivityIndicatorManager.completionDelay", "completionDelay") {
                (manager: Activity) in manager.completionDelay = 0.17
            },
            available(
                "AFNetworkActivityIndicatorManager.networkActivityIndicatorVisible",
                "isNetworkActivityIndicatorVisible"
            ) { (manager: Activity) in _ = typed(Bool.self, manager.isNetworkActivityIndicatorVisible) },
            available(
                "-[AFNetworkActivityIndicatorManager setNetworkingActivityActionWithBlock:]",
                "setNetworkingActivityActionWithBlock(_:)", "setNetworkingActivityActionWith(_:)"
            ) { (manager: Activity) in
                manager.setNetworkingActivityActionWithBlock { (_: Bool) in }
                manager.setNetworkingActivityActionWith { _ in }
                manager.setNetworkingActivityActionWith(nil)
            },
        ]
    }
}
