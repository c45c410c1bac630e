// SPDX-License-Identifier: MIT

/// What `--help` says beyond the options. The manual page, batchget.1, says the same at more length.
enum Manual {
    static let text = """
        EXAMPLES
          batchget https://example.com/a.iso https://example.com/b.iso
          batchget -o isos --split 4 https://example.com/large.iso
          batchget --limit-rate 2M --max-tries 10 --retry-wait 5 list.txt
          batchget -i downloads.meta4 --json >report.json
          find-urls | batchget --jobs 16 -

        TEXT MANIFEST
          One entry a line: a URL, perhaps more URLs of the same file, then key=value
          options, all separated by blanks. A line that begins with a blank has one
          more option of the entry above; its value goes to the end of the line.

            https://example.com/a.iso
            https://example.com/b.iso  out=images/b.iso  sha256=<64 hex digits>
            https://example.com/c?x=1  out="my file.txt" id=c after=a.iso,b group=docs
            https://example.com/d.iso  https://mirror.example.org/d.iso
              header=Authorization: Bearer abc
              split=8

          out=PATH      where the file goes, below --output; without it the last
                        component of the URL's path, or index.html
          dir=PATH      the folder it goes to, below --output
          checksum=TYPE=HEX   the digest that the file must have: sha-256, sha-512,
                        sha-384, sha-224, sha-1, md5
          sha256=HEX    the same as checksum=sha-256=HEX
          size=BYTES    the length that the file must have
          header=NAME: VALUE   a header field for this file's requests; repeatable
          mirrors=URL   one more place of the file; repeatable
          id=NAME       what after= calls the entry; without it the path of its file
          after=ID,...  begin when these are there; cancelled if one of them fails
          group=NAME    see --cancel-group-on-failure
          split, min-split-size, max-tries, retry-wait, limit-rate
                        as on the command line, for this file

          # at the beginning of a line or after a blank begins a comment. A URL or a
          value on a URL's line may stand in double quotes, and has to if it contains
          blanks; in quotes, \\" is a double quote and \\\\ a backslash.

        INPUT FILES OF ARIA2
          are text manifests. Of their options out, dir, header, checksum, split,
          min-split-size, max-tries, retry-wait, max-download-limit, user-agent and
          referer count; others are told, and ignored. dir= has to be below --output.

        METALINK
          Version 4, RFC 5854: names, sizes, digests, and places by their priority.

        JSON MANIFEST
          An array of objects, or {"downloads": [...]}, with the same fields; header,
          mirrors and after are arrays:

            [{"url": "https://example.com/a.iso", "id": "a"},
             {"url": "https://example.com/b.iso", "out": "b", "after": ["a"]}]

        Everything that is wrong with a manifest is told with its line or entry, and
        nothing is downloaded: ids or files that occur twice, unknown ids and cycles in
        after, files outside of --output. A link below --output is not followed.

        SEVERAL PLACES, SEVERAL RANGES
          A file with several places is had from all of them at once, in ranges, if
          they have the same strong entity tag or there is a checksum; else from one
          after the other until it is complete. --split asks one place for several
          ranges. A range is asked for only where no other file waits for its place,
          and with If-Range, so that a file that is changed meanwhile begins anew.

        RUNNING IT AGAIN
          A file that is there is skipped: with a digest or a size if it has that (else
          it is replaced), without one in any case; --force downloads it again. What is
          incomplete is in FILE.part, with FILE.part.json beside it, and is continued
          if the URL is the same and the server still has the same file; this holds
          after Ctrl-C and after a kill. A second Ctrl-C does not wait for the first.
          A part that others may write to is not continued, but made anew.

        A QUEUE
          --queue jobs.sqlite keeps what is to be done in a file, --queue
          postgresql:///jobs in a database. Any number of runs may have one queue, at
          once, on many machines with a database; each file is downloaded by one of
          them, below the --output of that one. A run that is killed leaves its files
          to the others, or to its next run. Without URLs and manifest a run has what
          the queue has. Each ends when nothing is left, of the others either.
          --per-host and a Retry-After hold over all of them together.

            batchget --queue jobs.sqlite -o out list.txt

          What failed is tried again when it is asked for again. --header and
          --header-file are not in the queue: each run needs its own. --split and the
          rate limits are not for queues, and a checksum has to be sha-256. An end is
          remembered for a week.

        OUTPUT
          On a terminal standard error shows the active downloads; elsewhere, and with
          --no-progress, it gets a line for each: done|skipped FILE BYTES,
          failed|cancelled FILE REASON. Standard output has the report of --json alone.
          Values of header fields, and user names and passwords in URLs, are not shown.

        REQUESTS
          Lost connections, and the statuses 408, 425, 429, 500, 502, 503 and 504, are
          followed by another attempt; Retry-After is waited for, up to two minutes.
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
          69   the queue cannot be opened, or fails
          73   the output directory, or a folder in it, cannot be written to
          129, 130, 143   stopped by SIGHUP, SIGINT (Ctrl-C), SIGTERM
        """
}
