/**
 * Runs `waybill doctor` for clients of the daemon. It inspects the daemon from outside, so it runs in a separate process; one
 * at a time, and requests that come while it runs get the same report.
 */
import type { DoctorReport } from "../../platform/doctor-check.ts";
import { failed } from "../../platform/doctor-check.ts";
import { doctorSchema } from "../../transports/http/program-schemas.ts";
import type { OwnCommand, RunOptions } from "./own-command.ts";
import { runOwnCommand } from "./own-command.ts";

export type DoctorOptions = RunOptions & {
  limitMs?: number;
  /** How long it may clean up after that before it is killed. */
  endMs?: number;
};

export type Doctor = {
  examine(): Promise<DoctorReport>;
  stop(): void;
};

export function makeDoctor(options: DoctorOptions): Doctor {
  let command: OwnCommand | null = null;
  let running: Promise<DoctorReport> | null = null;
  const run = async (): Promise<DoctorReport> => {
    command = runOwnCommand(["doctor", "--json"], options);
    try {
      return await reportOf(command, options);
    } finally {
      command = null;
      running = null;
    }
  };
  return {
    examine() {
      running ??= run();
      return running;
    },
    stop: () => command?.kill("SIGTERM"),
  };
}

async function reportOf(
  { output, kill }: OwnCommand,
  { limitMs = 20_000, endMs = 2000 }: DoctorOptions,
): Promise<DoctorReport> {
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    kill("SIGTERM");
  }, limitMs).unref();
  const end = setTimeout(() => kill("SIGKILL"), limitMs + endMs).unref();
  const printed = await output;
  clearTimeout(limit);
  clearTimeout(end);
  const why = isLate ? `did not finish within ${limitMs / 1000} s` : "could not be run";
  return (
    reportIn(printed) ?? { checks: [failed("doctor", `The checks ${why}.`, "Run `waybill doctor` in a terminal.")] }
  );
}

function reportIn(output: string): DoctorReport | null {
  try {
    return doctorSchema.safeParse(JSON.parse(output)).data ?? null;
  } catch {
    return null;
  }
}
