/** The doctor's findings, grouped by severity and as text to copy. Pure. */

import type { DoctorCheck } from "waybill/client";

export type CheckGroup = { status: DoctorCheck["status"]; title: string; checks: readonly DoctorCheck[] };

const titles: Record<DoctorCheck["status"], string> = { failed: "Failed", warning: "Warnings", ok: "OK" };
const byWeight = ["failed", "warning", "ok"] as const;

/** Worst first; empty groups are left out. */
export function checkGroups(checks: readonly DoctorCheck[]): CheckGroup[] {
  return byWeight
    .map((status) => ({ status, title: titles[status], checks: checks.filter((check) => check.status === status) }))
    .filter((group) => group.checks.length > 0);
}

export function verdict(checks: readonly DoctorCheck[]): string {
  const failed = checks.filter(({ status }) => status === "failed").length;
  const warnings = checks.filter(({ status }) => status === "warning").length;
  if (failed > 0) return `${failed} of ${checks.length} checks failed.`;
  return warnings > 0 ? `Nothing failed. Warnings: ${warnings}.` : "Everything is fine.";
}

/** For an issue or a chat. */
export function reportText(checks: readonly DoctorCheck[]): string {
  const lines = checkGroups(checks).flatMap((group) => [
    `${group.title}:`,
    ...group.checks.flatMap(({ name, detail, fix }) => [
      `- ${name}: ${detail}`,
      ...(fix === undefined ? [] : fix.split("\n").map((line) => `  ${line}`)),
    ]),
  ]);
  return [verdict(checks), ...lines].join("\n");
}
