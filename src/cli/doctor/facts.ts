/** What the doctor saw. Facts only: what is good or bad about them is decided in judge.ts. */
import type { AppError } from "../../app-error.ts";
import type { Config } from "../../daemon/config/config.ts";
import type { StoreInspection } from "../../store/sqlite/inspect-store.ts";

export type DirectoryFacts = {
  path: string;
  state: "there" | "can be made" | "cannot be made" | "no directory";
  writable: boolean;
  /** Permission bits, or null when it is not there. */
  mode: number | null;
  /** The name of the network filesystem that it is on. */
  network: string | null;
};

export type ProgramFacts = {
  runtime: string;
  program: string;
  path: string | null;
  version: { ok: true; text: string } | { ok: false; why: string } | null;
};

/** How Waybill would get its OpenCode server. */
export type OpencodeFacts =
  | { does: "attach"; url: string; version: string }
  | { does: "start"; path: string; version: string }
  | { does: "fail"; error: AppError };

export type LaneFacts = { id: string; directory: string; trouble: AppError | null };

export type TokenFacts = {
  path: string;
  mode: number | null;
  isFile: boolean;
  /** Null when it could not be read. */
  holdsToken: boolean | null;
};

export type PortFacts = { host: string; port: number } & (
  | { state: "free" | "any" | "taken" }
  | { state: "ours"; pid: number }
  | { state: "refused"; why: string }
);

/** What follows from a configuration that could be read. */
export type ConfiguredFacts = {
  config: Config;
  /** Permission bits of the file; null for the demo. */
  fileMode: number | null;
  /** Whether the file itself holds a secret, which the environment does not replace. */
  fileHoldsSecret: boolean;
  /** Of the runtimes that lanes have, but for OpenCode. */
  programs: readonly ProgramFacts[];
  /** Null without a lane that needs it. */
  opencode: OpencodeFacts | null;
  /** The variables for pi's provider that are set, by name only. */
  hasPiKey: boolean;
  lanes: readonly LaneFacts[];
  store: StoreInspection;
  port: PortFacts;
};

export type Facts = {
  now: number;
  node: { version: string; needed: string };
  home: DirectoryFacts;
  token: TokenFacts;
  configured: { ok: true; facts: ConfiguredFacts } | { ok: false; error: AppError };
};
