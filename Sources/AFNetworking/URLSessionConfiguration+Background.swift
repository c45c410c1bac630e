// SPDX-License-Identifier: MIT
public import FoundationNetworking

extension URLSessionConfiguration {
    /// The default configuration. There are no background sessions on Linux, where no process is suspended. Tasks go on
    /// as long as the process does.
    ///
    /// - Parameter identifier: has no effect.
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        .default
    }
}
