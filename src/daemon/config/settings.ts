/**
 * Every setting, once: its key, its variable, its default, what it means and from when on it has an effect. The file's
 * schema, the reading of the environment, the defaults, the nearest key in an error, and the test of
 * docs/configuration.md are all made from these tables, so that they cannot disagree.
 */
import type { Kind } from "./kinds.ts";
import * as kinds from "./kinds.ts";
import { permissionPolicy } from "./permission-policy-kind.ts";

export type Setting<T = unknown> = {
  kind: Kind<T>;
  env?: string;
  /** Without one the setting may be left out, and is null then. `$WAYBILL_HOME` in a path is the state directory. */
  default?: T;
  /** In the place of a default that follows from something else. */
  defaultWords?: string;
  secret?: true;
  meaning: string;
  effect: Effect;
};

/** `now`, or the part of Waybill that the setting waits for; until that is there, it is accepted and checked. */
type Effect = "now" | "with Telegram";

type ValueOf<S> = S extends { kind: Kind<infer T> } ? (S extends { default: unknown } ? T : T | null) : never;
export type ValuesOf<Table> = { -readonly [K in keyof Table]: ValueOf<Table[K]> };

const second = 1000;
const minute = 60 * second;

export const settings = {
  port: {
    kind: kinds.portOrAny,
    env: "PORT",
    default: 7717,
    meaning: "Where the daemon listens. 0 takes a port that is free and writes it into `$WAYBILL_HOME/daemon.json`.",
    effect: "now",
  },
  host: {
    kind: kinds.host,
    env: "WAYBILL_HOST",
    default: "127.0.0.1",
    meaning: "The address to listen on. Any but a loopback address needs `allowRemote` as well.",
    effect: "now",
  },
  allowRemote: {
    kind: kinds.flag,
    env: "WAYBILL_ALLOW_REMOTE",
    default: false,
    meaning: "Says that other machines are meant to reach the daemon. The token is needed all the same.",
    effect: "now",
  },
  allowedHosts: {
    kind: kinds.hosts,
    default: [],
    meaning: "Further names under which the daemon may be addressed (the `Host` of a request), beside loopback.",
    effect: "now",
  },
  allowedOrigins: {
    kind: kinds.origins,
    default: [],
    meaning: "Further origins whose pages may call the daemon, beside its own.",
    effect: "now",
  },
  allowedDirectories: {
    kind: kinds.paths,
    default: ["~"],
    meaning: "A lane may only work inside one of these directories, after symlinks were followed.",
    effect: "now",
  },
  sqlitePath: {
    kind: kinds.path,
    env: "SQLITE_PATH",
    default: "$WAYBILL_HOME/waybill.db",
    meaning: "The store's file. It must be on a local disk.",
    effect: "now",
  },
  logLevel: {
    kind: kinds.choice("fatal", "error", "warn", "info", "debug", "trace"),
    env: "WAYBILL_LOG_LEVEL",
    default: "info",
    meaning: "The least important kind of line that is logged. `debug` and `trace` show what messages say.",
    effect: "now",
  },
  keptEvents: {
    kind: kinds.positive,
    env: "WAYBILL_KEPT_EVENTS",
    default: 10_000,
    meaning: "How many events of each lane are kept, about: [events.md](events.md). The oldest go first.",
    effect: "now",
  },
  drainMs: {
    kind: kinds.milliseconds,
    env: "WAYBILL_DRAIN_MS",
    default: 10 * second,
    meaning:
      "How long a stop waits for running turns. What has not ended by then stays in the ledger and goes on later.",
    effect: "now",
  },
  alertAskAfterMs: {
    kind: kinds.milliseconds,
    default: 2 * minute,
    meaning: "An ask that nobody answered for this long is brought up again.",
    effect: "now",
  },
  alertFailureAfterMs: {
    kind: kinds.milliseconds,
    default: 5 * minute,
    meaning: "A failed delivery that nobody dealt with for this long is brought up again.",
    effect: "now",
  },
  relayTimeoutMs: {
    kind: kinds.someMilliseconds,
    env: "RELAY_TIMEOUT_MS",
    default: 5 * minute,
    meaning: "After this a delivery without an answer counts as late, and somebody is told. It never fails by it.",
    effect: "now",
  },
  modelProvider: {
    kind: kinds.choice("stub", "opencode_cli", "claude_code", "pi_agent"),
    env: "MODEL_PROVIDER",
    default: "opencode_cli",
    meaning:
      "The agent program of lanes that name no runtime: `stub` is the scripted agent, `opencode_cli` OpenCode, `claude_code` Claude Code, `pi_agent` pi.",
    effect: "now",
  },
  modelName: {
    kind: kinds.text,
    env: "MODEL_NAME",
    meaning: "The model of lanes that name none. Without it the agent program chooses.",
    effect: "now",
  },
  systemPromptPath: {
    kind: kinds.path,
    env: "SYSTEM_PROMPT_PATH",
    meaning:
      "A file of at most 64 KiB whose text every agent is given beside its own instructions. It is read before each prompt; while it cannot be, messages wait.",
    effect: "now",
  },
  assistantRepoPath: {
    kind: kinds.path,
    env: "ASSISTANT_REPO_PATH",
    meaning:
      "The directory in which a conversation begins that has chosen none. The rules for lane directories hold for it.",
    effect: "with Telegram",
  },
  sessionIdleTimeoutMs: {
    kind: kinds.someMilliseconds,
    env: "SESSION_IDLE_TIMEOUT_MS",
    default: 45 * minute,
    meaning: "A session that rested for this long is let go by its runtime. The next message takes it up again.",
    effect: "now",
  },
  sessionMaxConcurrent: {
    kind: kinds.positive,
    env: "SESSION_MAX_CONCURRENT",
    default: 5,
    meaning: "How many resting sessions a runtime keeps at hand. The one that rested longest is let go first.",
    effect: "now",
  },
  sessionRetryAttempts: {
    kind: kinds.count,
    env: "SESSION_RETRY_ATTEMPTS",
    default: 1,
    meaning:
      "How often a delivery may go on in a fresh session because its session broke. It costs none of its attempts.",
    effect: "now",
  },
  opencodeBin: {
    kind: kinds.program,
    env: "OPENCODE_BIN",
    default: "opencode",
    meaning: "The OpenCode program. By default the one in PATH, then the package that was installed with Waybill.",
    effect: "now",
  },
  opencodeAttachUrl: {
    kind: kinds.httpUrl,
    env: "OPENCODE_ATTACH_URL",
    default: "http://127.0.0.1:4096",
    meaning: "The OpenCode server that Waybill talks to, if one answers there.",
    effect: "now",
  },
  opencodeAutoStart: {
    kind: kinds.flag,
    env: "OPENCODE_AUTO_START",
    default: true,
    meaning: "Whether Waybill starts an OpenCode server when none answers.",
    effect: "now",
  },
  opencodeServeHost: {
    kind: kinds.host,
    env: "OPENCODE_SERVE_HOST",
    default: "127.0.0.1",
    meaning:
      "The address that a server started by Waybill listens on. Any but a loopback address needs OPENCODE_SERVER_PASSWORD.",
    effect: "now",
  },
  opencodeServePort: {
    kind: kinds.port,
    env: "OPENCODE_SERVE_PORT",
    default: 4096,
    meaning: "The port of a server started by Waybill. In the place of the default, any free one may be taken.",
    effect: "now",
  },
  claudeBin: {
    kind: kinds.program,
    env: "CLAUDE_BIN",
    default: "claude",
    meaning:
      "The Claude Code program. By default the one in PATH, then the one that was installed for Waybill's tests.",
    effect: "now",
  },
  claudeMcpConfigPath: {
    kind: kinds.path,
    env: "CLAUDE_MCP_CONFIG_PATH",
    meaning: "A file in Claude Code's own format that names further MCP servers for its lanes.",
    effect: "now",
  },
  permissionPolicy: {
    kind: permissionPolicy,
    env: "WAYBILL_PERMISSION_POLICY",
    default: "safe",
    meaning:
      "What agents do without asking, on an OpenCode server that Waybill started, in Claude Code and in pi: [operations.md](operations.md#security) says what each means.",
    effect: "now",
  },
  dailyTokenLimit: {
    kind: kinds.tokenLimit,
    env: "WAYBILL_DAILY_TOKEN_LIMIT",
    meaning:
      "How many tokens a lane may use in a day. Then it is paused until the next day, or until somebody resumes it.",
    effect: "now",
  },
  dailyCostLimit: {
    kind: kinds.costLimit,
    env: "WAYBILL_DAILY_COST_LIMIT",
    meaning: "The same for what a lane costs in a day, in dollars, as its agent program reckons it.",
    effect: "now",
  },
  piBin: {
    kind: kinds.program,
    env: "PI_BIN",
    default: "pi",
    meaning: "The pi program. By default the one in PATH, then the one that was installed for Waybill's tests.",
    effect: "now",
  },
  piAgentProvider: {
    kind: kinds.text,
    env: "PI_AGENT_PROVIDER",
    default: "openrouter",
    meaning: "The model provider that pi uses: one that it knows, or one in its own `models.json`.",
    effect: "now",
  },
  piAgentModel: {
    kind: kinds.text,
    env: "PI_AGENT_MODEL",
    default: "openrouter/auto",
    meaning: "The model that pi uses in lanes that name none.",
    effect: "now",
  },
  piAgentApiKey: {
    kind: kinds.secretText,
    env: "PI_AGENT_API_KEY",
    secret: true,
    meaning:
      "The key for that provider, handed to pi in its environment. Without it pi reads the provider's own variable (`OPENROUTER_API_KEY` and so on), or takes what it was logged in with.",
    effect: "now",
  },
  piAgentMaxSteps: {
    kind: kinds.positive,
    env: "PI_AGENT_MAX_STEPS",
    default: 15,
    meaning: "How often pi may ask its model in one turn. A turn that would ask once more ends with an error.",
    effect: "now",
  },
  telegramBotToken: {
    kind: kinds.secretText,
    env: "TELEGRAM_BOT_TOKEN",
    secret: true,
    meaning: "The token of the bot. Without it there is no Telegram.",
    effect: "with Telegram",
  },
  telegramPollIntervalMs: {
    kind: kinds.someMilliseconds,
    env: "TELEGRAM_POLL_INTERVAL_MS",
    default: 2 * second,
    meaning: "How long to wait between two questions to Telegram for news.",
    effect: "with Telegram",
  },
  maxConcurrentTopics: {
    kind: kinds.positive,
    env: "MAX_CONCURRENT_TOPICS",
    default: 3,
    meaning: "In how many topics a chat transport works at the same time. Messages of the others wait in the store.",
    effect: "with Telegram",
  },
  progressFirstMs: {
    kind: kinds.milliseconds,
    env: "PROGRESS_FIRST_MS",
    default: 10 * second,
    meaning: "When a transport that shows progress first says that a turn is still running.",
    effect: "with Telegram",
  },
  progressEveryMs: {
    kind: kinds.someMilliseconds,
    env: "PROGRESS_EVERY_MS",
    default: 30 * second,
    meaning: "How long it waits before it says so again.",
    effect: "with Telegram",
  },
  progressMaxCount: {
    kind: kinds.count,
    env: "PROGRESS_MAX_COUNT",
    default: 3,
    meaning: "How often it says so at most in one turn.",
    effect: "with Telegram",
  },
} as const satisfies Record<string, Setting>;
