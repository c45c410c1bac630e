// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// The process's one transport, a network thread and its connections, which all operations share.
public enum NetworkEngine {
    /// Connections, and so requests, at a time to one scheme, host and port, whatever credentials, proxies and security
    /// policies they are for. 6 by default, at least 1; a change applies to what is waiting.
    ///
    /// An origin that answers in HTTP/2, where requests share connections, gets 100 requests at a time, or this many if
    /// that is more. Others wait, highest `queuePriority` first, and waiting never counts against a request's timeout.
    /// Requests that are paused, or suspended, with their connections open do not count, and keep no request waiting.
    public static var maximumConnectionsPerHost: Int {
        get { TransportEngine.shared.maximumConnectionsPerHost }
        set { TransportEngine.shared.maximumConnectionsPerHost = newValue }
    }

    /// True if TLS connections made from now on write their secrets to a file, so that Wireshark and the like can
    /// decrypt them. The environment variable `SSLKEYLOGFILE` named that file when the process began. False by default:
    /// a person who controls the environment must not be able to read what is sent. The file may be made in any case;
    /// it stays empty.
    public static var logsTLSSecrets: Bool {
        get { TransportEngine.logsTLSSecrets }
        set { TransportEngine.logsTLSSecrets = newValue }
    }
}
