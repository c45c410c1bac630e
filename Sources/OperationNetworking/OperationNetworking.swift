// SPDX-License-Identifier: MIT
@_exported public import OperationNetworkingCore
@_exported public import OperationNetworkingSessions
