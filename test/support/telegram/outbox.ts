/** An outbox on a real store, with a remote side that the test controls. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Delivered, OutboxDeps } from "../../../src/mail/outbox/outbox.ts";
import { Outbox } from "../../../src/mail/outbox/outbox.ts";
import type { NewOutboxRow, OutboxRow, TransportBox } from "../../../src/mail/outbox/transport-box.ts";
import { transportBox } from "../../../src/mail/outbox/transport-box.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { ManualClock } from "../core/manual-clock.ts";

/** A store in its own directory, until the test ends. */
export function aStore(failPoint?: Parameters<typeof openSqliteStore>[0]["failPoint"]): Store {
  const directory = mkdtempSync(join(tmpdir(), "waybill-outbox-"));
  const store = openSqliteStore({ path: join(directory, "waybill.db"), ...(failPoint ? { failPoint } : {}) });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return store;
}

/** The remote side: answers each try with the next of `answers` for the row's key, then with "sent". */
export class OutboxWorld {
  readonly clock = new ManualClock();
  readonly store = aStore((point) => {
    if (point !== "store.written" || this.failingCommits === 0) return;
    this.failingCommits -= 1;
    throw new Error("this commit fails");
  });
  readonly box: TransportBox = transportBox("chat", this.store, this.clock);
  /** The key of each try, in order, with its part. */
  readonly tries: string[] = [];
  readonly problems: string[] = [];
  readonly errors: unknown[] = [];
  readonly answers = new Map<string, (Delivered | Promise<Delivered> | Error)[]>();
  failingCommits = 0;
  outbox = this.open();

  open(deps: Partial<OutboxDeps> = {}): Outbox {
    const { box, clock } = this;
    return new Outbox({
      ...{ box, clock },
      deliver: (row) => this.#deliver(row),
      onProblem: ({ key }, { outcome, reason }) => this.problems.push(`${key} ${outcome}: ${reason}`),
      onError: ({ error }) => this.errors.push(error),
      ...deps,
    });
  }

  async write(...rows: readonly NewOutboxRow[]): Promise<void> {
    await this.box.write({ outbox: rows });
    for (const { channel } of rows) this.outbox.wake(channel);
  }

  async #deliver({ key, refs }: OutboxRow): Promise<Delivered> {
    this.tries.push(refs.length === 0 ? key : `${key}+${refs.length}`);
    const answer = this.answers.get(key)?.shift() ?? { outcome: "sent" as const, ref: key };
    if (answer instanceof Error) throw answer;
    return answer;
  }
}

export function aRow(key: string, channel = "a"): NewOutboxRow {
  return { key, channel, body: { text: key } };
}

export function later(afterMs: number | null = null, reason = "busy"): Delivered {
  return { outcome: "later", afterMs, reason };
}

export function held(): { answer: Promise<Delivered>; release: (delivered?: Delivered) => void } {
  let release: (delivered?: Delivered) => void = () => {};
  const answer = new Promise<Delivered>((resolve) => {
    release = (delivered = { outcome: "sent", ref: "held" }) => resolve(delivered);
  });
  return { answer, release };
}
