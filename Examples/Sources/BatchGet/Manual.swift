/// What `--help` says beyond the options.
enum Manual {
    static let text = """
        TEXT MANIFEST
          One entry a line: a URL, then key=value options, separated by blanks.

            https://example.com/a.iso
            https://example.com/b.iso  out=images/b.iso  sha256=<64 hex digits>
            https://example.com/c?x=1  out="my file.txt" id=c after=a.iso,b group=docs

          out=PATH      where the file goes, below --output; without it the last
                        component of the URL's path, or index.html
          sha256=HEX    the digest that the file must have
          id=NAME       what after= calls the entry; without it the path of its file
          after=ID,...  begin when these are there; cancelled if one of them fails
          group=NAME    see --cancel-group-on-failure

          # at the beginning of a line or after a blank begins a comment. A URL or a
          value may stand in double quotes, and has to if it contains blanks; in
          quotes, \\" is a double quote and \\\\ a backslash.

        JSON MANIFEST
          An array of objects, or {"downloads": [...]}, with the same fields:

            [{"url": "https://example.com/a.iso", "id": "a"},
             {"url": "https://example.com/b.iso", "out": "b", "after": ["a"]}]

        Everything that is wrong with a manifest is told with its line or entry, and
        nothing is downloaded: ids or files that occur twice, unknown ids and cycles in
        after, files outside of --output. A link below --output is not followed.

        RUNNING IT AGAIN
          A file that is there is skipped: with a digest if it has that (else it is
          replaced), without one in any case; --force downloads it again. What is
          incomplete is in FILE.part, with FILE.part.json beside it, and is continued
          if the URL is the same and the server still has the same file; this holds
          after Ctrl-C and after a kill. A second Ctrl-C does not wait for the first.

        OUTPUT
          On a terminal standard error shows the active downloads; elsewhere, and with
          --no-progress, it gets a line for each: done|skipped FILE BYTES,
          failed|cancelled FILE REASON. Standard output has the report of --json alone.
          Values of header fields, and user names and passwords in URLs, are not shown.

        REQUESTS
          Fields of --header and --header-file go to every host of the manifest; of two
          with one name the last counts. A redirect to another host takes all along but
          Authorization and Cookie. No cookies are kept; the environment's
          proxies are used with --proxy environment only.

        EXIT STATUS
          0    every file is there
          1    some are not
          64   wrong command line
          65   wrong manifest
          66   a file named on the command line cannot be read
          73   the output directory, or a folder in it, cannot be written to
          129, 130, 143   stopped by SIGHUP, SIGINT (Ctrl-C), SIGTERM
        """
}
