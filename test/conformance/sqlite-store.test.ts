/** The embedded store keeps every promise of the port, on a real file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { storeConformance } from "./store-conformance.ts";

storeConformance("sqlite", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waybill-store-"));
  const open = () => openSqliteStore({ path: join(directory, "waybill.db") });
  let current = open();
  return {
    store: current,
    async reopen() {
      await current.close();
      current = open();
      return current;
    },
    async dispose() {
      await current.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
