/**
 * A Waybill that follows the files of a team, with scripted agents for the members that it runs. Files take real time, so it
 * uses the machine's clock and a fast policy.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Policy } from "../../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../../src/core/delivery/record.ts";
import type { InboxNote } from "../../../src/core/inbox/inbox-note.ts";
import type { StartedEngine } from "../../../src/daemon/wiring/start-engine.ts";
import { startEngine } from "../../../src/daemon/wiring/start-engine.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { JournalEntry } from "../../../src/runtimes/stub/journal.ts";
import { readJournal } from "../../../src/runtimes/stub/journal.ts";
import { StubRuntime } from "../../../src/runtimes/stub/runtime.ts";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";
import { createService } from "../../../src/service/create-service.ts";
import type { Service } from "../../../src/service/service.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { quickPolicy } from "../core/quick-policy.ts";
import { aLane } from "../daemon/waybill.ts";
import { lockDirectory } from "./lock-directory.ts";
import { eventually, TeamDirectory, teamsDirectory } from "./team-directory.ts";

export type TeamWorldOptions = {
  script?: StubScriptInput;
  policy?: Partial<Policy>;
  /** The members that Waybill runs, each in the lane of the same name. */
  runs?: readonly string[];
  /** Before the team is imported. */
  prepare?: (files: TeamDirectory) => void;
  rescanMs?: number;
  /** The parent of the team's directory; by default the same as for Waybill's own. */
  teamsIn?: string;
};

export class TeamWorld {
  /** Of Waybill, and of the agent program. */
  readonly home = teamsDirectory();
  readonly files: TeamDirectory;
  readonly errors: unknown[] = [];
  readonly #options: TeamWorldOptions;
  #run = { isOver: false };
  waybill!: StartedEngine;
  stub!: StubRuntime;

  constructor(options: TeamWorldOptions) {
    this.#options = options;
    this.files = new TeamDirectory(teamsDirectory(options.teamsIn)).make();
  }

  async start(): Promise<void> {
    const run = { isOver: false };
    this.#run = run;
    const { script = {}, policy, runs = ["tom"], rescanMs = 500 } = this.#options;
    this.waybill = await startEngine({
      store: openSqliteStore({
        path: join(this.home, "waybill.db"),
        onListenerError: (error) => this.errors.push(error),
      }),
      policy: { ...quickPolicy, graceMs: 50, ...policy },
      lanes: runs.map((id) => aLane({ id })),
      teamFiles: { stateDirectory: this.home, takeLock: lockDirectory, rescanMs },
      runtimes: (postMessage) => {
        const journalPath = join(this.home, "stub.jsonl");
        this.stub = new StubRuntime({ journalPath, clock: systemClock, scripts: { default: script }, postMessage });
        return [this.stub];
      },
      onError: ({ error }) => {
        if (!run.isOver) this.errors.push(error);
      },
    });
  }

  async stop(): Promise<void> {
    // An agent's last text may arrive when nothing more is written.
    this.#run.isOver = true;
    await this.waybill.close();
  }

  loseStore(): void {
    for (const end of ["", "-wal", "-shm", ".lock"]) rmSync(join(this.home, `waybill.db${end}`), { force: true });
  }

  get service(): Service {
    return createService({
      engine: this.waybill,
      draining: new AbortController().signal,
      resolveDirectory: (path) => path,
      allowedDirectories: ["/"],
      stateDirectories: [],
      runtimeDescriptors: [],
      defaults: { runtime: "stub", model: null },
      restart: () => {},
      checkRestart: () => {},
      now: () => systemClock.now(),
      retriesAreOff: false,
    });
  }

  import(runs: readonly string[] = this.#options.runs ?? ["tom"]) {
    const lanes = Object.fromEntries(runs.map((name) => [name, name]));
    return this.service.importTeam({ directory: this.files.path, name: null, lanes, join: false });
  }

  /** Resolves when everything currently in the files has been processed. */
  async scanned(): Promise<void> {
    await this.waybill.teamFiles.settled("crew");
  }

  delivery(id: string, lane: string): Promise<DeliveryRecord | null> {
    return this.waybill.store.deliveryOf(lane, id);
  }

  async reaches(id: string, lane: string, ...wanted: DeliveryRecord["status"][]): Promise<DeliveryRecord> {
    for (;;) {
      let found: DeliveryRecord | null = null;
      await eventually(async () => {
        found = await this.delivery(id, lane);
        return found !== null && wanted.includes(found.status);
      });
      if (found) return found;
    }
  }

  isRead(inbox: string, id: string): Promise<void> {
    return eventually(() => this.files.row(inbox, id)?.read === true);
  }

  /** The prompts that the agent program got. */
  prompts(about?: string): Extract<JournalEntry, { type: "prompt" }>[] {
    const prompts = readJournal(join(this.home, "stub.jsonl")).filter((entry) => entry.type === "prompt");
    return about === undefined ? prompts : prompts.filter(({ text }) => text.includes(about));
  }

  /** The messages to a person, oldest first. */
  async mail(person = "user"): Promise<{ from: string; text: string; relayOf: string | null }[]> {
    const mail = await this.waybill.store.mailOf({ kind: "person", name: person }, 100);
    return mail.reverse().map((one) => ({ from: one.from, text: one.text, relayOf: one.relayOfMessageId }));
  }

  /** The events about the files, oldest first. */
  async notes(event?: InboxNote["event"]): Promise<InboxNote[]> {
    const { items } = await this.waybill.store.readLog({ types: ["inbox"], limit: 500 });
    const notes = items.flatMap((item) => (item.type === "inbox" ? [item] : []));
    return event === undefined ? notes : notes.filter((note) => note.event === event);
  }

  handOver(id: string, member = "nate") {
    return this.waybill.store.handOver({ kind: "member", team: "crew", member }, id);
  }

  /** The codes of the problems that keep the team's files from being used. */
  async problems(): Promise<string[]> {
    return (await this.service.team("crew")).notices.map(({ code }) => code);
  }

  async state(member: string): Promise<string | undefined> {
    return (await this.service.team("crew")).members.find(({ name }) => name === member)?.state;
  }
}

/** At the end of the test nothing may have gone wrong that it did not expect. */
export async function startTeamWorld(options: TeamWorldOptions = {}): Promise<TeamWorld> {
  const team = new TeamWorld(options);
  options.prepare?.(team.files);
  await team.start();
  onTestFinished(async () => {
    const findings = await team.waybill.store.check();
    await team.stop();
    expect({ errors: team.errors, findings }).toEqual({ errors: [], findings: [] });
  });
  await team.import();
  return team;
}
