// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

/// A client certificate with its chain and private key, for servers that ask for one (mutual TLS).
///
/// The key is never part of a description, a log or an error.
///
/// ```swift
/// manager.clientIdentity = try ClientIdentity(
///     pkcs12: Data(contentsOf: archive), password: password)
/// ```
public struct ClientIdentity: Sendable {
    let material: ClientIdentityMaterial

    /// Reads PEM text.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: The client's certificate, then the intermediate ones that lead to its root.
    ///   - privateKeyPEM: The key of the first certificate: PKCS#8, PKCS#1 or SEC 1, encrypted or not.
    ///   - password: What an encrypted key is encrypted with; nil by default.
    /// - Throws: `ClientIdentityError`.
    public init(certificateChainPEM: Data, privateKeyPEM: Data, password: String? = nil) throws {
        do {
            material = try ClientIdentityMaterial(
                certificateChainPEM: certificateChainPEM, privateKeyPEM: privateKeyPEM, password: password)
        } catch {
            throw ClientIdentityError(error)
        }
    }

    /// Reads a PKCS#12 file (`.p12`, `.pfx`).
    ///
    /// - Parameters:
    ///   - pkcs12: The file's contents: one key, its certificate, and the rest of the chain.
    ///   - password: The file's password; "" when it has none.
    /// - Throws: `ClientIdentityError`.
    public init(pkcs12: Data, password: String) throws {
        do {
            material = try ClientIdentityMaterial(pkcs12: pkcs12, password: password)
        } catch {
            throw ClientIdentityError(error)
        }
    }
}

extension ClientIdentity: CustomStringConvertible, CustomReflectable {
    /// Names the identity by the beginning of a fingerprint.
    public var description: String { material.description }
    /// Shows the fingerprint only.
    public var customMirror: Mirror { material.customMirror }
}
