// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// No certificates to trust were found.
package struct TrustStoreError: DescribedFailure, Sendable, Hashable {
    /// Files and folders that were looked into, each with what was wrong with it.
    package let placesTried: [String]

    package var description: String {
        "no trusted root certificates were found (install the package ca-certificates, or set SSL_CERT_FILE or "
            + "SSL_CERT_DIR); tried " + placesTried.joined(separator: ", ")
    }
}

extension TrustStore {
    /// The roots of this machine, found and loaded when first asked for and kept as long as the process lives.
    ///
    /// Looked for again after a failure: a process that had no descriptor left to read them with may have one later.
    package static var system: Result<TrustStore, TrustStoreError> {
        // Others wait for the one that loads.
        found.withLock { found in
            if let found { return .success(found) }
            let result = system(environment: ProcessInfo.processInfo.environment)
            found = try? result.get()
            return result
        }
    }

    private static let found = Locked<TrustStore?>(nil)

    /// Begins to load the roots, which takes some tens of milliseconds, so that the first handshake need not wait for
    /// all of it.
    static func loadSystemInBackground() { _ = backgroundLoad }

    private static let backgroundLoad: Void = DispatchQueue.global(qos: .userInitiated).async { _ = system }

    /// The files in which Linux distributions keep their roots.
    private static let usualFiles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, Amazon Linux
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/etc/ssl/cert.pem",  // Alpine
    ]
    /// The same as folders of hashed certificates.
    private static let usualFolders = ["/etc/ssl/certs", "/etc/pki/tls/certs"]

    /// Looks for roots: in the file of `SSL_CERT_FILE` and the folders of `SSL_CERT_DIR` (separated by colons) if
    /// either is set and not empty, and only there; otherwise in the usual places, until one has some.
    static func system(environment: [String: String]) -> Result<TrustStore, TrustStoreError> {
        let file = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
        let folders = (environment["SSL_CERT_DIR"] ?? "").split(separator: ":").map(String.init)  // checked: our own
        var tried: [String] = []
        if file != nil || !folders.isEmpty {
            let files = [file].compactMap { $0 }.filter { isUsable(file: $0, label: "SSL_CERT_FILE=\($0)", &tried) }
            let usable = folders.filter { isUsable(folder: $0, label: "SSL_CERT_DIR=\($0)", &tried) }
            guard !files.isEmpty || !usable.isEmpty else { return .failure(TrustStoreError(placesTried: tried)) }
            return load(files: files, folders: usable, &tried)
        }
        for file in usualFiles + [String(cString: X509_get_default_cert_file())]
        where isUsable(file: file, label: file, &tried) {
            if case .success(let store) = load(files: [file], folders: [], &tried) { return .success(store) }
        }
        for folder in usualFolders + [String(cString: X509_get_default_cert_dir())]
        where isUsable(folder: folder, label: folder, &tried) {
            if case .success(let store) = load(files: [], folders: [folder], &tried) { return .success(store) }
        }
        return .failure(TrustStoreError(placesTried: tried))
    }

    private static func load(
        files: [String], folders: [String], _ tried: inout [String]
    ) -> Result<TrustStore, TrustStoreError> {
        do {
            return .success(try TrustStore(files: files, folders: folders))
        } catch {
            tried.append("\((files + folders).joined(separator: ", ")) (\(error))")
            return .failure(TrustStoreError(placesTried: tried))
        }
    }

    private static func isUsable(file: String, label: String, _ tried: inout [String]) -> Bool {
        if FileManager.default.isReadableFile(atPath: file) { return true }
        tried.append("\(label) (no such file, or not readable)")
        return false
    }

    private static func isUsable(folder: String, label: String, _ tried: inout [String]) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            tried.append("\(label) (no such folder, or not readable)")
            return false
        }
        if names.contains(where: isHashedName) { return true }
        tried.append("\(label) (no hashed certificates; run \"openssl rehash\" on it)")
        return false
    }

    /// Eight hexadecimal digits, a dot, a number: what a lookup by subject asks for.
    private static func isHashedName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)  // checked: a file's name
        return parts.count == 2 && parts[0].utf8.count == 8 && parts[0].allSatisfy(\.isHexDigit)
            && !parts[1].isEmpty && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
