/** Runs a command subject to file permissions, like an ordinary user: the tests may run as root. */
const isRoot = process.getuid?.() === 0;

/** A prefix for a command. Without these two capabilities, file modes also apply to root, who owns the tests' files. */
export const asOrdinaryUser: readonly string[] = isRoot
  ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
  : [];
