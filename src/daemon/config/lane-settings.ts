/** The keys of one entry of `lanes`, of one entry of `teams`, and of one of its members. */
import { choice, costLimit, path, script, slug, text, tokenLimit } from "./kinds.ts";
import type { Setting } from "./settings.ts";

export const laneSettings = {
  id: { kind: slug, defaultWords: "must be given", meaning: "The lane's name.", effect: "now" },
  displayName: { kind: text, meaning: "What people read in its place.", effect: "now" },
  runtime: {
    kind: choice("stub", "opencode", "claude", "pi"),
    defaultWords: "follows `modelProvider`",
    meaning: "The agent program that works in it.",
    effect: "now",
  },
  directory: { kind: path, defaultWords: "must be given", meaning: "Where the agent works.", effect: "now" },
  agent: {
    kind: text,
    meaning:
      "Which of the program's agents works, for programs that have several. In OpenCode it brings its model along; pi has none.",
    effect: "now",
  },
  model: {
    kind: text,
    defaultWords: "`modelName`, unless an OpenCode lane has an `agent`",
    meaning: "The model. In OpenCode `provider/model`, and not beside an `agent`; in pi one of `piAgentProvider`.",
    effect: "now",
  },
  contract: {
    kind: choice("text", "tool"),
    default: "text",
    meaning: "The reply contract: `text`, the final text is the answer; `tool`, a reply is a `message_send`.",
    effect: "now",
  },
  dailyTokenLimit: {
    kind: tokenLimit,
    defaultWords: "`dailyTokenLimit`",
    meaning: "How many tokens this lane may use in a day.",
    effect: "now",
  },
  dailyCostLimit: {
    kind: costLimit,
    defaultWords: "`dailyCostLimit`",
    meaning: "What this lane may cost in a day.",
    effect: "now",
  },
  script: {
    kind: script,
    meaning: "Only for `stub` lanes: what the scripted agent does.",
    effect: "now",
  },
} as const satisfies Record<string, Setting>;

export const teamSettings = {
  displayName: { kind: text, meaning: "What people read in the place of the team's name.", effect: "now" },
} as const satisfies Record<string, Setting>;

export const memberSettings = {
  lane: {
    kind: slug,
    defaultWords: "must be given",
    meaning: "The lane of this member, one of `lanes`. A lane belongs to one member at most.",
    effect: "now",
  },
} as const satisfies Record<string, Setting>;

export const runtimeOfProvider = {
  stub: "stub",
  opencode_cli: "opencode",
  claude_code: "claude",
  pi_agent: "pi",
} as const;
