/**
 * Every setting, defined once as a zod schema with metadata: its key, variable, default and meaning. The file's schema,
 * the parsing of the environment, the suggestions in errors, and docs/configuration.md all come from these tables and from
 * those of the runtimes, so they cannot disagree.
 */
import { z } from "zod";
import type { Policy } from "../../core/delivery/policy.ts";
import { defaultPolicy } from "../../core/delivery/policy.ts";
import { defaultMaxAttachmentBytes, maxAttachments } from "../../core/message/message.ts";
import { memberColors, memberKinds } from "../../core/team/team.ts";
import * as types from "../../platform/setting-types.ts";
import { permissionPolicy } from "../../runtimes/descriptor.ts";
import { runtimeDescriptors, runtimeKinds } from "../../runtimes/registry.ts";
import { telegramSettings } from "./telegram-settings.ts";

const second = 1000;
const minute = 60 * second;
const providers = runtimeDescriptors.map(({ provider }) => provider);

export const daemonSettings = {
  port: types.portOrAny.default(7717).meta({
    env: "PORT",
    description:
      "The port that the daemon listens on. With 0 it picks a free port and writes it to `$WAYBILL_HOME/daemon.json`.",
  }),
  opencodeApiPort: types.portOrNone.optional().meta({
    env: "WAYBILL_OPENCODE_API_PORT",
    defaultWords: "none; in the demo the port after `port`",
    description:
      "A second port, on loopback, that serves OpenCode's API at the root, for clients that accept no path: [opencode-api.md](opencode-api.md#connecting).",
  }),
  host: types.host.default("127.0.0.1").meta({
    env: "WAYBILL_HOST",
    description: "The address to listen on. Anything but a loopback address also needs `allowRemote`.",
  }),
  allowRemote: types.flag.default(false).meta({
    env: "WAYBILL_ALLOW_REMOTE",
    description: "Lets other machines reach the daemon. They still need the token.",
  }),
  allowedHosts: types.hosts.default([]).meta({
    description:
      "Host names, in addition to loopback, that requests may use to address the daemon (the `Host` header).",
  }),
  allowedOrigins: types.origins.default([]).meta({
    description: "Origins, in addition to the daemon's own, whose pages may call the daemon.",
  }),
  allowedDirectories: types.paths.default(["~"]).meta({
    description: "A lane may work only inside one of these directories. Symlinks are resolved first.",
  }),
  sqlitePath: types.path.default("$WAYBILL_HOME/waybill.db").meta({
    env: "SQLITE_PATH",
    description: "The store's file. It must be on a local disk.",
  }),
  logLevel: types.choice("fatal", "error", "warn", "info", "debug", "trace").default("info").meta({
    env: "WAYBILL_LOG_LEVEL",
    description: "The lowest level that is logged. `debug` and `trace` include message texts.",
  }),
  keptEvents: types.positive.default(10_000).meta({
    env: "WAYBILL_KEPT_EVENTS",
    description: "About how many events are kept for each lane: [events.md](events.md). The oldest are removed first.",
  }),
  maxAttachmentBytes: types.positive.default(defaultMaxAttachmentBytes).meta({
    env: "WAYBILL_MAX_ATTACHMENT_BYTES",
    description: `The maximum size of one attachment in bytes. A message may have up to ${maxAttachments} attachments.`,
  }),
  drainMs: types.milliseconds.default(10 * second).meta({
    env: "WAYBILL_DRAIN_MS",
    description:
      "How long a stop waits for running turns. Unfinished turns stay in the ledger, and the next start continues them.",
  }),
  alertAskAfterMs: types.milliseconds.default(2 * minute).meta({
    description: "An ask that has been open for this long raises an alert.",
  }),
  alertFailureAfterMs: types.milliseconds.default(5 * minute).meta({
    description: "A failed delivery that nobody has handled for this long raises an alert.",
  }),
  relayTimeoutMs: types.someMilliseconds.default(5 * minute).meta({
    env: "RELAY_TIMEOUT_MS",
    description: "A delivery without an answer after this long counts as late and raises an alert. It does not fail.",
  }),
  modelProvider: types
    .choice(...providers)
    .default(runtimeDescriptors[0].provider)
    .meta({
      env: "MODEL_PROVIDER",
      description: `The runtime for lanes that do not name one: ${runtimeDescriptors.map(({ provider, kind }) => `\`${provider}\` is \`${kind}\``).join(", ")}.`,
    }),
  modelName: types.text.optional().meta({
    env: "MODEL_NAME",
    description: "The model for lanes that do not name one. Without it, the agent program chooses.",
  }),
  systemPromptPath: types.path.optional().meta({
    env: "SYSTEM_PROMPT_PATH",
    description:
      "A text file of at most 64 KiB that every agent gets in addition to its own instructions. It is read before each prompt; while it cannot be read, messages wait.",
  }),
  sessionIdleTimeoutMs: types.someMilliseconds.default(45 * minute).meta({
    env: "SESSION_IDLE_TIMEOUT_MS",
    description: "The runtime releases a session that has been idle for this long. The next message resumes it.",
  }),
  sessionMaxConcurrent: types.positive.default(5).meta({
    env: "SESSION_MAX_CONCURRENT",
    description: "How many idle sessions a runtime keeps open. It releases the longest idle one first.",
  }),
  sessionRetryAttempts: types.count.default(1).meta({
    env: "SESSION_RETRY_ATTEMPTS",
    description:
      "How often a delivery may continue in a new session after its session broke, without using up attempts. After that, each repair counts as an attempt.",
  }),
  permissionPolicy: permissionPolicy.default("safe").meta({
    env: "WAYBILL_PERMISSION_POLICY",
    description:
      "What agents may do without asking, on an OpenCode server that Waybill started, in Claude Code and in pi: [operations.md](operations.md#security) explains each policy.",
  }),
  agentTools: types.flag.default(true).meta({
    env: "WAYBILL_AGENT_TOOLS",
    description:
      "Whether the agents of all lanes get Waybill's tools for writing to each other and to people: [tools.md](tools.md).",
  }),
  memberIdleMs: types.someMilliseconds.default(5 * minute).meta({
    description: "A team member that has shown no activity for this long counts as idle.",
  }),
  dailyTokenLimit: types.tokenLimit.optional().meta({
    env: "WAYBILL_DAILY_TOKEN_LIMIT",
    description:
      "How many tokens a lane may use in a day. It is then paused until the next day or until a person resumes it.",
  }),
  dailyCostLimit: types.costLimit.optional().meta({
    env: "WAYBILL_DAILY_COST_LIMIT",
    description: "The same for a lane's daily cost in dollars, as its agent program calculates it.",
  }),
  ...telegramSettings,
};

export const runtimeSettings: types.Settings = Object.assign({}, ...runtimeDescriptors.map(({ settings }) => settings));

/**
 * The keys of `delivery`: the numbers of the delivery policy. The rest of the policy has its own settings: `maxRepairs` is
 * `sessionRetryAttempts`, `limits` are the daily limits, and `automaticRetry` is WAYBILL_WATCHDOG.
 */
type DeliveryKey = Exclude<keyof Policy, "maxRepairs" | "automaticRetry" | "retention" | "limits">;

const policy = <K extends DeliveryKey>(key: K, type: z.ZodType<Policy[K]>, description: string) =>
  type.default(defaultPolicy[key] as z.util.NoUndefined<Policy[K]>).meta({ description });

export const deliverySettings = {
  maxAttempts: policy(
    "maxAttempts",
    types.positive,
    "How many attempts a message gets before its delivery fails for good.",
  ),
  retryDelaysMs: policy(
    "retryDelaysMs",
    types.someDelays,
    "The delay before the second, third, … attempt. The last value applies to all further attempts.",
  ),
  graceMs: policy("graceMs", types.milliseconds, "The grace time: how long an accepted prompt may show nothing."),
  graceForTaskMs: policy("graceForTaskMs", types.milliseconds, "The same for a message that refers to tasks."),
  rereadMs: policy(
    "rereadMs",
    types.milliseconds,
    "The time between the two reads that must both miss a prompt before it is sent again.",
  ),
  firstReconcileDelayMs: policy(
    "firstReconcileDelayMs",
    types.someMilliseconds,
    "When a delivery is first reconciled. The intervals then grow.",
  ),
  maxReconcileDelayMs: policy(
    "maxReconcileDelayMs",
    types.someMilliseconds,
    "The longest interval between two reconciles.",
  ),
  lateReconcileDelaysMs: policy(
    "lateReconcileDelaysMs",
    types.delays,
    "When a delivery that failed for good is reconciled again, in case its proof comes late.",
  ),
  observeLimitMs: policy("observeLimitMs", types.someMilliseconds, "The timeout for one read of a transcript."),
  submitLimitMs: policy(
    "submitLimitMs",
    types.someMilliseconds,
    "The timeout for an agent program to accept a prompt.",
  ),
  readLimit: policy("readLimit", types.positive, "How many rows of a transcript the first read asks for."),
  stuckAfterMs: policy(
    "stuckAfterMs",
    types.someMilliseconds,
    "A busy session that asks nothing, runs no tool and shows no activity for this long is considered stuck and is replaced.",
  ),
  summarizeSilentWork: policy(
    "summarizeSilentWork",
    types.flag,
    "Whether an agent that changed files without saying anything is asked once for a short summary.",
  ),
  summaryLimitMs: policy("summaryLimitMs", types.someMilliseconds, "How long a lane is held for that summary."),
  followUpMissingFiles: policy(
    "followUpMissingFiles",
    types.flag,
    "Whether an agent is told once which files named in its answer are missing. Missing files are noted in any case.",
  ),
  fileCheckMs: policy(
    "fileCheckMs",
    types.someMilliseconds,
    "The time between two checks for a file that an answer names.",
  ),
  fileWaitMs: policy(
    "fileWaitMs",
    types.milliseconds,
    "How long such a file may take to appear before it counts as missing.",
  ),
  maxExchanges: policy(
    "maxExchanges",
    types.positive,
    "How many messages two agents may write to each other within `exchangeWindowMs` while no person writes and no task or file changes. After that, their messages to each other are held: `waybill holds`.",
  ),
  exchangeWindowMs: policy(
    "exchangeWindowMs",
    types.someMilliseconds,
    "The time window in which these messages are counted.",
  ),
  maxMessagesPerMinute: policy(
    "maxMessagesPerMinute",
    types.positive,
    "How many messages an agent may send per minute.",
  ),
  watchdogConcurrency: policy("watchdogConcurrency", types.positive, "How many due reconciles run at the same time."),
  watchdogConcurrencyPerTeam: policy(
    "watchdogConcurrencyPerTeam",
    types.positive,
    "How many of them may belong to one team.",
  ),
} satisfies Record<DeliveryKey, z.ZodType>;

export const retentionSettings = {
  respondedMs: types.milliseconds.default(defaultPolicy.retention.respondedMs).meta({
    description: "How long the record of an answered or cancelled delivery is kept.",
  }),
  failedMs: types.milliseconds.default(defaultPolicy.retention.failedMs).meta({
    description: "The same for a delivery that had failed before.",
  }),
} satisfies Record<keyof Policy["retention"], z.ZodType>;

const required = { defaultWords: "required" };

export const laneSettings = {
  id: types.slug.meta({ ...required, description: "The lane's id." }),
  displayName: types.text.optional().meta({ description: "The name shown to people instead of the id." }),
  runtime: types
    .choice(...runtimeKinds)
    .optional()
    .meta({
      defaultWords: "follows `modelProvider`",
      description: "The agent program to run in it.",
    }),
  directory: types.path.meta({ ...required, description: "Where the agent works." }),
  agent: types.text.optional().meta({
    description: "Which of the program's agents to use, for programs that have several.",
  }),
  model: types.text.optional().meta({
    defaultWords: "`modelName`, unless an OpenCode lane has an `agent`",
    description: "The model, as the program names it. In OpenCode that is `provider/model`.",
  }),
  contract: types.choice("text", "tool").default("text").meta({
    description: "The reply contract: `text`, the final text is the answer; `tool`, a reply is a `message_send`.",
  }),
  dailyTokenLimit: types.tokenLimit.optional().meta({
    defaultWords: "`dailyTokenLimit`",
    description: "How many tokens this lane may use in a day.",
  }),
  dailyCostLimit: types.costLimit.optional().meta({
    defaultWords: "`dailyCostLimit`",
    description: "How much this lane may cost in a day, in dollars.",
  }),
};

export const teamSettings = {
  displayName: types.text.optional().meta({ description: "The name shown to people instead of the team's name." }),
  directory: types.path.optional().meta({
    description:
      "The directory in which its members write to each other in inbox files, such as `~/.claude/teams/NAME`: [teams.md](teams.md#inbox-files).",
  }),
};

export const memberSettings = {
  kind: types
    .choice(...memberKinds)
    .default("lane")
    .meta({
      description:
        "`lane`: Waybill runs it in its lane. `native`: it runs outside Waybill and uses `waybill mcp`. `person`: a person who reads an inbox.",
    }),
  lane: types.slug.optional().meta({
    defaultWords: "required for kind `lane`",
    description: "The lane of this member, one of `lanes`. A lane belongs to at most one member.",
  }),
  displayName: types.text.optional().meta({ description: "The name shown to people instead of the member's name." }),
  role: types.text.optional().meta({
    description: "Its job in the team, which the other members are told. `lead` makes it the team's lead.",
  }),
  color: types
    .choice(...memberColors)
    .optional()
    .meta({ description: "Its colour in lists and on the page." }),
};

/** Set only in the environment: paths, and the kill switch. */
export const environmentSettings = {
  config: types.path.optional().meta({
    env: "WAYBILL_CONFIG",
    defaultWords: "`$XDG_CONFIG_HOME/waybill/config.json`, `~/.config/waybill/config.json`",
    description: "The configuration file. If this is set, the file must exist.",
  }),
  home: types.path.optional().meta({
    env: "WAYBILL_HOME",
    defaultWords: "`$XDG_STATE_HOME/waybill`, `~/.local/state/waybill`",
    description: "The state directory: the store, the token and the daemon's own files.",
  }),
  demo: types.flag.default(false).meta({
    env: "WAYBILL_DEMO",
    description: "Runs the demo even if there is a configuration file.",
  }),
  watchdog: types.flag.default(true).meta({
    env: "WAYBILL_WATCHDOG",
    description:
      "The kill switch: with `0`, a message that may have arrived is never sent again automatically. Reads still need proof.",
  }),
};

const lane = z.strictObject({ ...laneSettings, ...laneSettingsOfRuntimes() });

/** The whole file. Unknown keys are rejected at every depth. */
export const fileSchema = z.strictObject({
  ...daemonSettings,
  ...runtimeSettings,
  delivery: z
    .strictObject({ ...deliverySettings, retention: z.strictObject(retentionSettings).prefault({}) })
    .prefault({}),
  lanes: z.array(lane).default([]),
  teams: z
    .record(
      types.slug,
      z.strictObject({ ...teamSettings, members: z.record(types.slug, z.strictObject(memberSettings)) }),
    )
    .default({}),
});

/** The file as written, without defaults. */
export type ConfigFile = z.input<typeof fileSchema>;
export type FileLane = z.input<typeof lane>;

function laneSettingsOfRuntimes(): types.Settings {
  return Object.assign({}, ...runtimeDescriptors.map(({ laneSettings }) => laneSettings));
}
