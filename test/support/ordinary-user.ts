/** Runs a command bound by the permissions of files, as an ordinary user is: the tests may run as root. */
const isRoot = process.getuid?.() === 0;

/** Put before a command. Root owns the files of the tests, and without these two rights a file's mode binds it as well. */
export const asOrdinaryUser: readonly string[] = isRoot
  ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
  : [];
