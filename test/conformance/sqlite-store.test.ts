/** The embedded store keeps every promise of the port, on a real file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommitPoint } from "../../src/store/administration.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { storeConformance } from "./store-conformance.ts";

storeConformance("sqlite", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-store-"));
  let isFailing = false;
  const failPoint = (point: CommitPoint) => {
    if (!isFailing || point !== "store.written") return;
    isFailing = false;
    throw new Error("this commit fails");
  };
  const open = () => openSqliteStore({ path: join(directory, "waybill.db"), failPoint });
  let current = open();
  return {
    store: current,
    async reopen() {
      await current.close();
      current = open();
      return current;
    },
    failNextCommit() {
      isFailing = true;
    },
    async dispose() {
      await current.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
