/** What the doctor found. Facts only; judge.ts decides what is good or bad about them. */

import type { Config } from "../../daemon/config/config.ts";
import type { AppError } from "../../platform/app-error.ts";
import type { Check } from "../../platform/doctor-check.ts";
import type { StoreInspection } from "../../store/administration.ts";
import type { TelegramFacts } from "./telegram-facts.ts";

export type DirectoryFacts = {
  path: string;
  state: "there" | "can be made" | "cannot be made" | "no directory";
  writable: boolean;
  /** Permission bits, or null if it does not exist. */
  mode: number | null;
  /** The network filesystem that it is on, if any. */
  network: string | null;
};

export type LaneFacts = { id: string; directory: string; problem: AppError | null };

export type TokenFacts = {
  path: string;
  mode: number | null;
  isFile: boolean;
  /** Null if it could not be read. */
  holdsToken: boolean | null;
};

export type PortFacts = { host: string; port: number } & (
  | { state: "free" | "any" | "taken" }
  | { state: "ours"; pid: number }
  | { state: "refused"; why: string }
);

/** Facts that need a readable configuration. */
export type ConfiguredFacts = {
  config: Config;
  /** Permission bits of the file; null for the demo. */
  fileMode: number | null;
  /** Whether the file holds a secret that the environment does not override. */
  fileHoldsSecret: boolean;
  /** One set for each runtime that a lane uses. */
  runtimeChecks: readonly Check[];
  lanes: readonly LaneFacts[];
  /** Null without a bot. */
  telegram: TelegramFacts | null;
  store: StoreInspection;
  port: PortFacts;
  /** Null if OpenCode's API has no port of its own. */
  opencodeApiPort: PortFacts | null;
};

export type Facts = {
  now: number;
  node: { version: string; needed: string };
  home: DirectoryFacts;
  token: TokenFacts;
  configured: { ok: true; facts: ConfiguredFacts } | { ok: false; error: AppError };
};
