/**
 * For crash tests: `WAYBILL_FAIL_POINT=before_send` kills the process when it reaches that point, `before_send@3` when
 * it reaches it for the third time. The names are in core/delivery/fail-points.ts.
 */

import type { FailPoint, FailPointHook } from "../../core/delivery/fail-points.ts";
import { failPoints, inboxFailPoints, transportFailPoints } from "../../core/delivery/fail-points.ts";
import { AppError } from "../../platform/app-error.ts";

const known: readonly FailPoint[] = [...failPoints, ...inboxFailPoints, ...transportFailPoints];

/** Undefined if none is set, so that commits and sends need not check for it. */
export function failPointFrom(setting: string | undefined): FailPointHook | undefined {
  if (setting === undefined || setting === "") return undefined;
  const [name, count = "1"] = setting.split("@");
  if (!known.includes(name as FailPoint) || !/^[1-9]\d*$/.test(count)) {
    throw new AppError({
      code: "fail_point_unknown",
      message: `WAYBILL_FAIL_POINT is not a known fail point: ${setting}.`,
      hint: `Known: ${known.join(", ")}. Append @N for the Nth time.`,
    });
  }
  let remaining = Number(count);
  return (point) => {
    if (point === name && --remaining === 0) process.kill(process.pid, "SIGKILL");
  };
}
