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

/// A recipe: an executable of one file. `Scripts/examples` runs them all.
func recipe(_ name: String, products: [String] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: (["OperationNetworking"] + products).map { .product(name: $0, package: "OperationNetworking") },
        swiftSettings: settings)
}

let package = Package(
    name: "OperationNetworkingExamples",
    products: [
        .executable(name: "demo", targets: ["Demo"]),
        .executable(name: "batchget", targets: ["BatchGet"]),
    ],
    dependencies: [
        // Named, because the checkout's folder may have any name.
        .package(name: "OperationNetworking", path: ".."),
        // For servers: the demo's embedded one, and the one of batchget's tests.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
        // For batchget's command line.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "Demo",
            dependencies: [
                .product(name: "OperationNetworking", package: "OperationNetworking"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            swiftSettings: settings),
        recipe("FirstProgram"),
        recipe("Quickstart"),
        recipe("JSONAPIClient"),
        recipe("LoginThenRequests"),
        recipe("BatchDownload"),
        recipe("GroupCancel"),
        recipe("ResumableDownload"),
        recipe("MultipartUpload"),
        recipe("Pinning"),
        recipe("MutualTLS"),
        recipe("AsyncAwait"),
        recipe("ActivitySpinner"),
        recipe("EventStream"),
        recipe("RetryingClient"),
        recipe("SessionClient"),
        recipe("SessionInLibrary"),
        recipe("DownloadManager"),
        recipe("NightlyJob", products: ["OperationNetworkingDurable"]),
        recipe("PictureViewer", products: ["OperationNetworkingImages"]),
        recipe("TerminalViews", products: ["OperationNetworkingImages"]),

        .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CStatx"),
        .target(
            name: "BatchGetCore",
            dependencies: [
                "CLibCrypto", "CStatx", .product(name: "OperationNetworking", package: "OperationNetworking"),
                .product(name: "OperationNetworkingDurable", package: "OperationNetworking"),
                .product(name: "OperationNetworkingXML", package: "OperationNetworking"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "BatchGet",
            dependencies: [
                "BatchGetCore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "OperationNetworking", package: "OperationNetworking"),
            ],
            exclude: ["batchget.1"],
            swiftSettings: settings),
        .testTarget(
            name: "BatchGetTests",
            dependencies: [
                "BatchGetCore",
                // Started by the tests, so it has to be built.
                "BatchGet",
                .product(name: "OperationNetworking", package: "OperationNetworking"),
                .product(name: "OperationNetworkingDurable", package: "OperationNetworking"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            swiftSettings: settings),
    ]
)
