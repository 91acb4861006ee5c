/**
 * Connects Waybill's own tools on the OpenCode server before a prompt, with one entry per lane. The server forgets
 * entries when it ends or reloads a directory. A prompt never waits long for the tools, and is sent without them if
 * need be.
 */

import type { Notice } from "../../../core/lane/lane.ts";
import { messageOf } from "../../../platform/app-error.ts";
import type { ToolServer } from "../../descriptor.ts";
import type { ToolServerSource } from "../../tool-servers.ts";
import { findToolServer, longestCallMs, notTooLong, serverNotStarted, toolsUnavailable } from "../../tool-servers.ts";
import type { OpencodeApi } from "../client/api.ts";
import type { PermissionRule } from "./permission-policy.ts";
import { entryName, toolRules } from "./tool-rules.ts";

export type LaneToolsOptions = ToolServerSource & { api: OpencodeApi };

type Entry = { directory: string; server: ToolServer };

export class LaneTools {
  readonly #options: LaneToolsOptions;
  readonly #closing = new AbortController();
  readonly #connected = new Map<string, Entry>();
  /** Attempts in progress; `waited` resolves with the attempt, or when a prompt has waited long enough. */
  readonly #attempts = new Map<string, Entry & { waited: Promise<void> }>();
  readonly #disconnecting = new Map<string, Promise<void>>();
  readonly #problems = new Map<string, string>();

  constructor(options: LaneToolsOptions) {
    this.#options = options;
  }

  /** Rules for the lane's sessions. They stay the same while the tools are unavailable. */
  async rules(laneId: string): Promise<PermissionRule[]> {
    return (await findToolServer(laneId, this.#options)) === null ? [] : toolRules(laneId);
  }

  /** Makes no request when nothing has changed. Never rejects: a problem becomes a notice. */
  async connect(laneId: string, directory: string): Promise<void> {
    const server = await findToolServer(laneId, this.#options);
    const connected = this.#connected.get(laneId);
    if (server === "unknown") {
      if (!connected) this.#problems.set(laneId, serverNotStarted);
      return;
    }
    if (server === null) return void this.#problems.delete(laneId);
    const entry = { directory, server };
    if (connected && isSame(connected, entry)) return;
    const running = this.#attempts.get(laneId);
    if (running && isSame(running, entry)) return running.waited;
    // The lane has moved to another directory.
    if (connected && connected.directory !== directory) this.#disconnect(laneId, connected);
    const attempt = { ...entry, waited: Promise.resolve() };
    this.#attempts.set(laneId, attempt);
    attempt.waited = notTooLong(this.#options.clock, this.#attempt(laneId, attempt)).then(() => {
      if (this.#attempts.get(laneId) === attempt) this.#problems.set(laneId, "OpenCode has not connected them yet.");
    });
    return attempt.waited;
  }

  notices(laneId: string): Notice[] {
    const problem = this.#problems.get(laneId);
    return problem === undefined ? [] : [toolsUnavailable(problem)];
  }

  /** The server may have lost the entries of a directory, or all of them (null). */
  forget(directory: string | null): void {
    for (const entries of [this.#connected, this.#attempts]) {
      for (const [laneId, entry] of entries) {
        if (directory === null || entry.directory === directory) entries.delete(laneId);
      }
    }
  }

  laneRemoved(laneId: string): void {
    const entry = this.#connected.get(laneId) ?? this.#attempts.get(laneId);
    this.#connected.delete(laneId);
    this.#attempts.delete(laneId);
    this.#problems.delete(laneId);
    if (entry) this.#disconnect(laneId, entry);
  }

  close(): void {
    this.#closing.abort();
  }

  async #attempt(laneId: string, attempt: Entry & { waited: Promise<void> }): Promise<void> {
    const { api, onError } = this.#options;
    const { directory, server } = attempt;
    const isCurrent = () => this.#attempts.get(laneId) === attempt;
    try {
      await this.#disconnecting.get(laneId);
      const problem = await api.connectTools(
        entryName(laneId),
        { ...server, callMs: longestCallMs },
        directory,
        this.#closing.signal,
      );
      if (!isCurrent()) return;
      if (problem !== null) throw new Error(problem);
      this.#connected.set(laneId, { directory, server });
      this.#problems.delete(laneId);
    } catch (error) {
      if (!isCurrent() || this.#closing.signal.aborted) return;
      this.#problems.set(laneId, messageOf(error));
      onError(error);
    } finally {
      if (isCurrent()) this.#attempts.delete(laneId);
    }
  }

  /** A failure is harmless: a lane's token expires with the lane, and the entry is lost when the server ends. */
  #disconnect(laneId: string, { directory }: Entry): void {
    const { api } = this.#options;
    const ended = api.disconnectTools(entryName(laneId), directory, this.#closing.signal).catch(() => {});
    this.#disconnecting.set(laneId, ended);
    void ended.then(() => {
      if (this.#disconnecting.get(laneId) === ended) this.#disconnecting.delete(laneId);
    });
  }
}

function isSame(one: Entry, other: Entry): boolean {
  return (
    one.directory === other.directory && one.server.url === other.server.url && one.server.token === other.server.token
  );
}
