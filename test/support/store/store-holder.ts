/**
 * A process that opens the store given as its first argument, admits a message with its second argument as id, reports that
 * it holds the store, and closes it when its input ends. Prints `code` and `message` if it cannot.
 */
import { once } from "node:events";
import { AppError } from "../../../src/platform/app-error.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { tryToAdmit } from "../core/deliveries.ts";
import { aLane } from "../daemon/waybill.ts";

export type Holding = { holds: true } | { holds: false; code: string; message: string };

const [, , path = "", messageId = ""] = process.argv;
const say = (holding: Holding) => process.stdout.write(`${JSON.stringify(holding)}\n`);

try {
  const store = openSqliteStore({ path });
  await store.putLane(aLane());
  await tryToAdmit(store, { id: messageId });
  say({ holds: true });
  await once(process.stdin.resume(), "end");
  await store.close();
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  say({ holds: false, code: error.code, message: error.message });
}
