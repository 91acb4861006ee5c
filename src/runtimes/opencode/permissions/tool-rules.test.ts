import { expect, test } from "vitest";
import { normalizeToolName } from "../../../core/transcript/tool-calls.ts";
import { ownTools } from "../../descriptor.ts";
import { entryName, toolRules } from "./tool-rules.ts";

const longest = "l".repeat(64);

test("a lane may use its own tools by name, and nothing of any other entry", () => {
  const [first, ...others] = toolRules("a");
  expect(first).toEqual({ permission: "waybill-*", pattern: "*", action: "deny" });
  expect(others[0]).toEqual({ permission: "waybill-a_message_send", pattern: "*", action: "allow" });
  expect(others).toHaveLength(ownTools.length);
  expect(others.every(({ permission }) => /^[\w-]+$/.test(permission))).toBe(true);
});

test("no two lanes share a tool name, whatever the lanes are called", () => {
  const tricky = [
    "a",
    "a_b",
    "a-b",
    "a_message",
    "a_message_send",
    "team",
    "a_team",
    `${longest}`,
    `${longest.slice(1)}x`,
  ];
  const names = tricky.flatMap((lane) => ownTools.map((tool) => `${entryName(lane)}_${tool}`));
  expect(new Set(names).size).toBe(names.length);
  expect(ownTools.filter((tool) => ownTools.some((other) => tool.endsWith(`_${other}`)))).toEqual([]);
});

test("no tool name is too long for providers, and a shortened entry is unique", () => {
  const lengths = [20, 28, 29, 30, 31, 64].map((length) => longest.slice(0, length)).map(entryName);
  const names = lengths.flatMap((entry) => ownTools.map((tool) => `${entry}_${tool}`));
  expect(Math.max(...names.map((name) => name.length))).toBe(64);
  expect(new Set(lengths).size).toBe(lengths.length);
  expect(entryName(entryName(longest).slice("waybill-".length))).not.toBe(entryName(longest));
  expect(normalizeToolName(`${entryName(longest)}_message_send`)).toBe("message_send");
});
