/** What fails in Wine and not in Windows. Each failure that none of these explains is one of ours. */
export const limits: readonly {
  readonly reason: string;
  /** Matches the name of the test's file and the test, and what it failed with. */
  readonly failure: RegExp;
}[] = [
  { reason: 'Wine makes no junctions and no symbolic links', failure: /ENOTSUP: operation not supported.*, symlink/ },
  {
    reason: 'The junction that the test makes in between is missing, as above, so nothing had to be refused',
    failure:
      /folderLinks\.test\.ts: LocalFolder and links with a link made between the check and the call (?:(?:create|append to a new file) leaves no file outside: .*\+ Comparison \{\}|create, append and read write nothing .*\+ +code: 'ENOTSUP'|moveIfAbsent by link leaves neither name outside: .*"ENOENT: )/s,
  },
  {
    reason: 'The npm package of Node for Windows has no npm in it',
    failure: /workflows\.slow\.test\.ts: the package of the command line .*: Can't recognize 'npm pack /,
  },
  {
    // Windows calls it EINVAL.
    reason: 'A folder with too long a name is ENOENT in Wine, so Node makes the folder above it for ever',
    failure: /takenOver\.slow\.test\.ts: .*, and nothing can be written for this one: Timeout /,
  },
  {
    reason: 'Appends of Wine are not atomic',
    failure: /append\.test\.ts: LocalFolder\.append keeps all lines of two processes complete,/,
  },
];
