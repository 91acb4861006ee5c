/**
 * Programs that write arbitrary rows into the inboxes of members that Waybill does not run, restore older files, and flag and
 * take rows, while Waybill also writes there and is restarted. Waybill only ever appends.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { parseTree } from "jsonc-parser";
import { expect } from "vitest";
import { systemRowTypes } from "../../../src/core/inbox/inbox-note.ts";
import type { Row } from "./team-directory.ts";
import { TeamWorld } from "./team-world.ts";

const natives = ["nate", "team-lead"] as const;
const inboxes = [...natives, "user"] as const;
type Inbox = (typeof inboxes)[number];

const anyText = fc.oneof(
  fc.string({ minLength: 1, unit: "grapheme" }),
  fc.constantFrom(...systemRowTypes).map((type) => JSON.stringify({ type, requestId: "s1", approve: false })),
);
const anyFields = fc.record(
  {
    from: fc.constantFrom("nate", "tom", "team-lead", "waybill", "user", "mallory", "", 7),
    text: fc.oneof(anyText, fc.constant(5)),
    timestamp: fc.constantFrom("2026-01-01T00:00:00.000Z", "yesterday", 5),
    read: fc.constantFrom(true, false, "no"),
    // Including ids of Waybill's own messages.
    messageId: fc.constantFrom("m1", "m3", "x1", "x2", ""),
    msg_id: fc.option(fc.uuid(), { nil: undefined, freq: 1 }),
    relayOfMessageId: fc.constantFrom("m1", "ask1"),
    extra: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
/** The text of a row. JSON can write some values in several ways, and a program that rewrites the file keeps only one. */
const anyRow = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(anyFields, fc.constantFrom(0, 1, 2, "\t")).map(([row, indent]) => json(row, indent)),
  },
  fc.jsonValue().map((value) => json(value, 0)),
  fc.constantFrom("1.0", "-0", "1e2", "12345678901234567890", '"\\u0041\\/"', "[ ]", '{ "read":false,"read" : true }'),
  fc.constant('{"__proto__":{"read":true},"from":"nate" ,"text":"\\u006fdd","timestamp":1.0,"read":false}'),
);
const json = (value: unknown, indent: number | string) => JSON.stringify(value, null, indent);

const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant("send" as const), to: fc.constantFrom(...natives) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("add" as const),
      to: fc.constantFrom(...inboxes),
      rows: fc.array(anyRow, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant("older" as const),
      to: fc.constantFrom(...inboxes),
      age: fc.nat({ max: 3 }),
    }),
  },
  fc.record({ what: fc.constantFrom("flag" as const, "take" as const), to: fc.constantFrom(...inboxes) }),
  fc.record({ what: fc.constant("ask" as const) }),
  fc.record({
    what: fc.constant("restart" as const),
    to: fc.constantFrom(...inboxes),
    rows: fc.array(anyRow, { maxLength: 2 }),
  }),
);
/** The wait before the next step: until Waybill has seen it, or some milliseconds to catch Waybill mid-work. */
const anyPause = fc.oneof(fc.constant("seen" as const), fc.nat({ max: 12 }));
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never;

export async function rowsOfOthersStay(numRuns: number): Promise<void> {
  const steps = fc.array(fc.tuple(anyStep, anyPause), { minLength: 5, maxLength: 16 });
  const run = fc.record({ steps, isSession: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(run, async ({ steps, isSession }) => {
      const programs = await Programs.start(isSession);
      try {
        for (const [step, pause] of steps) await programs.perform(step, pause);
        await programs.checkEnd();
      } finally {
        await programs.team.stop();
      }
    }),
    { numRuns },
  );
}

class Programs {
  readonly team: TeamWorld;
  readonly #isSession: boolean;
  /** The rows of each inbox as other programs last wrote them, and their earlier versions. */
  readonly #written = new Map<Inbox, string[][]>(inboxes.map((inbox) => [inbox, [[]]]));
  readonly #sent: { id: string; to: Inbox; done: Promise<unknown> }[] = [];
  readonly #asked: string[] = [];

  static async start(isSession: boolean): Promise<Programs> {
    const team = new TeamWorld({ script: { always: [{ steps: [{ say: "Port 8080." }] }] } });
    if (isSession) team.files.make(["team-lead", "tom", "nate"], { leadProcess: { pid: process.pid } });
    await team.start();
    await team.import();
    return new Programs(team, isSession);
  }

  private constructor(team: TeamWorld, isSession: boolean) {
    this.team = team;
    this.#isSession = isSession;
  }

  async perform(step: Step, pause: "seen" | number): Promise<void> {
    await this.#perform(step);
    this.#check();
    await (pause === "seen" ? this.#seen() : wait(pause));
    this.#check();
  }

  async #perform(step: Step): Promise<void> {
    const { team } = this;
    switch (step.what) {
      case "send":
        this.#send(step.to);
        break;
      case "ask":
        this.#asked.push(`ask${this.#asked.length + 1}`);
        await team.service.send({ id: this.#asked.at(-1), to: { lane: "tom" }, from: "user", text: "Which port?" });
        break;
      case "add":
        this.#write(step.to, [...this.#rows(step.to), ...step.rows]);
        break;
      case "older":
        this.#write(step.to, this.#written.get(step.to)?.at(-1 - step.age) ?? []);
        break;
      case "flag":
        this.#write(step.to, this.#rows(step.to).map(flagged));
        break;
      case "take":
        this.#write(step.to, []);
        break;
      case "restart":
        await this.#seen();
        await team.stop();
        this.#write(step.to, [...this.#rows(step.to), ...step.rows]);
        await team.start();
        break;
      default:
        step satisfies never;
    }
  }

  async #seen(): Promise<void> {
    await Promise.all(this.#sent.map(({ done }) => done));
    await this.team.scanned();
  }

  /** Work in progress continues when this is called. */
  #send(to: Inbox): void {
    const id = `m${this.#sent.length + 1}`;
    const done = this.team.service.send({ id, to: { team: "crew", member: to }, from: "user", text: `About ${id}.` });
    // The caller that awaits it later sees the rejection.
    done.catch(() => {});
    this.#sent.push({ id, to, done });
  }

  #write(inbox: Inbox, rows: readonly string[]): void {
    const path = this.team.files.file(inbox);
    writeFileSync(`${path}.other`, `[${rows.join(" ,\n")}]`);
    renameSync(`${path}.other`, path);
    this.#written.get(inbox)?.push([...rows]);
  }

  #rows(inbox: Inbox): string[] {
    return rowTexts(this.team.files.file(inbox));
  }

  /** At any moment the rows of other programs are unchanged, followed at most by Waybill's rows, each once. */
  #check(): void {
    for (const inbox of inboxes) {
      const written = this.#written.get(inbox)?.at(-1) ?? [];
      const rows = this.#rows(inbox);
      expect(rows.slice(0, written.length)).toEqual(written);
      const ids = rows.slice(written.length).map((row): unknown => (JSON.parse(row) as Row).messageId);
      expect(new Set(ids).size).toBe(ids.length);
      if (inbox === "user") expect(ids.length).toBeLessThanOrEqual(this.#asked.length);
      else expect(this.#sent.filter(({ to }) => to === inbox).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    }
  }

  async checkEnd(): Promise<void> {
    const { team } = this;
    for (const id of this.#asked) await team.reaches(id, "tom", "responded");
    await this.#seen();
    this.#check();
    for (const { id, to } of this.#sent) await this.#checkSent(id, to);
    expect(team.prompts().map(({ text }) => text)).toEqual(this.#asked.map(() => "Which port?"));
    expect({ errors: team.errors, findings: await team.waybill.store.check() }).toEqual({ errors: [], findings: [] });
  }

  #wasFlagged(id: string, to: Inbox): boolean {
    const rows = this.#written
      .get(to)
      ?.flat()
      .map((row) => JSON.parse(row) as Row | null);
    return rows?.some((row) => row?.messageId === id && row.read === true) ?? false;
  }

  /** No row is lost silently. */
  async #checkSent(id: string, to: Inbox): Promise<void> {
    const handOver = await this.team.handOver(id, to);
    const isThere = this.#rows(to).some((row) => (JSON.parse(row) as Row | null)?.messageId === id);
    const isWarned = (await this.team.mail()).some(({ from, relayOf }) => from === "waybill" && relayOf === id);
    switch (handOver?.state) {
      case "taken":
        // In a session's team, the program that takes a row removes it; elsewhere it flags the row.
        if (handOver.reason === "removed") return expect(this.#isSession).toBe(true);
        return expect(this.#wasFlagged(id, to)).toBe(true);
      case "gone":
        return expect({ ...handOver, isWarned }).toMatchObject({ isWarned: true });
      default:
        expect({ ...handOver, isThere, isWarned }).toMatchObject({ isThere: true, isWarned: false });
    }
  }
}

/** The rows exactly as in the file. */
function rowTexts(path: string): string[] {
  const text = textOf(path);
  const tree = parseTree(text);
  if (tree?.type !== "array") throw new Error(`${path} is no array: ${text}`);
  return (tree.children ?? []).map(({ offset, length }) => text.slice(offset, offset + length));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "[]";
    throw error;
  }
}

function flagged(row: string): string {
  const value: unknown = JSON.parse(row);
  return typeof value === "object" && value !== null ? JSON.stringify({ ...value, read: true }) : row;
}
