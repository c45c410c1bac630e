// swift-tools-version: 6.2
import PackageDescription

/// One set of settings for every target, the library's own.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A recipe: an executable of one file. `Scripts/examples` runs them all.
func recipe(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [.product(name: "OperationNetworking", package: "OperationNetworking")],
        swiftSettings: settings)
}

let package = Package(
    name: "OperationNetworkingExamples",
    products: [
        .executable(name: "demo", targets: ["Demo"])
    ],
    dependencies: [
        // Named, because the checkout's folder may have any name.
        .package(name: "OperationNetworking", path: ".."),
        // For the demo's embedded server only.
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
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
    ]
)
