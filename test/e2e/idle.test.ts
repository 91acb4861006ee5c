import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Program } from "../support/daemon/program.ts";

let waybill: Program;
beforeEach(() => {
  waybill = new Program();
});
afterEach(() => waybill.dispose());

/** How often the kernel has woken the main thread of a process. */
function wakeUps(pid: number | null): number {
  return Number(
    /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/task/${pid}/status`, "utf8"))?.[1],
  );
}

test("timers do not wake an idle daemon", async () => {
  waybill.configure({ lane: { always: [{ steps: [{ say: "Done." }] }] } });
  await waybill.up();
  await waybill.client().sendAndWait({ to: { lane: "lane" }, text: "Tidy up." });
  const { supervisorPid, workerPid } = waybill.daemonFile;
  let woken = { counts: "", at: 0 };
  const quietMs = () => {
    const counts = [supervisorPid, workerPid].map(wakeUps).join();
    if (counts !== woken.counts) woken = { counts, at: performance.now() };
    return performance.now() - woken.at;
  };
  // Work that follows a start ends first: the store check, and V8's last garbage collection. Six seconds are
  // longer than the five after which Node.js would check its server's connections.
  await expect.poll(quietMs, { timeout: 200_000, interval: 250 }).toBeGreaterThan(6000);
});
