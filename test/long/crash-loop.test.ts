import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import { failPoints } from "../../src/core/delivery/fail-points.ts";

const scenario = fileURLToPath(new URL("../faults/scenario.mjs", import.meta.url));

function run(directory: string, failPoint: string): Promise<{ code: number | null; stdout: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, WAYBILL_FAIL_POINT: failPoint };
    const child = spawn(process.execPath, [scenario, directory], { env, stdio: ["ignore", "pipe", "inherit"] });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.on("close", (code) => resolve({ code, stdout }));
  });
}

test("killed repeatedly at random points, a run still ends correctly", async () => {
  const kill = fc.tuple(fc.constantFrom(...failPoints), fc.integer({ min: 1, max: 12 }));
  await fc.assert(
    fc.asyncProperty(fc.array(kill, { minLength: 2, maxLength: 8 }), async (kills) => {
      const directory = mkdtempSync(join(tmpdir(), "waybill-loop-"));
      try {
        for (const [point, times] of kills) await run(directory, `${point}@${times}`);
        const { code, stdout } = await run(directory, "");
        expect(code).toBe(0);
        const result = JSON.parse(stdout) as { findings: unknown[]; outcomes: Record<string, { status: string }> };
        expect(result.findings).toEqual([]);
        for (const [id, { status }] of Object.entries(result.outcomes)) {
          expect([id, status]).toEqual([id, id === "stopped" || id === "withdrawn" ? "cancelled" : "responded"]);
        }
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }),
    { numRuns: 60, endOnFailure: true },
  );
});
