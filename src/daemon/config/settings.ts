/**
 * Every setting, once, as a zod schema with metadata: its key, its variable, its default and what it means. The file's
 * schema, the reading of the environment, the nearest key in an error, and docs/configuration.md are made from these
 * tables and from those of the runtimes, so that they cannot disagree.
 */
import { z } from "zod";
import type { Policy } from "../../core/delivery/policy.ts";
import { defaultPolicy } from "../../core/delivery/policy.ts";
import { defaultMaxAttachmentBytes, maxAttachments } from "../../core/message/message.ts";
import { memberColors, memberKinds } from "../../core/team/team.ts";
import { permissionPolicy } from "../../runtimes/descriptor.ts";
import { runtimeKinds } from "../../runtimes/kinds.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import * as types from "../../setting-types.ts";
import { telegramSettings } from "./telegram-settings.ts";

const second = 1000;
const minute = 60 * second;
const providers = runtimeDescriptors.map(({ provider }) => provider);

export const daemonSettings = {
  port: types.portOrAny.default(7717).meta({
    env: "PORT",
    description:
      "Where the daemon listens. 0 takes a port that is free and writes it into `$WAYBILL_HOME/daemon.json`.",
  }),
  opencodeApiPort: types.portOrNone.optional().meta({
    env: "WAYBILL_OPENCODE_API_PORT",
    defaultWords: "none; in the demo the port after `port`",
    description:
      "A second port, on loopback, where OpenCode's API is at the root, for clients that take no path: [opencode-api.md](opencode-api.md#connecting).",
  }),
  host: types.host.default("127.0.0.1").meta({
    env: "WAYBILL_HOST",
    description: "The address to listen on. Any but a loopback address needs `allowRemote` as well.",
  }),
  allowRemote: types.flag.default(false).meta({
    env: "WAYBILL_ALLOW_REMOTE",
    description: "Says that other machines are meant to reach the daemon. The token is needed all the same.",
  }),
  allowedHosts: types.hosts.default([]).meta({
    description: "Further names under which the daemon may be addressed (the `Host` of a request), beside loopback.",
  }),
  allowedOrigins: types.origins.default([]).meta({
    description: "Further origins whose pages may call the daemon, beside its own.",
  }),
  allowedDirectories: types.paths.default(["~"]).meta({
    description: "A lane may only work inside one of these directories, after symlinks were followed.",
  }),
  sqlitePath: types.path.default("$WAYBILL_HOME/waybill.db").meta({
    env: "SQLITE_PATH",
    description: "The store's file. It must be on a local disk.",
  }),
  logLevel: types.choice("fatal", "error", "warn", "info", "debug", "trace").default("info").meta({
    env: "WAYBILL_LOG_LEVEL",
    description: "The least important kind of line that is logged. `debug` and `trace` show what messages say.",
  }),
  keptEvents: types.positive.default(10_000).meta({
    env: "WAYBILL_KEPT_EVENTS",
    description: "How many events of each lane are kept, about: [events.md](events.md). The oldest go first.",
  }),
  maxAttachmentBytes: types.positive.default(defaultMaxAttachmentBytes).meta({
    env: "WAYBILL_MAX_ATTACHMENT_BYTES",
    description: `How large one attachment of a message may be, in bytes. A message may have ${maxAttachments} of them.`,
  }),
  drainMs: types.milliseconds.default(10 * second).meta({
    env: "WAYBILL_DRAIN_MS",
    description:
      "How long a stop waits for running turns. What has not ended by then stays in the ledger and goes on later.",
  }),
  alertAskAfterMs: types.milliseconds.default(2 * minute).meta({
    description: "An ask that nobody answered for this long is brought up again.",
  }),
  alertFailureAfterMs: types.milliseconds.default(5 * minute).meta({
    description: "A failed delivery that nobody dealt with for this long is brought up again.",
  }),
  relayTimeoutMs: types.someMilliseconds.default(5 * minute).meta({
    env: "RELAY_TIMEOUT_MS",
    description: "After this a delivery without an answer counts as late, and an alert is raised. It does not fail.",
  }),
  modelProvider: types
    .choice(...providers)
    .default(runtimeDescriptors[0].provider)
    .meta({
      env: "MODEL_PROVIDER",
      description: `The runtime of lanes that name none: ${runtimeDescriptors.map(({ provider, kind }) => `\`${provider}\` is \`${kind}\``).join(", ")}.`,
    }),
  modelName: types.text.optional().meta({
    env: "MODEL_NAME",
    description: "The model of lanes that name none. Without it the agent program chooses.",
  }),
  systemPromptPath: types.path.optional().meta({
    env: "SYSTEM_PROMPT_PATH",
    description:
      "A file of at most 64 KiB whose text every agent is given beside its own instructions. It is read before each prompt; while it cannot be, messages wait.",
  }),
  sessionIdleTimeoutMs: types.someMilliseconds.default(45 * minute).meta({
    env: "SESSION_IDLE_TIMEOUT_MS",
    description: "A session that rested for this long is released by its runtime. The next message resumes it.",
  }),
  sessionMaxConcurrent: types.positive.default(5).meta({
    env: "SESSION_MAX_CONCURRENT",
    description: "How many resting sessions a runtime keeps open. The one that rested longest is released first.",
  }),
  sessionRetryAttempts: types.count.default(1).meta({
    env: "SESSION_RETRY_ATTEMPTS",
    description:
      "How often a delivery may go on in a fresh session because its session broke, at no cost to its attempts. After that its attempts pay.",
  }),
  permissionPolicy: permissionPolicy.default("safe").meta({
    env: "WAYBILL_PERMISSION_POLICY",
    description:
      "What agents do without asking, on an OpenCode server that Waybill started, in Claude Code and in pi: [operations.md](operations.md#security) says what each means.",
  }),
  agentTools: types.flag.default(true).meta({
    env: "WAYBILL_AGENT_TOOLS",
    description:
      "Whether the agents of all lanes get Waybill's tools, to write to each other and to people: [tools.md](tools.md).",
  }),
  memberIdleMs: types.someMilliseconds.default(5 * minute).meta({
    description: "A member of a team of whom nothing was heard for this long is idle.",
  }),
  dailyTokenLimit: types.tokenLimit.optional().meta({
    env: "WAYBILL_DAILY_TOKEN_LIMIT",
    description:
      "How many tokens a lane may use in a day. Then it is paused until the next day, or until somebody resumes it.",
  }),
  dailyCostLimit: types.costLimit.optional().meta({
    env: "WAYBILL_DAILY_COST_LIMIT",
    description: "The same for what a lane costs in a day, in dollars, by the reckoning of its agent program.",
  }),
  ...telegramSettings,
};

export const runtimeSettings: types.Settings = Object.assign({}, ...runtimeDescriptors.map(({ settings }) => settings));

/**
 * The keys of `delivery`: the numbers of the delivery policy. The others have names of their own: `maxRepairs` is
 * `sessionRetryAttempts`, `limits` are those of the day, and `automaticRetry` is the switch WAYBILL_WATCHDOG.
 */
type DeliveryKey = Exclude<keyof Policy, "maxRepairs" | "automaticRetry" | "retention" | "limits">;

const policy = <K extends DeliveryKey>(key: K, type: z.ZodType<Policy[K]>, description: string) =>
  type.default(defaultPolicy[key] as z.util.NoUndefined<Policy[K]>).meta({ description });

export const deliverySettings = {
  maxAttempts: policy(
    "maxAttempts",
    types.positive,
    "How many prompts a message may cost before its delivery fails for good.",
  ),
  retryDelaysMs: policy(
    "retryDelaysMs",
    types.someDelays,
    "The wait before the second, the third, … attempt. The last one counts for all that follow.",
  ),
  graceMs: policy("graceMs", types.milliseconds, "How long an accepted prompt may show nothing before it counts."),
  graceForTaskMs: policy("graceForTaskMs", types.milliseconds, "The same for a message that refers to tasks."),
  rereadMs: policy(
    "rereadMs",
    types.milliseconds,
    "Between the two reads that must both miss a prompt before it is sent again.",
  ),
  firstReconcileDelayMs: policy(
    "firstReconcileDelayMs",
    types.someMilliseconds,
    "When a delivery is first reconciled; then at longer and longer intervals.",
  ),
  maxReconcileDelayMs: policy(
    "maxReconcileDelayMs",
    types.someMilliseconds,
    "The longest interval between two reconciles.",
  ),
  lateReconcileDelaysMs: policy(
    "lateReconcileDelaysMs",
    types.delays,
    "When a delivery that failed for good is reconciled again, in case its proof is late.",
  ),
  observeLimitMs: policy("observeLimitMs", types.someMilliseconds, "The deadline of one read of a transcript."),
  submitLimitMs: policy("submitLimitMs", types.someMilliseconds, "The deadline for an agent program to take a prompt."),
  readLimit: policy("readLimit", types.positive, "How many rows of a transcript the first read asks for."),
  stuckAfterMs: policy(
    "stuckAfterMs",
    types.someMilliseconds,
    "A busy session that asks nothing, runs no tool and shows no sign of life for this long is stuck, and replaced.",
  ),
  summarizeSilentWork: policy(
    "summarizeSilentWork",
    types.flag,
    "Whether an agent that changed files and said nothing is asked once for a short summary, so that there is an answer.",
  ),
  summaryLimitMs: policy("summaryLimitMs", types.someMilliseconds, "How long a lane is kept for that summary."),
  followUpMissingFiles: policy(
    "followUpMissingFiles",
    types.flag,
    "Whether an agent is told once which of the files that its answer names are missing. They are noted in any case.",
  ),
  fileCheckMs: policy("fileCheckMs", types.someMilliseconds, "Between two checks for a file that an answer names."),
  fileWaitMs: policy("fileWaitMs", types.milliseconds, "How long such a file may take to appear before it is missing."),
  maxExchanges: policy(
    "maxExchanges",
    types.positive,
    "How many messages two agents may write to each other within `exchangeWindowMs` while no person writes and no task or file changes. Then what they write to each other is held: `waybill holds`.",
  ),
  exchangeWindowMs: policy("exchangeWindowMs", types.someMilliseconds, "The time in which these are counted."),
  maxMessagesPerMinute: policy(
    "maxMessagesPerMinute",
    types.positive,
    "How many messages an agent may send in a minute.",
  ),
  watchdogConcurrency: policy("watchdogConcurrency", types.positive, "How many due reconciles run at the same time."),
  watchdogConcurrencyPerTeam: policy(
    "watchdogConcurrencyPerTeam",
    types.positive,
    "How many of them may be of one team.",
  ),
} satisfies Record<DeliveryKey, z.ZodType>;

export const retentionSettings = {
  respondedMs: types.milliseconds.default(defaultPolicy.retention.respondedMs).meta({
    description: "How long the record of an answered or cancelled delivery is kept.",
  }),
  failedMs: types.milliseconds.default(defaultPolicy.retention.failedMs).meta({
    description: "The same for one that had failed before.",
  }),
} satisfies Record<keyof Policy["retention"], z.ZodType>;

const required = { defaultWords: "must be given" };

export const laneSettings = {
  id: types.slug.meta({ ...required, description: "The lane's name." }),
  displayName: types.text.optional().meta({ description: "What people read instead of it." }),
  runtime: types
    .choice(...runtimeKinds)
    .optional()
    .meta({
      defaultWords: "follows `modelProvider`",
      description: "The agent program that works in it.",
    }),
  directory: types.path.meta({ ...required, description: "Where the agent works." }),
  agent: types.text.optional().meta({
    description: "Which of the program's agents works, for programs that have several.",
  }),
  model: types.text.optional().meta({
    defaultWords: "`modelName`, unless an OpenCode lane has an `agent`",
    description: "The model, by the name that the program has for it. In OpenCode that is `provider/model`.",
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
    description: "What this lane may cost in a day.",
  }),
};

export const teamSettings = {
  displayName: types.text.optional().meta({ description: "What people read instead of the team's name." }),
  directory: types.path.optional().meta({
    description:
      "Where its members write to each other in inbox files, such as `~/.claude/teams/NAME`: [teams.md](teams.md#inbox-files).",
  }),
};

export const memberSettings = {
  kind: types
    .choice(...memberKinds)
    .default("lane")
    .meta({
      description:
        "`lane`: Waybill runs it in its lane. `native`: somebody else runs it, and it uses `waybill mcp`. `person`: reads an inbox.",
    }),
  lane: types.slug.optional().meta({
    defaultWords: "must be given for kind `lane`",
    description: "The lane of this member, one of `lanes`. A lane belongs to one member at most.",
  }),
  displayName: types.text.optional().meta({ description: "What people read instead of the member's name." }),
  role: types.text.optional().meta({
    description: "What it does in the team, as the others are told. `lead` makes it the team's lead.",
  }),
  color: types
    .choice(...memberColors)
    .optional()
    .meta({ description: "In lists and on the page." }),
};

/** Set by the environment only: where things are, and the kill switch. */
export const environmentSettings = {
  config: types.path.optional().meta({
    env: "WAYBILL_CONFIG",
    defaultWords: "`$XDG_CONFIG_HOME/waybill/config.json`, `~/.config/waybill/config.json`",
    description: "The configuration file. When it is named, it must exist.",
  }),
  home: types.path.optional().meta({
    env: "WAYBILL_HOME",
    defaultWords: "`$XDG_STATE_HOME/waybill`, `~/.local/state/waybill`",
    description: "The state directory: store, token, and what the daemon says about itself.",
  }),
  demo: types.flag.default(false).meta({
    env: "WAYBILL_DEMO",
    description: "Runs the demo, also where there is a configuration file.",
  }),
  watchdog: types.flag.default(true).meta({
    env: "WAYBILL_WATCHDOG",
    description:
      "The kill switch: with `0` nothing that may have arrived is sent a second time by itself. Reads still need proof.",
  }),
};

const lane = z.strictObject({ ...laneSettings, ...laneSettingsOfRuntimes() });

/** The whole file. Unknown keys are refused at every depth. */
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

/** As it was written: what is left out is missing. */
export type ConfigFile = z.input<typeof fileSchema>;
export type FileLane = z.input<typeof lane>;

function laneSettingsOfRuntimes(): types.Settings {
  return Object.assign({}, ...runtimeDescriptors.map(({ laneSettings }) => laneSettings));
}
