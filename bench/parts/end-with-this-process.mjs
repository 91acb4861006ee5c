/** Programs that a benchmark started do not outlive it, even if it is interrupted. */
export function endWithThisProcess(child, { group = false } = {}) {
  const end = () => {
    try {
      process.kill(group ? -child.pid : child.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  process.once("exit", end);
  child.once("exit", () => process.removeListener("exit", end));
}
