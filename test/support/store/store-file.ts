/** A directory for a store's file, with ways to inspect and to damage it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { admit } from "../core/deliveries.ts";
import { aLane } from "../daemon/waybill.ts";
import { OtherProcess } from "../files/other-process.ts";
import type { Holding } from "./store-holder.ts";

const holderFile = fileURLToPath(new URL("./store-holder.ts", import.meta.url));

/** The id of the message that another process admits when it opens the store. */
export const heldMessage = "from-holder";

export class StoreFile {
  readonly directory = mkdtempSync(join(tmpdir(), "waybill-file-"));
  readonly path = this.in("waybill.db");
  readonly #open: { close(): Promise<void> }[] = [];

  in(name: string): string {
    return join(this.directory, name);
  }

  /** Closes everything, ends the processes, and removes the directory. */
  async dispose(): Promise<void> {
    for (const one of this.#open.splice(0)) await one.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  open(path = this.path): Store {
    const store = openSqliteStore({ path });
    this.#open.push(store);
    return store;
  }

  /** Why the store does not open. */
  refusal(): unknown {
    try {
      this.open();
    } catch (error) {
      return error;
    }
    throw new Error("the store was opened");
  }

  /** Another process that has the store open. */
  async holder() {
    const started = await OtherProcess.start(holderFile, [this.path, heldMessage]);
    this.#open.push({ close: () => started.kill() });
    return { process: started, said: await started.hear<Holding>() };
  }

  /** Writes a store with these messages, and closes it. */
  async write(...ids: readonly string[]): Promise<void> {
    const store = openSqliteStore({ path: this.path });
    await store.putLane(aLane());
    await store.openSession("lane", "session-1", 0);
    for (const id of ids) await admit(store, { id });
    await store.close();
  }

  /** Changes the file behind the store's back. */
  change(sql: string, path = this.path): void {
    const db = new Database(path);
    db.exec(sql);
    db.close();
  }

  /** Makes records claim something that never happened to their deliveries. */
  forgeRecords(field: string, value: string, path = this.path): void {
    const first = "SELECT body -> '$.record' FROM log WHERE delivery_seq = delivery.message_seq AND log.version = 1";
    this.change(`UPDATE delivery SET record = json_set((${first}), '$.${field}', '${value}')`, path);
  }

  /** Overwrites the root page of a table. Only reads of that table notice. */
  damageTable(table: string): void {
    const db = new Database(this.path, { readonly: true });
    const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table) as number;
    const size = db.pragma("page_size", { simple: true }) as number;
    db.close();
    this.damage((page - 1) * size, size);
  }

  /** In another process: closing the file in this one would drop the locks of an open store. */
  damage(from: number, length: number): void {
    const place = [`of=${this.path}`, "bs=1", `seek=${from}`, `count=${length}`, "conv=notrunc"];
    const { status } = spawnSync("dd", place, { input: Buffer.alloc(length, 0xff) });
    if (status !== 0) throw new Error(`dd ended with ${status}`);
  }

  /** The bytes of the store, and of its write-ahead log if that is not empty. */
  bytes(): Record<string, string> {
    const names = readdirSync(this.directory).filter((name) => /^waybill\.db(-wal)?$/.test(name));
    const contents = names.map((name) => [name, readFileSync(this.in(name)).toString("base64")]);
    return Object.fromEntries(contents.filter(([, content]) => content !== ""));
  }

  names(): string[] {
    return readdirSync(this.directory).toSorted();
  }
}
