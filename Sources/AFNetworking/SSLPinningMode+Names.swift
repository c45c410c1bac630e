// SPDX-License-Identifier: MIT

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension SSLPinningMode {
    /// `none`, as Swift 1 and 2 have it.
    public static let None = SSLPinningMode.none
    /// `publicKey`, as Swift 1 and 2 have it.
    public static let PublicKey = SSLPinningMode.publicKey
    /// `certificate`, as Swift 1 and 2 have it.
    public static let Certificate = SSLPinningMode.certificate
}
