// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

/// One set of settings for every target, the library's own.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

// Built by Scripts/fuzz, with the sanitizers that bring libFuzzer and its main function.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "OperationNetworking", path: "..")],
    targets: [
        // Those of Examples, by symbolic links.
        .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CStatx"),
        .target(
            name: "BatchGetCore",
            dependencies: [
                "CLibCrypto", "CStatx",
                .product(name: "OperationNetworking", package: "OperationNetworking"),
                .product(name: "OperationNetworkingDurable", package: "OperationNetworking"),
                .product(name: "OperationNetworkingXML", package: "OperationNetworking"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "BatchGetCore",
                .product(name: "OperationNetworking", package: "OperationNetworking"),
                .product(name: "OperationNetworkingImages", package: "OperationNetworking"),
                .product(name: "OperationNetworkingXML", package: "OperationNetworking"),
            ],
            swiftSettings: settings),
    ]
)
