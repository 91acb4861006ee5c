import { expect, test } from "vitest";
import type { DoctorCheck } from "waybill/client";
import { checkGroups, reportText, verdict } from "./doctor-report.ts";

const ok: DoctorCheck = { name: "node", status: "ok", detail: "Node.js 22." };
const warning: DoctorCheck = {
  name: "config",
  status: "warning",
  detail: "There is none.",
  fix: "Run `waybill init`.",
};
const failed: DoctorCheck = {
  name: "port",
  status: "failed",
  detail: "It is taken.",
  fix: "Stop the other one.\nOr move.",
};

test("the worst comes first, and empty groups are left out", () => {
  expect(checkGroups([ok, warning, failed]).map(({ title, checks }) => [title, checks])).toEqual([
    ["Failed", [failed]],
    ["Warnings", [warning]],
    ["OK", [ok]],
  ]);
  expect(checkGroups([ok]).map(({ status }) => status)).toEqual(["ok"]);
});

test("the verdict counts failures before warnings", () => {
  expect(verdict([ok, warning, failed])).toBe("1 of 3 checks failed.");
  expect(verdict([ok, warning])).toBe("Nothing failed. Warnings: 1.");
  expect(verdict([ok])).toBe("Everything is fine.");
});

test("the report can be pasted, with every line of a fix", () => {
  expect(reportText([ok, failed])).toBe(
    [
      "1 of 2 checks failed.",
      "Failed:",
      "- port: It is taken.",
      "  Stop the other one.",
      "  Or move.",
      "OK:",
      "- node: Node.js 22.",
    ].join("\n"),
  );
});
