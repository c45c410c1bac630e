// SPDX-License-Identifier: MIT

// Everything that `import AFNetworking` gives a file: the names of AFNetworking 2, 3 and 4, and what they stand for.
//
// The module holds names only: aliases, and forwards of one line to the types of `OperationNetworking`. There is one
// type behind a name and its alias, so files that import this module and files that import `OperationNetworking` can
// hand their objects to each other.
//
// **Spellings.** A method of AFNetworking has up to two names in Swift: the one of Swift 1 and 2, which is its selector
// (`GET(_:parameters:success:failure:)`), and the one of Swift 3 and later, which the importer made of it
// (`get(_:parameters:success:failure:)`). Both are here. Where the names are those of `OperationNetworking` anyway,
// there is nothing to declare.
//
// **Nothing here is deprecated.** A program that moves over is to build as it did, also where warnings are errors; a
// warning at every `AF` would drown those that matter. The names cost nothing to keep, and a program that leaves them
// behind changes the import: the compiler then names every place.
//
// **Closures.** Blocks are `@Sendable`, because they run on other threads. The declarations are `@preconcurrency`: a
// client in the Swift 5 language mode sees nothing of it, and one in the Swift 6 mode gets warnings in place of errors.
// What no declaration here can spare a client is to restate `@unchecked Sendable` in its subclasses: the compiler asks
// for it in both modes, with a warning, as it does for every subclass of `Operation` on Linux.
//
// **Objects.** Blocks in the old spelling get the response object as `AnyObject?`, or `AnyObject` if they say so:
// values are bridged (a dictionary is an `NSDictionary`, text an `NSString`), and can be cast back. For a block whose
// object is not optional, `NSNull` stands for nothing. A block that leaves the types to the compiler gets an optional
// object: where code was written for one that is not, the compiler accepts it, in some places with a warning, while the
// other way round it would be an error.
//
// **Overloads.** For one old name there may be several functions, for the types that blocks have had. All but one are
// `@_disfavoredOverload`, so that `nil` and blocks without types are never ambiguous.

// `Foundation` of an Apple system has XML in it: who imports this module there needs nothing else for `XMLParser`.
@_exported public import FoundationXML
@_exported public import OperationNetworking
@_exported public import OperationNetworkingXML
