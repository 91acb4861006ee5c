/** Judges the facts, and says how to fix what is wrong. Pure. */
import type { Check } from "../../platform/doctor-check.ts";
import { failed, failedBy, ok, warning } from "../../platform/doctor-check.ts";
import { shellQuote } from "../../platform/shell-quote.ts";
import type { ConfiguredFacts, DirectoryFacts, Facts, PortFacts, TokenFacts } from "./facts.ts";
import { judgeTelegram } from "./judge-telegram.ts";

export function judge(facts: Facts): Check[] {
  const { configured, now } = facts;
  return [
    judgeNode(facts.node),
    judgeConfig(configured),
    judgeHome(facts.home),
    judgeToken(facts.token),
    ...(configured.ok ? judgeConfigured(configured.facts) : []),
    judgeClock(now, configured.ok ? configured.facts.store : null),
  ];
}

function judgeNode({ version, needed }: Facts["node"]): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [minMajor = 0, minMinor = 0] = needed.split(".").map(Number);
  const enough = major > minMajor || (major === minMajor && minor >= minMinor);
  if (enough) return ok("node", `Node.js ${version}.`);
  return failed("node", `Node.js ${version} is too old.`, `Install Node.js ${needed} or newer.`);
}

function judgeConfig(configured: Facts["configured"]): Check {
  const name = "config";
  if (!configured.ok) {
    const { message, hint } = configured.error;
    return failed(name, `${message} Checks that depend on it were skipped.`, hint ?? "Correct the file.");
  }
  const { config, fileMode, fileHoldsSecret } = configured.facts;
  if (config.profile.kind === "demo") {
    return warning(name, "There is no configuration, so the demo profile runs.", "Run `waybill init` to write one.");
  }
  const { path } = config.profile;
  if (fileHoldsSecret && fileMode !== null && (fileMode & 0o077) !== 0) {
    const others = `${path} holds a secret, but other users can read or change it (${octal(fileMode)}).`;
    return warning(name, others, `Run \`chmod 600 ${shellQuote(path)}\`.`);
  }
  if (config.lanes.length === 0) {
    return warning(name, `${path} is valid, but has no lanes.`, "Add one to `lanes`; docs/configuration.md shows how.");
  }
  return ok(name, `${path} is valid.`);
}

function judgeHome({ path, state, writable, mode, network }: DirectoryFacts): Check {
  const name = "state directory";
  if (network !== null) {
    return failed(
      name,
      `${path} is on a network filesystem (${network}), where file locks are unreliable.`,
      "Point WAYBILL_HOME at a local disk.",
    );
  }
  switch (state) {
    case "can be made":
      return ok(name, `${path} will be made at the first start.`);
    case "cannot be made":
      return failed(
        name,
        `${path} does not exist and cannot be created.`,
        "Create it, or point WAYBILL_HOME elsewhere.",
      );
    case "no directory":
      return failed(name, `${path} is not a directory.`, "Move it away, or point WAYBILL_HOME elsewhere.");
    case "there":
      break;
    default:
      state satisfies never;
  }
  if (!writable) {
    return failed(
      name,
      `${path} cannot be written to.`,
      `Run \`chmod u+rwx ${shellQuote(path)}\`, or point WAYBILL_HOME elsewhere.`,
    );
  }
  if (mode !== null && (mode & 0o077) !== 0) {
    return warning(name, `Other users can access ${path} (${octal(mode)}).`, `Run \`chmod 700 ${shellQuote(path)}\`.`);
  }
  return ok(name, `${path} is writable and private.`);
}

function judgeToken({ path, mode, isFile, holdsToken }: TokenFacts): Check {
  const name = "token";
  if (mode === null) return ok(name, `${path} will be made at the first start.`);
  if (!isFile) return failed(name, `${path} is not a regular file.`, "Move it away; the next start creates a new one.");
  if (holdsToken === null) return failed(name, `${path} cannot be read.`, "Take ownership of it, or move it away.");
  if (!holdsToken) return failed(name, `${path} holds no token.`, "Delete it; the next start creates a new token.");
  if ((mode & 0o077) === 0) return ok(name, `${path} is private.`);
  return failed(
    name,
    `Other users can read or change ${path} (${octal(mode)}), and the token gives full control of the agents.`,
    `Stop Waybill and delete ${path}; the next start creates a new token.`,
  );
}

function judgeConfigured(facts: ConfiguredFacts): Check[] {
  return [
    ...facts.runtimeChecks,
    ...facts.lanes.map(({ id, directory, problem }) => {
      const name = `directory of lane ${id}`;
      return problem ? failedBy(name, problem) : ok(name, `${directory} exists and is allowed.`);
    }),
    ...judgeTelegram(facts.telegram),
    judgeStore(facts),
    ...judgePorts(facts),
  ];
}

function judgePorts({ port, opencodeApiPort, config: { home, opencodeApi } }: ConfiguredFacts): Check[] {
  const own = judgePort(port, home, { name: "port", setting: "PORT, or `port` in the configuration" });
  if (opencodeApiPort === null) return [own];
  const api = judgePort(opencodeApiPort, home, {
    name: "port of OpenCode's API",
    setting: "WAYBILL_OPENCODE_API_PORT, or `opencodeApiPort` in the configuration",
  });
  // A start continues without the port unless it was configured explicitly.
  return [own, api.status === "failed" && opencodeApi?.isRequired === false ? { ...api, status: "warning" } : api];
}

function judgeStore({ store, config }: ConfiguredFacts): Check {
  const name = "store";
  switch (store.state) {
    case "absent":
      return ok(name, `${config.storePath} will be made at the first start.`);
    case "error":
      return failedBy(name, store.error);
    case "sound": {
      const { heldBy } = store;
      const use =
        heldBy === null ? "not in use" : `in use by ${heldBy.pid === null ? "a process" : `process ${heldBy.pid}`}`;
      return ok(name, `${config.storePath} is sound (version ${store.version}), and ${use}.`);
    }
    default:
      return store satisfies never;
  }
}

function judgePort(facts: PortFacts, home: string, { name, setting }: { name: string; setting: string }): Check {
  const address = `${facts.host}:${facts.port}`;
  switch (facts.state) {
    case "any":
      return ok(name, `Waybill picks a free port on ${facts.host} when it starts.`);
    case "free":
      return ok(name, `${address} is free.`);
    case "ours":
      return ok(name, `${address} is in use by the Waybill of ${home} (process ${facts.pid}).`);
    case "taken":
      return failed(
        name,
        `${address} is in use by another program.`,
        `Stop that program, or set another port (${setting}).`,
      );
    case "refused":
      return failed(
        name,
        `Cannot listen on ${address}: ${facts.why}.`,
        "Set another host or port in the configuration.",
      );
    default:
      return facts satisfies never;
  }
}

/** Before this program existed. */
const impossiblyEarly = Date.UTC(2025, 0, 1);
/** Ordinary clock corrections are smaller than this. */
const slack = 60_000;

function judgeClock(now: number, store: ConfiguredFacts["store"] | null): Check {
  const name = "clock";
  const time = new Date(now).toISOString();
  const fix = "Set the machine's clock, preferably by turning on time synchronisation.";
  if (now < impossiblyEarly) return failed(name, `The clock says ${time}, which is impossible.`, fix);
  const newest = store?.state === "sound" ? store.newestAt : null;
  if (newest === null || newest <= now + slack) return ok(name, `It is ${time}.`);
  const ahead = `The store has entries from ${new Date(newest).toISOString()}, but the clock says ${time}.`;
  return failed(name, `${ahead} Until the clock catches up, due reconciles wait.`, fix);
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}
