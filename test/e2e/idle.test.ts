import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Program } from "../support/program.ts";

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

test("an idle daemon is not woken by timers", async () => {
  waybill.configure({ lane: { always: [{ steps: [{ say: "Done." }] }] } });
  await waybill.up();
  await waybill.client().sendAndWait({ to: { lane: "lane" }, text: "Tidy up." });
  const { supervisorPid, workerPid } = waybill.daemonFile;
  const wokenIn = async (ms: number) => {
    const before = [supervisorPid, workerPid].map(wakeUps);
    await wait(ms);
    return [supervisorPid, workerPid].map((pid, index) => wakeUps(pid) - (before[index] ?? 0));
  };
  // What a start leaves behind may end first. A timer of the old metrics alone would wake the worker 300 times.
  await expect.poll(async () => Math.max(...(await wokenIn(3000)))).toBeLessThan(20);
});
