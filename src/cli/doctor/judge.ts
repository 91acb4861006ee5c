/** Says what the facts mean, and for everything that is not in order what to do about it. Pure. */
import type { AppError } from "../../app-error.ts";
import { shellQuote } from "../../shell-quote.ts";
import type { ConfiguredFacts, DirectoryFacts, Facts, PortFacts, ProgramFacts, TokenFacts } from "./facts.ts";

export type Check = { name: string; status: "ok" | "warning" | "failed"; detail: string; fix?: string };

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

const ok = (name: string, detail: string): Check => ({ name, status: "ok", detail });
const warning = (name: string, detail: string, fix: string): Check => ({ name, status: "warning", detail, fix });
const failed = (name: string, detail: string, fix: string): Check => ({ name, status: "failed", detail, fix });
const troubled = (name: string, { message, hint }: AppError) => failed(name, message, hint ?? "Correct it.");

function judgeNode({ version, needed }: Facts["node"]): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = needed.split(".").map(Number);
  const enough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (enough) return ok("node", `Node.js ${version}.`);
  return failed("node", `Node.js ${version} is too old.`, `Install Node.js ${needed} or newer.`);
}

function judgeConfig(configured: Facts["configured"]): Check {
  const name = "config";
  if (!configured.ok) {
    const { message, hint } = configured.error;
    return failed(name, `${message} What depends on it was not looked at.`, hint ?? "Correct the file.");
  }
  const { config, fileMode, fileHoldsSecret } = configured.facts;
  if (config.profile.kind === "demo") {
    return warning(name, "There is no configuration, so the demo profile runs.", "Run `waybill init` to write one.");
  }
  const { path } = config.profile;
  if (fileHoldsSecret && fileMode !== null && (fileMode & 0o077) !== 0) {
    const others = `${path} holds a secret, and other users may read or change it (${octal(fileMode)}).`;
    return warning(name, others, `Run \`chmod 600 ${shellQuote(path)}\`.`);
  }
  if (config.lanes.length === 0) {
    return warning(name, `${path} is valid, and has no lanes.`, "Add one to `lanes`; docs/configuration.md shows how.");
  }
  return ok(name, `${path} is valid.`);
}

function judgeHome({ path, state, writable, mode, network }: DirectoryFacts): Check {
  const name = "state directory";
  if (network !== null) {
    return failed(
      name,
      `${path} is on a network filesystem (${network}), where locks do not hold.`,
      "Point WAYBILL_HOME at a local disk.",
    );
  }
  switch (state) {
    case "can be made":
      return ok(name, `${path} will be made at the first start.`);
    case "cannot be made":
      return failed(name, `${path} does not exist and cannot be made.`, "Make it, or point WAYBILL_HOME elsewhere.");
    case "no directory":
      return failed(name, `${path} is not a directory.`, "TransitionRule it away, or point WAYBILL_HOME elsewhere.");
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
    return warning(
      name,
      `Other users may look into ${path} (${octal(mode)}).`,
      `Run \`chmod 700 ${shellQuote(path)}\`.`,
    );
  }
  return ok(name, `${path} is writable and private.`);
}

function judgeToken({ path, mode, isFile, holdsToken }: TokenFacts): Check {
  const name = "token";
  if (mode === null) return ok(name, `${path} will be made at the first start.`);
  if (!isFile)
    return failed(name, `${path} is not a plain file.`, "TransitionRule it away; the next start makes a new one.");
  if (holdsToken === null) return failed(name, `${path} cannot be read.`, "Make it your own, or move it away.");
  if (!holdsToken) return failed(name, `${path} holds no token.`, "Delete it: the next start makes a new token.");
  if ((mode & 0o077) === 0) return ok(name, `${path} is private.`);
  return failed(
    name,
    `Other users may read or change ${path} (${octal(mode)}), and whoever has the token may drive the agents.`,
    `Stop Waybill and delete ${path}; the next start makes a new token.`,
  );
}

function judgeConfigured(facts: ConfiguredFacts): Check[] {
  const runtimes = [...new Set(facts.config.lanes.map((lane) => lane.runtime))].toSorted();
  return [
    ...runtimes.flatMap((runtime) => judgeRuntime(runtime, facts)),
    ...facts.lanes.map(({ id, directory, trouble }) => {
      const name = `directory of lane ${id}`;
      return trouble ? troubled(name, trouble) : ok(name, `${directory} exists and is allowed.`);
    }),
    judgeStore(facts),
    judgePort(facts.port, facts.config.home),
  ];
}

function judgeRuntime(runtime: string, facts: ConfiguredFacts): Check[] {
  if (runtime === "stub") return [ok("runtime stub", "The scripted agent needs no program and no model.")];
  if (runtime === "opencode") return [...judgeOpencode(facts), judgeModel(runtime, facts)];
  const program = facts.programs.find((one) => one.runtime === runtime);
  return [...(program ? [judgeProgram(program)] : []), judgeModel(runtime, facts)];
}

function judgeOpencode({ opencode, config }: ConfiguredFacts): Check[] {
  if (opencode === null) return [];
  const name = "server opencode";
  switch (opencode.does) {
    case "attach":
      return [ok(name, `Waybill attaches to the one at ${opencode.url}, version ${opencode.version}.`)];
    case "start": {
      const place = `${config.opencodeServeHost}:${config.opencodeServePort}`;
      return [
        ok("program opencode", `${opencode.path}, version ${opencode.version}.`),
        ok(name, `Waybill starts one of its own, at ${place} if that is free.`),
      ];
    }
    case "fail": {
      const isProgram = /^opencode_(not_found|unusable)$/.test(opencode.error.code);
      return [troubled(isProgram ? "program opencode" : name, opencode.error)];
    }
    default:
      return opencode satisfies never;
  }
}

function judgeProgram({ runtime, program, path, version }: ProgramFacts): Check {
  const name = `program ${runtime}`;
  if (path === null) return failed(name, `${program} was not found.`, "Install it and put it into PATH.");
  if (version?.ok) return ok(name, `${path}, version ${version.text}.`);
  const why = version?.why ?? "it was not asked";
  return failed(
    name,
    `${path} did not tell its version: ${why}.`,
    `Run \`${shellQuote(path)} --version\` to see what is wrong with it.`,
  );
}

function judgeModel(runtime: string, { config, hasPiKey }: ConfiguredFacts): Check {
  const name = `model ${runtime}`;
  const named = config.lanes.filter((lane) => lane.runtime === runtime).map((lane) => lane.model);
  const fallback = runtime === "pi" ? config.piAgentModel : null;
  const models = [...new Set(named.map((model) => model ?? fallback))];
  const detail = models.map((model) => (model === null ? "left to the program" : model)).join(", ");
  if (runtime !== "pi" || hasPiKey) return ok(name, `${detail}.`);
  return warning(
    name,
    `${detail} from ${config.piAgentProvider}, and there is no key for it.`,
    "Set PI_AGENT_API_KEY, or the variable of the provider (such as OPENROUTER_API_KEY), or log in with `pi`.",
  );
}

function judgeStore({ store, config }: ConfiguredFacts): Check {
  const name = "store";
  switch (store.state) {
    case "absent":
      return ok(name, `${config.storePath} will be made at the first start.`);
    case "trouble":
      return troubled(name, store.error);
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

function judgePort(facts: PortFacts, home: string): Check {
  const name = "port";
  const place = `${facts.host}:${facts.port}`;
  switch (facts.state) {
    case "any":
      return ok(name, `Any port of ${facts.host} that is free at the start.`);
    case "free":
      return ok(name, `${place} is free.`);
    case "ours":
      return ok(name, `${place} is in use by the Waybill of ${home} (process ${facts.pid}).`);
    case "taken":
      return failed(
        name,
        `${place} is in use by another program.`,
        "Stop that program, or set another port (PORT, or `port` in the configuration).",
      );
    case "refused":
      return failed(
        name,
        `Nothing can listen on ${place}: ${facts.why}.`,
        "Set another host or port in the configuration.",
      );
    default:
      return facts satisfies never;
  }
}

/** Before this program was written. */
const impossiblyEarly = Date.UTC(2025, 0, 1);
/** Clocks of one machine that were put right differ by less. */
const slack = 60_000;

function judgeClock(now: number, store: ConfiguredFacts["store"] | null): Check {
  const name = "clock";
  const time = new Date(now).toISOString();
  const fix = "Set the machine's clock, best by turning on its time synchronisation.";
  if (now < impossiblyEarly) return failed(name, `The clock says ${time}, which cannot be.`, fix);
  const newest = store?.state === "sound" ? store.newestAt : null;
  if (newest === null || newest <= now + slack) return ok(name, `It is ${time}.`);
  const ahead = `The store has entries from ${new Date(newest).toISOString()}, and the clock says ${time}.`;
  return failed(name, `${ahead} Until then, due looks wait.`, fix);
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0");
}
